#include "experiments/error_curves/audit.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "estimators/occupancy.hpp"
#include "experiments/error_curves/audit_rows.hpp"
#include "experiments/error_curves/temperature_search.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"
#include "sim/statistics/intervals.hpp"
#include "tests/catch.hpp"

using namespace skt;

namespace {

FamilyParameters gaussian(Index keys, Index dim) {
  FamilyParameters family;
  family.keys = keys;
  family.dim = dim;
  family.query_norm = std::sqrt(real(dim));
  return family;
}

Setting setting_of(Index planes, double temperature, Index samples) {
  return {planes, 60, samples, temperature};
}

AuditPlan toy_plan() {
  AuditPlan plan;
  plan.family = gaussian(96, 8);
  plan.planes = {3};
  plan.temperatures = {0.5};
  plan.tables = 16;
  plan.trials = 40;
  return plan;
}

std::string complaint(AuditPlan plan) {
  try {
    run_audit(plan, Seed{1});
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("At production settings the audit gives the values of an independent calculation", "[oracle]") {
  // N = 4096, d = 128, |q| = sqrt d; values to the digits that were kept. Of the random parts: Z_tau is within a
  // percent of N 2^-P; the soft estimator was seen to recover 12 to 27% for tau = 0.3 to 0.7.
  const Instance instance = make_instance(gaussian(4096, 128), Seed{3}, 0);
  const SettingAudit at = population_audit(instance, setting_of(8, 0.5, 410));

  CHECK(std::abs(at.centre.epsilon - 0.9866) <= 0.5e-4);
  CHECK(std::abs(at.centre.population_mass - 16.0) <= 0.01 * 16);
  CHECK(at.recovered > 0.12);
  CHECK(at.recovered < 0.27);
  CHECK(at.angular_deviation > at.population_deviation);
  // 1.4e5 tables with B = N/2: 2 (B/Z_tau)^2 log 80.
  const BoundConstants constants = at.centre.constants(2048);
  CHECK(std::abs(required_tables(constants, 0.05) - 1.4e5) <= 0.05e5);
  // ||V||_2 is within a few units of sqrt N + sqrt d (Davidson and Szarek 2001: 4 is exceeded with e^-8).
  const double spectral = std::sqrt(4096.0) + std::sqrt(128.0);
  const double sampling = sampling_bound(constants, 410, 0.05);
  CHECK(std::abs(sampling * std::sqrt(410 / (8 * std::log(40))) - spectral) <= 4);
}

TEST_CASE("The share of keys that no table brings to the query meets its exact mean", "[statement]") {
  const Instance instance = make_instance(gaussian(200, 8), Seed{4}, 0);
  const Setting setting = setting_of(4, 0.5, 20);
  const TableStatistics drawn = table_statistics(instance, setting, Seed{5}, 60);
  const double exact = population_audit(instance, setting).keys_never_hit;

  const Interval seen = student(drawn.keys_never_hit, 1e-4);
  CHECK(seen.contains(exact));
  // The lie: one table fewer.
  Setting fewer = setting;
  fewer.tables = 40;
  CHECK(!seen.contains(population_audit(instance, fewer).keys_never_hit));
  CHECK(drawn.occupancy.size() == 60 * 60);
}

TEST_CASE("Cold buckets recover y* whole, hot ones nothing of it", "[unit]") {
  const Instance instance = make_instance(gaussian(300, 16), Seed{6}, 0);

  // The weights differ from the limits by a relative O(P (tau sqrt d/|q|)^2) and O(P/(sqrt d tau)).
  CHECK(std::abs(population_audit(instance, setting_of(4, 1e-4, 30)).recovered - 1) <= 1e-4);
  CHECK(std::abs(population_audit(instance, setting_of(4, 1e6, 30)).recovered) <= 1e-4);
}

TEST_CASE("Every threshold, put back into the bound, meets the trivial bound", "[unit]") {
  const Instance instance = make_instance(gaussian(300, 16), Seed{6}, 0);
  const Setting setting = setting_of(4, 0.5, 30);
  const Centre centre = population_centre(instance, setting);
  constexpr double delta = 0.1;
  const Index occupancy = 60;
  const BoundAudit audit = audit_bound(instance, setting, centre, occupancy, delta);
  const BoundConstants constants = centre.constants(occupancy);
  const double trivial = centre.largest_value;

  CHECK(finite_table_bound(constants, audit.alone.tables, delta / 2) <= trivial);
  CHECK(finite_table_bound(constants, audit.alone.tables - 1, delta / 2) > trivial);
  CHECK(sampling_bound(constants, audit.alone.samples, delta / 2) <= trivial);
  CHECK(sampling_bound(constants, audit.alone.samples - 1, delta / 2) > trivial);
  Setting at_limit = setting;
  at_limit.temperature = audit.alone.temperature;
  // The bound is about linear in tau there, and log tau is known to kLogTemperatureError.
  CHECK(std::abs(bias_bound(population_centre(instance, at_limit).constants(occupancy)) / trivial - 1) <=
        10 * kLogTemperatureError);

  at_limit.temperature = audit.together.temperature;
  const BoundConstants joint = population_centre(instance, at_limit).constants(occupancy);
  CHECK(audit.together.tables >= required_tables(joint, delta / 2));
  CHECK(end_to_end_bound(joint, audit.together.tables, audit.together.samples, delta / 2, delta / 2).total() <=
        trivial * (1 + 10 * kLogTemperatureError));
}

TEST_CASE("At its thresholds the error itself meets the target", "[statement]") {
  AuditPlan plan = toy_plan();
  plan.family.family = InstanceFamily::needle;
  plan.target = 0.001;
  const SettingAudit at = run_audit(plan, Seed{2}).settings.front();

  // There each of the three mean squares is a third of the target's at most.
  Setting setting = at.setting;
  setting.tables = static_cast<Index>(at.together.tables);
  setting.samples = static_cast<Index>(at.together.samples);
  setting.temperature = at.together.temperature;
  const Instance instance = make_instance(plan.family, Seed{2}, 0);
  const Centre centre = exact_centre(instance, setting);
  CHECK(at.together.temperature < plan.temperatures.front());
  CHECK(centre.bias.value <= plan.target * at.trivial / std::numbers::sqrt3 * (1 + 10 * kLogTemperatureError));
  const double third = std::pow(plan.target * at.trivial, 2) / 3;
  CHECK(centre.tables.mean_square.value / at.together.tables <= third);
  CHECK(std::pow(population_audit(instance, setting).sampling * at.trivial, 2) <= third);
}

TEST_CASE("The readings of the occupancy are in order, and half of the keys bound the last from below", "[unit]") {
  const Audit audit = run_audit(toy_plan(), Seed{7});
  const auto& bounds = audit.settings.front().bounds;

  CHECK(bounds[0].occupancy <= bounds[2].occupancy);
  CHECK(bounds[1].occupancy <= bounds[2].occupancy);
  CHECK(bounds[2].occupancy >= 48);
  for (const BoundAudit& bound : bounds) CHECK(bound.over_trivial.total() > 0);
}

TEST_CASE("An audit's files hold a row for each setting and reading", "[unit]") {
  AuditPlan plan = toy_plan();
  plan.temperatures = {0.3, 0.5};
  plan.target = 1;  // no colder temperature to look at
  const Audit audit = run_audit(plan, Seed{7});
  const auto lines = [](const std::string& text) { return std::count(text.begin(), text.end(), '\n'); };

  CHECK(lines(audit_table(audit).text()) == 1 + 2);
  CHECK(lines(audit_bound_table(audit).text()) == 1 + 2 * 3);
  CHECK(audit_json(audit) == audit_json(run_audit(plan, Seed{7})));
}

TEST_CASE("An audit out of range is refused with the name of the option", "[unit]") {
  AuditPlan plan = toy_plan();
  plan.planes = {31};
  CHECK(complaint(plan).find("--planes") == 0);
  plan = toy_plan();
  plan.temperatures = {0};
  CHECK(complaint(plan).find("--temperatures") == 0);
  plan = toy_plan();
  plan.target = 0;
  CHECK(complaint(plan).find("--target") == 0);
  plan = toy_plan();
  plan.delta = NAN;
  CHECK(complaint(plan).find("--delta") == 0);
}
