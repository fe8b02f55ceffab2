#include "estimators/value_sampling.hpp"

#include "estimators/weighted_output.hpp"
#include "sim/statistics/moments.hpp"
#include "tests/estimators/plain_formulas.hpp"
#include "tests/normal_draws.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

const Seed kSamplingSeed{26};

Vector drawn_weights(Index keys) {
  return (2 * normal_vector(kSamplingSeed, 1, keys)).array().exp();
}

// T's value where key j alone is drawn: S1 v_j/||v_j||.
Vector outcome(const ValueSampler& sampler, const Matrix& values, Index j) {
  return sampler.total_norm() / values.row(j).norm() * values.row(j).transpose();
}

}  // namespace

TEST_CASE("The alias table draws from the given law", "[unit]") {
  for (const Index n : {Index{1}, Index{2}, Index{31}, Index{32}, Index{33}, Index{5000}}) {
    Vector weights = drawn_weights(n);
    if (n > 2) weights[n / 2] = weights[0] = 0;

    const Vector law = AliasTable(weights).law();

    // A column's share is rounded by the sum (n), quotient, product and, for each column that it fills, once more by up
    // to its own size; shares are relative to a column's height 1/n.
    const double slack = gamma_of(2 * real(n) + 8);
    for (Index j = 0; j < n; ++j) {
      const double p = weights[j] / weights.sum();
      REQUIRE(std::abs(law[j] - p) <= slack * (p + 1.0 / real(n)));
      if (weights[j] == 0) REQUIRE(law[j] == 0);
    }
  }
}

TEST_CASE("The uniforms' whole square maps to the law", "[unit]") {
  // Dyadic weights, so that a grid of 8 x 64 midpoints counts every share exactly.
  const Vector weights{{1, 0, 5, 2, 0, 11, 3, 10}};
  const AliasTable table(weights);

  Vector counts = Vector::Zero(8);
  for (int column = 0; column < 8; ++column)
    for (int coin = 0; coin < 64; ++coin) counts[table.pick((column + 0.5) / 8, (coin + 0.5) / 64)] += 1;

  CHECK(counts == weights * (512.0 / 32));
}

TEST_CASE("An index of weight zero is never drawn, at the corners of the square either", "[unit]") {
  Vector weights = Vector::Zero(7);
  weights[3] = 0.1;
  weights[5] = 0.7;
  const AliasTable table(weights);

  for (const double column : {0x1p-54, 0.2, 1.0 / 7, 0.5, 1 - 0x1p-53})
    for (const double coin : {0x1p-54, 0.5, 1 - 0x1p-53}) CHECK(weights[table.pick(column, coin)] > 0);
}

TEST_CASE("The expectation of T over its law is the weighted output", "[unit]") {
  const Vector weights = drawn_weights(40);
  Matrix values = normal_matrix(kSamplingSeed, 2, 40, 6);
  values.row(11).setZero();
  const ValueSampler sampler(weights, values);
  const Vector law = AliasTable(weights.cwiseProduct(row_norms(values))).law();

  Vector mean = Vector::Zero(6);
  double square = 0;
  for (Index j = 0; j < 40; ++j) {
    if (j == 11) continue;
    mean += law[j] * outcome(sampler, values, j);
    square += law[j] * (outcome(sampler, values, j) - sampler.mean()).squaredNorm();
  }

  // Every outcome has length S1, so sums of 40 shares round to gamma_{~200} S1 and S1^2.
  const double s1 = sampler.total_norm();
  CHECK((mean - sampler.mean()).norm() <= gamma_of(200) * s1);
  CHECK((sampler.mean() - weighted_output(weights, values)).norm() == 0);
  CHECK(std::abs(square - sampler.mean_squared_error(1)) <= gamma_of(400) * s1 * s1);
  CHECK(std::abs(sampler.mean_squared_error(7) - square / 7) <= gamma_of(400) * s1 * s1);
  const auto plain_s1 = static_cast<double>(plain_dot(weights, row_norms(values)) / weights.cast<long double>().sum());
  CHECK(std::abs(s1 - plain_s1) <= gamma_of(100) * s1);
}

TEST_CASE("Draws of T have the exact mean squared error, and stay within length S1", "[unit]") {
  const Vector weights = drawn_weights(25);
  const Matrix values = normal_matrix(kSamplingSeed, 3, 25, 3);
  const ValueSampler sampler(weights, values);
  const Index samples = 5;
  const int trials = 20000;

  Moments squares;
  VectorMoments draws;
  for (int trial = 0; trial < trials; ++trial) {
    const Vector t = sampler.draw(kSamplingSeed, static_cast<std::uint32_t>(trial), samples);
    REQUIRE(t.norm() <= sampler.total_norm() * (1 + gamma_of(20)));
    squares.add((t - sampler.mean()).squaredNorm());
    draws.add(t);
  }

  // Four two-sided tests of the central limit at a failure probability of 1e-9 together.
  const double z = two_sided_normal(1e-9 / 4);
  CHECK(deviations_from(sampler.mean_squared_error(samples), squares) <= z);
  for (Index c = 0; c < 3; ++c)
    CHECK(std::abs(draws.mean()[c] - sampler.mean()[c]) <= z * std::sqrt(draws.variance()[c] / trials));
}

TEST_CASE("A draw is the mean of its samples and a function of seed and trial alone", "[unit]") {
  const Vector weights = drawn_weights(9);
  const Matrix values = normal_matrix(kSamplingSeed, 4, 9, 2);
  const ValueSampler sampler(weights, values);
  const AliasTable table(weights.cwiseProduct(row_norms(values)));

  Vector sum = Vector::Zero(2);
  for (std::uint32_t m = 0; m < 33; ++m) {
    const auto [column, coin] = random_uniforms(kSamplingSeed, {Role::value_sample, 8, 0, m});
    sum += outcome(sampler, values, table.pick(column, coin));
  }

  CHECK((sampler.draw(kSamplingSeed, 8, 33) - sum / 33).norm() <= gamma_of(100) * sampler.total_norm());
  CHECK(sampler.draw(kSamplingSeed, 8, 33) == sampler.draw(kSamplingSeed, 8, 33));
  CHECK(sampler.draw(kSamplingSeed, 9, 33) != sampler.draw(kSamplingSeed, 8, 33));
}

TEST_CASE("Values of one direction leave an error of 0 or above, on whichever side rounding puts S1", "[unit]") {
  // S1 = ||y|| exactly; rounded, either may be the larger, and (S1 - ||y||)(S1 + ||y||) below 0.
  Index below = 0;
  for (std::uint32_t trial = 0; trial < 200; ++trial) {
    const Vector weights = normal_vector(kSamplingSeed, 100 + trial, 5).array().exp();
    const Matrix values = Vector::Ones(5) * normal_vector(kSamplingSeed, 400 + trial, 3).transpose();
    const ValueSampler sampler(weights, values);

    if (sampler.total_norm() < sampler.mean().norm()) ++below;
    REQUIRE(sampler.mean_squared_error(3) >= 0);
    // Two sums of five terms, a norm of three: 20 roundings of each factor at most.
    REQUIRE(sampler.mean_squared_error(3) <= 2 * gamma_of(20) * std::pow(sampler.total_norm(), 2));
  }
  CHECK(below > 0);
}

TEST_CASE("A sampler without mass or samples is refused", "[unit]") {
  CHECK_THROWS_AS(ValueSampler(Vector::Ones(2), Matrix::Zero(2, 3)), InputError);
  CHECK_THROWS_AS(ValueSampler(Vector{{1, 0}}, Matrix{{0, 0}, {1, 1}}), InputError);
  CHECK_THROWS_AS(ValueSampler(Vector::Zero(2), Matrix::Ones(2, 3)), InputError);
  CHECK_THROWS_WITH(ValueSampler(Vector::Ones(3), Matrix::Ones(2, 3)),
                    Catch::Matchers::StartsWith("3 weights for 2 values"));
  // The sizes before the weights: as far as there are values, nothing of these could be drawn.
  CHECK_THROWS_WITH(ValueSampler(Vector{{0, 0, 1}}, Matrix::Ones(2, 3)),
                    Catch::Matchers::StartsWith("3 weights for 2 values"));
  CHECK_THROWS_AS(AliasTable(Vector()), InputError);
  CHECK_THROWS_AS(AliasTable(Vector{{1, -1}}), InputError);
  const ValueSampler sampler(Vector::Ones(2), Matrix::Ones(2, 3));
  CHECK_THROWS_AS(sampler.draw(kSamplingSeed, 0, 0), InputError);
  CHECK_THROWS_AS(sampler.mean_squared_error(0), InputError);
}
