#include "estimators/peers/heavy_channels.hpp"

#include "tests/normal_draws.hpp"
#include "tests/numbers.hpp"

using namespace skt;

TEST_CASE("Heavy channels are those of largest mean |q_c k_c| over all pairs", "[unit]") {
  const Index dim = 6, keys = 15, queries = 4, count = 3;
  const Matrix k = normal_matrix(Seed{1}, 0, keys, dim) * Vector{{5, .1, 2, 7, .5, 3}}.asDiagonal();
  const Matrix q = normal_matrix(Seed{1}, 1, queries, dim) * Vector{{1, 9, 4, .01, .5, 2}}.asDiagonal();

  const auto chosen = heavy_channels(k, q, count);

  std::vector<double> weight(dim, 0.0);
  for (Index i = 0; i < queries; ++i)
    for (Index j = 0; j < keys; ++j)
      for (Index c = 0; c < dim; ++c) weight[c] += std::abs(q(i, c) * k(j, c));
  REQUIRE(chosen.size() == std::size_t(count));
  for (Index c = 0; c < dim; ++c) {
    if (std::find(chosen.begin(), chosen.end(), c) != chosen.end()) continue;
    for (const Index heavy : chosen) CHECK(weight[heavy] > weight[c]);
  }
}

TEST_CASE("A score over heavy channels is q.k restricted to them; with all channels it is q.k", "[unit]") {
  const Index dim = 8;
  const Matrix k = normal_matrix(Seed{2}, 0, 12, dim);
  const Vector q = normal_vector(Seed{2}, 1, dim);
  const HeavyChannels some(k, q.transpose(), 3), all(k, q.transpose(), dim);

  const Vector partial = some.scores(q);

  const double rounding =
      4 * double(dim) * std::numeric_limits<double>::epsilon() * (k.cwiseAbs() * q.cwiseAbs()).maxCoeff();
  for (Index j = 0; j < k.rows(); ++j) {
    double expected = 0;
    for (const Index c : some.channels()) expected += q(c) * k(j, c);
    CHECK(std::abs(partial(j) - expected) <= rounding);
  }
  CHECK((all.scores(q) - k * q).cwiseAbs().maxCoeff() <= rounding);
  CHECK(some.bits_per_token() == 48);
}

TEST_CASE("Heavy channels refuse a count outside 1 to dim and an empty calibration", "[unit]") {
  const Matrix k = normal_matrix(Seed{3}, 0, 4, 5);

  CHECK_THROWS_AS(HeavyChannels(k, k, 0), InputError);
  CHECK_THROWS_AS(HeavyChannels(k, k, 6), InputError);
  CHECK_THROWS_AS(HeavyChannels(k, Matrix(0, 5), 2), InputError);
}
