#include "experiments/error_curves/audit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "estimators/error_terms/ratio_limits.hpp"
#include "estimators/occupancy.hpp"
#include "experiments/command/progress.hpp"
#include "proofs_check/bounds/fresh_tables.hpp"
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
  require(plan.bound_delta > 0 && plan.bound_delta < 1, "--bound-delta is {}: allowed is above 0 and below 1",
          plan.bound_delta);
  require(plan.bound_draws == 0 || plan.bound_draws >= 2, "--bound-draws is {}: allowed are 0 (none), 2 and more",
          plan.bound_draws);
  require(plan.fresh_tables >= kLeastFreshTables, "--fresh-tables is {}: allowed are {} and more", plan.fresh_tables,
          kLeastFreshTables);
  require(plan.trials >= 2, "--trials is {}: allowed are 2 and more", plan.trials);
}

Index fullest_of_first_draw(const TableStatistics& drawn, Index tables) {
  return std::llround(*std::max_element(drawn.occupancy.begin(), drawn.occupancy.begin() + tables));
}

// Figures and exact centre of a setting, with the moments that the limits in L and the bounds follow from.
struct SettingAtCentre {
  SettingAudit audit;
  TableMoments moments;
};

SettingAtCentre centre_of_setting(const Instance& instance, const Setting& setting) {
  SettingAtCentre at{SettingAudit{population_figures(instance, setting)},
                     table_moments(population_parameters(instance, setting), instance)};
  at.audit.centre.tables = ratio_limits(at.moments);
  at.audit.finite_tables =
      std::sqrt(at.audit.centre.tables.mean_square.value / real(setting.tables)) / at.audit.trivial;
  return at;
}

void audit_setting(const Instance& instance, const AuditPlan& plan, Index sure_occupancy, Seed seed,
                   SettingAudit& audit) {
  const Setting& setting = audit.setting;
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
}

// Printed, repaired and our bounds beside the true quantile, on draws that all settings share.
void compare_bounds_of(const Instance& instance, const std::vector<SettingAtCentre>& settings, Seed seed,
                       Audit& audit) {
  const AuditPlan& plan = audit.plan;
  std::vector<BoundSetting> bound_settings;
  for (const SettingAtCentre& at : settings) bound_settings.push_back({at.audit.setting, at.audit.centre, at.moments});
  ProgressMeter meter("bounds beside the true quantile", plan.bound_draws);
  const BoundEffort effort{.draws = plan.bound_draws, .fresh_tables = plan.fresh_tables, .delta = plan.bound_delta};
  const std::vector<BoundComparison> compared =
      compare_bounds(instance, bound_settings, seed, effort, [&meter] { meter.advance(); });
  for (std::size_t i = 0; i < compared.size(); ++i) audit.settings[i].compared = compared[i];
}

}  // namespace

std::vector<std::pair<std::string, BoundAudit>> OccupancyReadings::named() const {
  return {{"realised", realised}, {"quantile", quantile}, {"almost-sure", almost_sure}};
}

double SettingAudit::bits_per_token() const {
  return real(setting.tables * setting.planes) + kValueNormBits;
}

Audit run_audit(const AuditPlan& plan, AuditPart part, Seed seed) {
  check(plan);
  const Instance instance = make_instance(plan.family, seed, 0);
  Audit audit{plan, part, instance.query.norm(), {}};
  std::vector<SettingAtCentre> settings;
  ProgressMeter meter("audit: exact centres", plan.planes.size() * plan.temperatures.size());
  for (const Index planes : plan.planes) {
    for (const double temperature : plan.temperatures) {
      const Index samples = plan.samples > 0 ? plan.samples : std::max<Index>(1, plan.family.keys / 10);
      settings.push_back(centre_of_setting(instance, {planes, plan.tables, samples, temperature, plan.scaling}));
      meter.advance();
    }
  }
  for (const SettingAtCentre& at : settings) audit.settings.push_back(at.audit);
  if (part == AuditPart::all) {
    const Index sure = half_space_occupancy_at_least(instance.keys, derive_seed(seed, 1), kAscents);
    for (SettingAudit& at : audit.settings) audit_setting(instance, plan, sure, derive_seed(seed, 2), at);
  }
  if (plan.bound_draws > 0) compare_bounds_of(instance, settings, derive_seed(seed, 3), audit);
  return audit;
}

Index refuted_bounds(const Audit& audit) {
  Index count = 0;
  for (const SettingAudit& at : audit.settings) {
    for (const ComparedBound& bound : at.compared.bounds) count += refuted(bound, audit.plan.bound_delta);
  }
  return count;
}

}  // namespace skt
