#include "experiments/error_curves/audit.hpp"

#include "estimators/error_terms/predictions.hpp"
#include "sim/statistics/intervals.hpp"
#include "tests/experiments/refusal.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

AuditPlan audit_of_96_keys() {
  AuditPlan plan;
  plan.family.keys = 96;
  plan.family.dim = 8;
  plan.family.query_norm = std::sqrt(8);
  plan.planes = {3};
  plan.temperatures = {0.5};
  plan.tables = 16;
  plan.trials = 40;
  return plan;
}

}  // namespace

TEST_CASE("The readings of the occupancy are in order, and half of the keys bound the last from below", "[unit]") {
  const Audit audit = run_audit(audit_of_96_keys(), AuditPart::all, Seed{7});
  const OccupancyReadings& bounds = audit.settings.front().bounds;

  CHECK(bounds.realised.occupancy <= bounds.almost_sure.occupancy);
  CHECK(bounds.quantile.occupancy <= bounds.almost_sure.occupancy);
  CHECK(bounds.almost_sure.occupancy >= 48);
  for (const auto& [reading, bound] : bounds.named()) CHECK(bound.over_trivial.total() > 0);
}

TEST_CASE("The comparison with the true quantile takes the same sure occupancy as the bounds", "[unit]") {
  AuditPlan plan = audit_of_96_keys();
  plan.bound_draws = 20;
  plan.fresh_tables = 100;

  const SettingAudit at = run_audit(plan, AuditPart::all, Seed{7}).settings.front();

  CHECK(at.compared.sure_occupancy == at.bounds.almost_sure.occupancy);
  CHECK(at.compared.sure_occupancy > 48);  // more than half of these keys lie on one side of some plane
}

TEST_CASE("Half of delta is for the tables: the quantile of the occupancy and the least L are those of delta/2",
          "[unit]") {
  AuditPlan plan = audit_of_96_keys();
  plan.delta = 0.98;
  plan.bound_draws = 0;
  const SettingAudit at = run_audit(plan, AuditPart::all, Seed{7}).settings.front();

  const BoundAudit& quantile = at.bounds.quantile;
  CHECK(at.tables.occupancy.size() == 40 * 16);
  CHECK(quantile.occupancy == quantile_occupancy(at.tables.occupancy, 16, 0.49));
  CHECK(quantile.occupancy > quantile_occupancy(at.tables.occupancy, 16, 0.98));
  const double ratio = real(quantile.occupancy) / at.centre.population_mass;
  CHECK(quantile.required_tables == Approx(2 * ratio * ratio * std::log(4 / 0.49)).epsilon(1e-12));
}

TEST_CASE("An audit needs two keys, planes and a temperature", "[unit]") {
  const auto refused = [](auto&& set) {
    AuditPlan plan = audit_of_96_keys();
    set(plan);
    return refusal([&] { check(plan, AuditPart::all); });
  };

  CHECK(refused([](AuditPlan& plan) { plan.family.keys = 2; }).empty());
  CHECK(refused([](AuditPlan& plan) { plan.family.keys = 1; }) == "--keys is 1: allowed are 2 and more");
  CHECK(refused([](AuditPlan& plan) { plan.planes.clear(); }).starts_with("--planes and --temperatures: "));
  CHECK(refused([](AuditPlan& plan) { plan.temperatures.clear(); }).starts_with("--planes and --temperatures: "));
}

TEST_CASE("Draws of the bounds are none or two and more, and not none where only the bounds are asked for", "[unit]") {
  AuditPlan plan = audit_of_96_keys();
  plan.bound_draws = 0;
  CHECK_NOTHROW(check(plan, AuditPart::all));
  CHECK_THROWS_WITH(check(plan, AuditPart::bounds),
                    Catch::Matchers::StartsWith("--bound-draws is 0 with --part bounds: allowed are 2 and more"));
  plan.bound_draws = 1;
  CHECK_THROWS_WITH(check(plan, AuditPart::all), Catch::Matchers::StartsWith("--bound-draws is 1: allowed are 0"));
  plan.bound_draws = 2;
  CHECK_NOTHROW(check(plan, AuditPart::bounds));
}

TEST_CASE("An audit has a setting for each number of planes and temperature, planes outermost", "[unit]") {
  AuditPlan plan = audit_of_96_keys();
  plan.planes = {2, 3};
  plan.temperatures = {0.3, 0.5};
  plan.trials = 2;
  const Audit audit = run_audit(plan, AuditPart::all, Seed{7});

  REQUIRE(audit.settings.size() == 4);
  CHECK(audit.settings[1].setting.planes == 2);
  CHECK(audit.settings[1].setting.temperature == 0.5);
  CHECK(audit.settings[2].setting.planes == 3);
  CHECK(audit.settings[2].setting.temperature == 0.3);
  CHECK(audit.settings[0].setting.samples == 9);  // a tenth of 96
  CHECK(audit.settings[3].bits_per_token() == 16 * 3 + 16);
}

TEST_CASE("The measured errors of an audit are those that its exact ones predict", "[statement]") {
  const SettingAudit at = run_audit(audit_of_96_keys(), AuditPart::all, Seed{7}).settings.front();

  const Interval sampling = student(at.measured.sampling, 1e-4), finite = student(at.measured.finite_tables, 1e-4);
  CHECK(sampling.contains(at.measured.sampling_expected.mean()));
  // A limit in L, at 16 tables: within its correction.
  const double exact = std::pow(at.finite_tables * at.trivial, 2);
  CHECK(finite.lo <= exact * (1 + limit_correction(at.centre, 16)));
  CHECK(finite.hi >= exact * (1 - limit_correction(at.centre, 16)));
}
