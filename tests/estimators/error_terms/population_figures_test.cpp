#include "estimators/error_terms/population_figures.hpp"

#include "sim/families.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

Instance gaussian(Index keys, Index dim, Seed seed) {
  return make_instance({.keys = keys, .dim = dim, .query_norm = std::sqrt(double(dim))}, seed, 0);
}

}  // namespace

TEST_CASE("A plane is saturated where |w.q| is beyond atanh(0.99)", "[unit]") {
  // Two tails of the normal law beyond one and two deviations.
  const double one_deviation = std::atanh(0.99);

  CHECK(std::abs(saturated_planes(one_deviation) - 0.317310507862914) <= 1e-14);
  CHECK(std::abs(saturated_planes(one_deviation / 2) - 0.0455002638963584) <= 1e-14);
}

TEST_CASE("A key is never hit if every table misses it", "[unit]") {
  CHECK(std::abs(expected_keys_never_hit(Vector{{1.0, 0.5, 0.0}}, 2) - 1.25 / 3) <= 1e-15);
  CHECK(expected_keys_never_hit(Vector{{0.75}}, 1) == 0.25);
}

TEST_CASE("What is recovered of a way is measured along it", "[unit]") {
  CHECK(recovered_share(Vector{{2.0, 0.0}}, Vector{{1.0, 5.0}}) == 0.5);
  CHECK(recovered_share(Vector{{2.0, 0.0}}, Vector{{0.0, 5.0}}) == 0);
  CHECK(recovered_share(Vector{{0.0, -3.0}}, Vector{{0.0, -3.0}}) == 1);
}

TEST_CASE("At production settings the figures are those of an independent calculation", "[oracle]") {
  // N = 4096, d = 128, |q| = sqrt d; values to the digits that were kept. Of the random parts: Z_tau is within a
  // percent of N 2^-P; the soft estimator was seen to recover 12 to 27% for tau = 0.3 to 0.7.
  const PopulationFigures at =
      population_figures(gaussian(4096, 128, Seed{3}), {.planes = 8, .tables = 60, .samples = 410, .temperature = 0.5});

  CHECK(std::abs(at.centre.epsilon - 0.9866) <= 0.5e-4);
  CHECK(std::abs(at.centre.population_mass - 16.0) <= 0.01 * 16);
  CHECK(at.recovered > 0.12);
  CHECK(at.recovered < 0.27);
  CHECK(at.angular_deviation > at.population_deviation);
}

TEST_CASE("Cold buckets recover y* whole, hot ones nothing of it", "[unit]") {
  const Instance instance = gaussian(300, 16, Seed{6});
  const auto recovered = [&](double temperature) {
    return population_figures(instance, {.planes = 4, .samples = 30, .temperature = temperature}).recovered;
  };

  // The weights differ from the limits by a relative O(P (tau sqrt d/|q|)^2) and O(P/(sqrt d tau)).
  CHECK(std::abs(recovered(1e-4) - 1) <= 1e-4);
  CHECK(std::abs(recovered(1e6)) <= 1e-4);
}

TEST_CASE("On I-RAD the sampling error of M draws is 1/sqrt(M), and there is no bias", "[unit]") {
  const PopulationFigures at = population_figures(
      make_instance({.family = InstanceFamily::rademacher, .dim = 4}, Seed{1}, 0), {.planes = 2, .samples = 16});

  CHECK(at.trivial == 1);
  CHECK(std::abs(at.sampling - 0.25) <= 1e-15);
  CHECK(at.bias <= 1e-15);
  CHECK(at.keys_never_hit == 0);
}
