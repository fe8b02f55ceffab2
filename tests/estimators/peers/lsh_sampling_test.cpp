#include "estimators/peers/lsh_sampling.hpp"

#include "tests/normal_draws.hpp"
#include "tests/numbers.hpp"

using namespace skt;

TEST_CASE("A key is drawn with the paper's probability of two collisions", "[unit]") {
  for (const Index planes : {1, 4, 10}) {
    for (const Index tables : {2, 7, 150}) {
      for (const double theta : {0.3, 1.2, std::numbers::pi / 2, 2.5}) {
        const double p = std::pow(1 - theta / std::numbers::pi, double(planes)), n = double(tables);
        const double expected = 1 - std::pow(1 - p, n) - n * p * std::pow(1 - p, n - 1);
        // The subtraction from 1 leaves an absolute error of a few epsilon, the powers n epsilon.
        CHECK(std::abs(sampling_probability(theta, {planes, tables, 2}) - expected) <= (8 + n) * kEpsilon);
      }
    }
  }
  CHECK(sampling_probability(0, {5, 9, 2}) == 1);
  CHECK_THROWS_AS(sampling_probability(1, {5, 3, 4}), InputError);
}

TEST_CASE("Tables for a density are the fewest that reach it", "[unit]") {
  const Index tables = tables_for_density(8, 2, 0.1);

  CHECK(sampling_probability(std::numbers::pi / 2, {8, tables, 2}) >= 0.1);
  CHECK(sampling_probability(std::numbers::pi / 2, {8, tables - 1, 2}) < 0.1);
}

TEST_CASE("Keys are drawn as often as the probability says", "[unit]") {
  const Index keys = 5, dim = 6, trials = 3000;
  const Matrix k = normal_matrix(Seed{1}, 0, keys, dim);
  const Vector q = normal_vector(Seed{1}, 1, dim);
  std::vector<Moments> drawn(5);
  Vector probability;

  for (std::uint32_t t = 0; t < trials; ++t) {
    const auto sample = LshSampler(k, {3, 12, 2}, Seed{2}, t).sample(q);
    probability = sample.probability;
    for (Index j = 0; j < keys; ++j) {
      const bool in = std::find(sample.keys.begin(), sample.keys.end(), j) != sample.keys.end();
      drawn[j].add(in ? 1 : 0);
    }
  }

  for (Index j = 0; j < keys; ++j) CHECK(deviations_from(probability(j), drawn[j]) <= two_sided_normal(1e-6));
}

TEST_CASE("Importance weights make numerator and normaliser of attention unbiased", "[unit]") {
  const Index keys = 12, dim = 5, trials = 4000;
  const Matrix k = normal_matrix(Seed{3}, 0, keys, dim).rowwise() + 4 * Eigen::RowVectorXd::Ones(dim);
  const Vector q = normal_vector(Seed{3}, 1, dim), v = normal_vector(Seed{3}, 2, keys);
  const Vector weights = scaled_logits(q, k).array().exp();
  Moments numerator, normaliser;

  for (std::uint32_t t = 0; t < trials; ++t) {
    const auto sample = LshSampler(k, {2, 6, 2}, Seed{4}, t).sample(q);
    double n = 0, z = 0;
    for (const Index j : sample.keys) {
      n += weights(j) * v(j) / sample.probability(j);
      z += weights(j) / sample.probability(j);
    }
    numerator.add(n);
    normaliser.add(z);
  }

  CHECK(deviations_from(weights.dot(v), numerator) <= two_sided_normal(1e-6));
  CHECK(deviations_from(weights.sum(), normaliser) <= two_sided_normal(1e-6));
}

TEST_CASE("The estimate is the ratio of the weighted sums, and dense attention where every key is certain", "[unit]") {
  const Index keys = 9, dim = 4;
  const Matrix k = normal_matrix(Seed{5}, 0, keys, dim), v = normal_matrix(Seed{5}, 1, keys, 3);
  const Vector q = normal_vector(Seed{5}, 2, dim), logits = scaled_logits(q, k);
  LshSampler::Sample sample{{1, 4, 6}, Vector::LinSpaced(keys, 0.1, 0.9)};

  const auto estimate = importance_attention(logits, v, sample);
  const auto nothing = importance_attention(logits, v, {{}, sample.probability});
  const auto all = importance_attention(logits, v, {{0, 1, 2, 3, 4, 5, 6, 7, 8}, Vector::Ones(keys)});

  Vector numerator = Vector::Zero(3);
  double normaliser = 0;
  for (const Index j : sample.keys) {
    numerator += std::exp(logits(j)) / sample.probability(j) * v.row(j).transpose();
    normaliser += std::exp(logits(j)) / sample.probability(j);
  }
  const double rounding = 100 * kEpsilon * v.cwiseAbs().maxCoeff();
  REQUIRE(estimate);
  CHECK((*estimate - numerator / normaliser).norm() <= rounding);
  CHECK_FALSE(nothing);
  CHECK((*all - *dense_attention(q, k, v, {})).norm() <= rounding);
}

TEST_CASE("A shift of all keys changes no collision, and enough tables draw every key", "[unit]") {
  // Dyadic keys whose mean is exact: the shift leaves the centred keys bit for bit.
  const Matrix k = (8 * normal_matrix(Seed{6}, 0, 8, 4)).array().round() / 8;
  const Matrix shifted = k.rowwise() + 16 * Eigen::RowVectorXd::Ones(4);
  const Vector q = normal_vector(Seed{6}, 1, 4);
  const LshSampler one(k, {2, 400, 2}, Seed{7}, 0), other(shifted, {2, 400, 2}, Seed{7}, 0);

  CHECK(one.collisions(q) == other.collisions(q));
  // Each key is missed with probability below 1e-6 as long as it collides in a table with probability above 0.05.
  CHECK(one.sample(q).probability.minCoeff() >= 1 - 1e-6);
  CHECK(one.sample(q).keys.size() == 8);
  CHECK(one.bits_per_token() == 800);
}

TEST_CASE("A key at the mean is drawn like an orthogonal one", "[unit]") {
  Matrix k = normal_matrix(Seed{8}, 0, 2, 3);
  k.row(1) = -k.row(0);
  Matrix with_mean(3, 3);
  with_mean << k.row(0), Eigen::RowVectorXd::Zero(3), k.row(1);

  const auto sample = LshSampler(with_mean, {3, 9, 2}, Seed{9}, 0).sample(normal_vector(Seed{8}, 1, 3));

  CHECK(sample.probability(1) == sampling_probability(std::numbers::pi / 2, {3, 9, 2}));
}
