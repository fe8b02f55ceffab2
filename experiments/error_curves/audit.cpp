#include "experiments/error_curves/audit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "estimators/occupancy.hpp"
#include "experiments/command/progress.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

constexpr int kAscents = 8;  // starts of the search for the fullest half-space
constexpr double kValueNormBits = 16;
constexpr std::uint64_t kDrawsOfT = 8;  // on each draw of the tables

void check(const AuditPlan& plan) {
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
  require(plan.trials >= 2, "--trials is {}: allowed are 2 and more", plan.trials);
}

Index fullest_of_first_draw(const TableStatistics& drawn, Index tables) {
  return std::llround(*std::max_element(drawn.occupancy.begin(), drawn.occupancy.begin() + tables));
}

SettingAudit audit_setting(const Instance& instance, const AuditPlan& plan, const Setting& setting,
                           Index sure_occupancy, Seed seed) {
  SettingAudit audit{population_figures(instance, setting)};
  audit.centre.tables = ratio_limits(population_parameters(instance, setting), instance);
  audit.finite_tables = std::sqrt(audit.centre.tables.mean_square.value / real(setting.tables)) / audit.trivial;
  audit.needs = error_thresholds(instance, audit, plan.target);
  ProgressMeter meter(fmt::format("audit P={} tau={}", setting.planes, setting.temperature), plan.trials);
  audit.measured =
      measure_terms(instance, setting, audit.centre, seed, {plan.trials, kDrawsOfT}, [&meter] { meter.advance(); });
  audit.tables = table_statistics(instance, setting, seed, plan.trials);

  const auto bound_at = [&](Index occupancy) {
    return audit_bound(instance, setting, audit.centre, occupancy, plan.delta);
  };
  audit.bounds = {bound_at(fullest_of_first_draw(audit.tables, setting.tables)),
                  bound_at(quantile_occupancy(audit.tables.occupancy, setting.tables, plan.delta / 2)),
                  bound_at(sure_occupancy)};
  return audit;
}

}  // namespace

std::vector<std::pair<std::string, BoundAudit>> OccupancyReadings::named() const {
  return {{"realised", realised}, {"quantile", quantile}, {"almost-sure", almost_sure}};
}

double SettingAudit::bits_per_token() const {
  return real(setting.tables * setting.planes) + kValueNormBits;
}

Audit run_audit(const AuditPlan& plan, Seed seed) {
  check(plan);
  const Instance instance = make_instance(plan.family, seed, 0);
  Audit audit{plan, instance.query.norm(), {}};
  const Index sure = half_space_occupancy_at_least(instance.keys, derive_seed(seed, 1), kAscents);
  for (const Index planes : plan.planes) {
    for (const double temperature : plan.temperatures) {
      const Index samples = plan.samples > 0 ? plan.samples : std::max<Index>(1, plan.family.keys / 10);
      const Setting setting{planes, plan.tables, samples, temperature, plan.scaling};
      audit.settings.push_back(audit_setting(instance, plan, setting, sure, derive_seed(seed, 2)));
    }
  }
  return audit;
}

}  // namespace skt
