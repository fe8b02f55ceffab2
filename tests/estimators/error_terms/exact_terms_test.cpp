#include "estimators/error_terms/exact_terms.hpp"

#include "sim/families.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

// I-TWO(3): three keys and values +e_1 and three -e_1, query along e_2, one plane.
Instance two_sided() {
  return make_instance({.family = InstanceFamily::two_sided, .dim = 4, .copies = 3}, Seed{1}, 0);
}

// At this temperature a soft bit differs from a hard one in a share of about tau sqrt(d) of the planes.
const Setting kCold{.planes = 1, .tables = 5, .samples = 2, .temperature = 1e-7};
constexpr double kNearlyHard = 1e-5;

}  // namespace

TEST_CASE("On I-TWO every part of the centre is the number worked out by hand", "[unit]") {
  const Centre centre = exact_centre(two_sided(), kCold);

  // Every key is at a right angle to the query: weight 1/2 at any temperature.
  CHECK(std::abs(centre.population_mass - 3) <= 1e-12);
  CHECK(std::abs(centre.angular_mass - 3) <= 1e-12);
  CHECK(centre.angular_output.norm() <= 1e-12);
  CHECK(centre.population_output.norm() <= 1e-12);
  CHECK(centre.bias.value <= 1e-12);
  CHECK(centre.largest_value == 1);
  CHECK(std::abs(centre.spectral_norm - std::sqrt(6)) <= 1e-12);  // six rows of length 1 along one axis
  CHECK(centre.epsilon <= kNearlyHard);
  // y_{tau,L} = (2 Bin(L, 1/2)/L - 1) e_1: L times its mean square is 4/4. Z~ is 3 in every table.
  CHECK(std::abs(centre.tables.mean_square.value - 1) <= kNearlyHard);
  CHECK(centre.tables.normaliser_variance.value <= kNearlyHard);
}

TEST_CASE("The population centre is the exact one without its limits in L", "[unit]") {
  const Centre exact = exact_centre(two_sided(), kCold), population = population_centre(two_sided(), kCold);

  CHECK(population.population_mass == exact.population_mass);
  CHECK(population.bias.error == exact.bias.error);
  CHECK(population.tables.mean_square.value == 0);
  CHECK(population.tables.bias.size() == 0);
}

TEST_CASE("The error of the bias is 2 N max|v|/Z_tau times that of a weight", "[unit]") {
  const Instance instance = two_sided();
  const PopulationParameters parameters = population_parameters(instance, kCold);

  const double weight_error = population_weights(parameters, instance).error;

  CHECK(std::abs(population_centre(instance, kCold).bias.error - 4 * weight_error) <= 1e-12 * weight_error);
  CHECK(parameters.planes == 1);
  CHECK(parameters.dim == 4);
  CHECK(parameters.query_norm == 1);
  CHECK(parameters.temperature == 1e-7);
}
