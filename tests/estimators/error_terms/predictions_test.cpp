#include "estimators/error_terms/predictions.hpp"

#include "sim/families.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

// Var Z~ / Z_tau^2 = 1/4 for one table.
Centre centre_by_hand() {
  Centre centre;
  centre.population_mass = 2;
  centre.angular_output = Vector::Zero(2);
  centre.population_output = Vector{{1.0, 0.0}};
  centre.bias = {1, 0.01};
  centre.tables.mean_square = {6, 0.5};
  centre.tables.bias = Vector{{3.0, 4.0}};
  centre.tables.bias_error = 0.2;
  centre.tables.normaliser_variance = {1, 0};
  return centre;
}

double cold_correction(InstanceFamily family, double angle, double tables) {
  const Setting setting{.planes = 1, .temperature = 1e-7};
  return limit_correction(
      exact_centre(make_instance({.family = family, .dim = 4, .copies = 3, .angle = angle}, Seed{1}, 0), setting),
      tables);
}

}  // namespace

TEST_CASE("The correction of the limit is (2 sqrt v + 9 v)/L", "[unit]") {
  CHECK(near(limit_correction(centre_by_hand(), 1), 3.25));  // 2/2 + 9/4
  CHECK(near(limit_correction(centre_by_hand(), 13), 0.25));
}

TEST_CASE("Where Z~ is the same in every table the limit in L needs no correction", "[oracle]") {
  // I-TWO, one plane, nearly hard: half of the keys meet the query, whichever half; v is of the order of tau.
  CHECK(cold_correction(InstanceFamily::two_sided, 0, 1) <= 2 * std::sqrt(1e-5) + 9 * 1e-5);
}

TEST_CASE("Where all keys meet the query or none does, v is the odds against it", "[oracle]") {
  // I-COPY(N, theta): Z~/N is Bernoulli(1 - theta/pi), so v = (theta/pi)/(1 - theta/pi).
  CHECK(std::abs(cold_correction(InstanceFamily::copies, std::numbers::pi / 2, 1) - 11) <= 1e-4);     // v = 1
  CHECK(std::abs(cold_correction(InstanceFamily::copies, std::numbers::pi / 5, 2) - 1.625) <= 1e-4);  // v = 1/4
  CHECK(std::abs(cold_correction(InstanceFamily::copies, 0.8 * std::numbers::pi, 4) - 10) <= 1e-4);   // v = 4
}

TEST_CASE("The mean square of finite tables falls as 1/L, its error as the correction says", "[unit]") {
  const Estimate at_four = finite_tables_mean_square(centre_by_hand(), 4);

  CHECK(near(at_four.value, 1.5));
  CHECK(near(at_four.error, 1.34375));  // (0.5 + 6 * 3.25/4)/4
}

TEST_CASE("The sampling term keeps its exact mean, and a rounding error of the squares", "[unit]") {
  const Instance instance{"three keys", Vector::Zero(2), Matrix::Zero(3, 2), Matrix::Zero(3, 2)};
  const Setting setting{.samples = 10};

  const Estimate sampling = sampling_mean_square(0.3, instance, setting, 5);

  CHECK(sampling.value == 0.3);
  CHECK(near(sampling.error, 60 * std::numeric_limits<double>::epsilon()));  // 2 (6 + 2 + 4) 5^2/10
}

TEST_CASE("An output is off by rounding of the longest value", "[unit]") {
  const Instance instance{"three keys", Vector::Zero(2), Matrix::Zero(3, 2), Matrix::Zero(3, 2)};
  CHECK(near(output_rounding(instance, 5), 120 * std::numeric_limits<double>::epsilon()));  // 2 (6 + 2 + 4) 5
}

TEST_CASE("The total is sampling, finite tables, bias squared and the cross term of the last two", "[unit]") {
  const Setting setting{.tables = 4};

  const Estimate total = total_mean_square(centre_by_hand(), setting, {0.3, 0.02});

  CHECK(near(total.value, 4.3));     // 0.3 + 6/4 + 2 * 3/4 + 1
  CHECK(near(total.error, 2.7025));  // 0.02 + 1.34375 + (2 * 0.2/4 + 1.5 * 3.25/4) + 2 * 0.01
}
