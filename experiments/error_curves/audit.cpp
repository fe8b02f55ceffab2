#include "experiments/error_curves/audit.hpp"

#include "experiments/error_curves/audit_parts.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

constexpr double kValueNormBits = 16;

}  // namespace

void check(const AuditPlan& plan, AuditPart part) {
  require(!plan.planes.empty() && !plan.temperatures.empty(), "--planes and --temperatures: at least one of each");
  require(plan.family.keys >= 2, "--keys is {}: allowed are 2 and more", plan.family.keys);
  require(plan.bound_draws == 0 || plan.bound_draws >= 2, "--bound-draws is {}: allowed are 0 (none), 2 and more",
          plan.bound_draws);
  if (part == AuditPart::bounds && plan.bound_draws == 0)
    refuse("--bound-draws is 0 with --part bounds: allowed are 2 and more");
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
