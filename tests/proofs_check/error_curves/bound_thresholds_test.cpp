#include "proofs_check/error_curves/bound_thresholds.hpp"

#include "estimators/error_terms/temperature_search.hpp"
#include "sim/families.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

Instance gaussian(Index keys, Index dim, Seed seed) {
  return make_instance({.keys = keys, .dim = dim, .query_norm = std::sqrt(real(dim))}, seed, 0);
}

constexpr double kDelta = 0.1;
constexpr Index kOccupancy = 60;
const Setting kSetting{.planes = 4, .tables = 60, .samples = 30, .temperature = 0.5};

// As in tests/proofs_check/laws/paper_error_bounds_test.cpp: Z = 2, Z_tau = 4, ||V|| = 3, epsilon = 1/8.
Centre centre_by_hand() {
  Centre centre;
  centre.angular_mass = 2;
  centre.population_mass = 4;
  centre.spectral_norm = 3;
  centre.epsilon = 0.125;
  return centre;
}

}  // namespace

TEST_CASE("Every threshold, put back into the bound, meets the trivial bound", "[unit]") {
  const Instance instance = gaussian(300, 16, Seed{6});
  const Centre centre = population_centre(instance, kSetting);
  const BoundAudit audit = audit_bound(instance, kSetting, centre, kOccupancy, kDelta);
  const BoundConstants constants = bound_constants(centre, kOccupancy);
  const double trivial = centre.largest_value;

  CHECK(finite_table_bound(constants, audit.alone.tables, kDelta / 2) <= trivial);
  CHECK(finite_table_bound(constants, audit.alone.tables - 1, kDelta / 2) > trivial);
  CHECK(sampling_bound(constants, audit.alone.samples, kDelta / 2) <= trivial);
  CHECK(sampling_bound(constants, audit.alone.samples - 1, kDelta / 2) > trivial);
  Setting at_limit = kSetting;
  at_limit.temperature = audit.alone.temperature;
  // The bound is about linear in tau there, and log tau is known to kLogTemperatureError.
  CHECK(std::abs(bias_bound(bound_constants(population_centre(instance, at_limit), kOccupancy)) / trivial - 1) <=
        10 * kLogTemperatureError);

  at_limit.temperature = audit.together.temperature;
  const BoundConstants joint = bound_constants(population_centre(instance, at_limit), kOccupancy);
  CHECK(audit.together.tables >= required_tables(joint, kDelta / 2));
  CHECK(end_to_end_bound(joint, audit.together.tables, audit.together.samples, kDelta / 2, kDelta / 2).total() <=
        trivial * (1 + 10 * kLogTemperatureError));
  // A third of the level each, at the masses of that temperature: one table or sample fewer is too few.
  CHECK(at_limit.temperature < kSetting.temperature);
  CHECK(std::abs(bias_bound(joint) / (trivial / 3) - 1) <= 10 * kLogTemperatureError);
  CHECK(finite_table_bound(joint, audit.together.tables, kDelta / 2) <= trivial / 3);
  CHECK(finite_table_bound(joint, audit.together.tables - 1, kDelta / 2) > trivial / 3);
  CHECK(sampling_bound(joint, audit.together.samples, kDelta / 2) <= trivial / 3);
  CHECK(sampling_bound(joint, audit.together.samples - 1, kDelta / 2) > trivial / 3);
}

TEST_CASE("Where the bound of the tables asks for less, the theorem's own least L is the threshold", "[unit]") {
  // One plane and B = N/2 = Z_tau, nearly: (B/Z_tau)^2 2 log(4/(delta/2)) = 8.8 tables. All values but one are 0, so
  // that ||V|| = max ||v||. The bound is below a third of it from 9 * 2 (B/Z_tau^2)(4 + B/Z_tau)^2 log 80 = 3.9 on.
  Instance instance = gaussian(1000, 16, Seed{6});
  instance.values.bottomRows(999).setZero();
  Setting setting = kSetting;
  setting.planes = 1;
  const Centre centre = population_centre(instance, setting);

  const BoundAudit audit = audit_bound(instance, setting, centre, 500, kDelta);

  setting.temperature = audit.together.temperature;
  const BoundConstants joint = bound_constants(population_centre(instance, setting), 500);
  CHECK(finite_table_bound(joint, 8, kDelta / 2) < centre.largest_value / 3);
  CHECK(audit.together.tables == std::ceil(2 * std::pow(500 / joint.population_mass, 2) * std::log(80)));
  CHECK(audit.together.tables != std::ceil(2 * std::pow(500 / joint.population_mass, 2) * std::log(40)));
}

TEST_CASE("The bound over the trivial one is each of its terms over the longest value", "[unit]") {
  const Instance instance = gaussian(300, 16, Seed{6});
  const Centre centre = population_centre(instance, kSetting);

  const BoundAudit audit = audit_bound(instance, kSetting, centre, kOccupancy, kDelta);
  const TermBounds bounds = term_bounds(centre, kSetting, kOccupancy, kDelta);

  CHECK(audit.occupancy == kOccupancy);
  CHECK(audit.required_tables == bounds.required_tables);
  CHECK(audit.over_trivial.sampling == bounds.terms.sampling / centre.largest_value);
  CHECK(audit.over_trivial.finite_table == bounds.terms.finite_table / centre.largest_value);
  CHECK(audit.over_trivial.bias == bounds.terms.bias / centre.largest_value);
}

TEST_CASE("At production settings the bounds are those of an independent calculation", "[oracle]") {
  const Instance instance = gaussian(4096, 128, Seed{3});
  const BoundConstants constants = bound_constants(
      population_centre(instance, {.planes = 8, .tables = 60, .samples = 410, .temperature = 0.5}), 2048);

  // 1.4e5 tables with B = N/2: 2 (B/Z_tau)^2 log 80.
  CHECK(std::abs(required_tables(constants, 0.05) - 1.4e5) <= 0.05e5);
  // ||V||_2 is within a few units of sqrt N + sqrt d (Davidson and Szarek 2001: 4 is exceeded with e^-8).
  const double spectral = std::sqrt(4096.0) + std::sqrt(128.0);
  const double sampling = sampling_bound(constants, 410, 0.05);
  CHECK(std::abs(sampling * std::sqrt(410 / (8 * std::log(40))) - spectral) <= 4);
}

TEST_CASE("Half of delta is for the tables, half for the samples", "[unit]") {
  const Setting setting{.tables = 4, .samples = 2};

  // delta = 8/e: log(4/(delta/2)) = 1. delta = 4/e: log(2/(delta/2)) = 1.
  const TermBounds for_tables = term_bounds(centre_by_hand(), setting, 8, 8 * std::exp(-1.0));
  const TermBounds for_samples = term_bounds(centre_by_hand(), setting, 8, 4 * std::exp(-1.0));

  CHECK(near(for_tables.terms.finite_table, 9));  // 6 * 3/2
  CHECK(near(for_tables.required_tables, 8));     // 2 * 64/16
  CHECK(near(for_samples.terms.sampling, 6));     // 3 sqrt(8/2)
  CHECK(near(for_samples.terms.bias, 16 * (0.25 + std::sqrt(8.0) / 8) * 0.125 * 3));
}
