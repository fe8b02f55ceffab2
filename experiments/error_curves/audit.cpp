#include "experiments/error_curves/audit.hpp"

#include <cmath>

#include "experiments/error_curves/audit_parts.hpp"
#include "proofs_check/bounds/fresh_tables.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

constexpr double kValueNormBits = 16;

}  // namespace

void check(const AuditPlan& plan, AuditPart part) {
  require(!plan.planes.empty() && !plan.temperatures.empty(), "--planes and --temperatures: at least one of each");
  for (const Index p : plan.planes)
    require(p >= 1 && p <= kMaxPlanes, "--planes is {}: allowed are 1 to {}", p, kMaxPlanes);
  for (const double t : plan.temperatures)
    require(t > 0 && std::isfinite(t), "--temperatures: {}: allowed are finite numbers above 0", t);
  require(plan.family.keys >= 2, "--keys is {}: allowed are 2 and more", plan.family.keys);
  require(plan.tables >= 1, "--tables is {}: allowed are 1 and more", plan.tables);
  require(plan.samples >= 0, "--samples is {}: allowed are 0 (a tenth of the keys) and more", plan.samples);
  require(plan.delta > 0 && plan.delta < 1, "--delta is {}: allowed is above 0 and below 1", plan.delta);
  require(plan.target > 0 && std::isfinite(plan.target), "--target is {}: allowed are finite numbers above 0",
          plan.target);
  require(plan.bound_delta > 0 && plan.bound_delta < 1, "--bound-delta is {}: allowed is above 0 and below 1",
          plan.bound_delta);
  require(plan.bound_draws == 0 || plan.bound_draws >= 2, "--bound-draws is {}: allowed are 0 (none), 2 and more",
          plan.bound_draws);
  if (part == AuditPart::bounds && plan.bound_draws == 0)
    refuse("--bound-draws is 0 with --part bounds: allowed are 2 and more");
  require(plan.fresh_tables >= kLeastFreshTables, "--fresh-tables is {}: allowed are {} and more", plan.fresh_tables,
          kLeastFreshTables);
  require(plan.trials >= 2, "--trials is {}: allowed are 2 and more", plan.trials);
}

std::vector<std::pair<std::string, BoundAudit>> OccupancyReadings::named() const {
  return {{"realised", realised}, {"quantile", quantile}, {"almost-sure", almost_sure}};
}

double SettingAudit::bits_per_token() const {
  return real(setting.tables * setting.planes) + kValueNormBits;
}

Audit run_audit(const AuditPlan& plan, AuditPart part, Seed seed) {
  return assemble_audit(plan, part, seed, run_in_order(audit_parts(plan, part, seed)));
}

Index refuted_bounds(const Audit& audit) {
  Index count = 0;
  for (const SettingAudit& at : audit.settings) {
    for (const ComparedBound& bound : at.compared.bounds) count += refuted(bound, audit.plan.bound_delta);
  }
  return count;
}

}  // namespace skt
