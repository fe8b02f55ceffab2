#include "experiments/error_curves/audit_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "estimators/error_terms/ratio_limits.hpp"
#include "estimators/error_terms/table_moments.hpp"
#include "estimators/occupancy.hpp"
#include "experiments/families/family_word.hpp"
#include "experiments/parts/work_estimates.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

constexpr std::uint64_t kDrawsOfT = 8;  // on each draw of the tables

// In the order of the parts: planes outermost.
std::vector<Setting> settings_of(const AuditPlan& plan) {
  std::vector<Setting> settings;
  const Index samples = plan.samples > 0 ? plan.samples : std::max<Index>(1, plan.family.keys / 10);
  for (const Index planes : plan.planes)
    for (const double temperature : plan.temperatures)
      settings.push_back({planes, plan.tables, samples, temperature, plan.scaling});
  return settings;
}

Index widest_of(const AuditPlan& plan) {
  return *std::max_element(plan.planes.begin(), plan.planes.end());
}

// The estimated time of each stage of a setting.
struct SettingWork {
  double pairs, thresholds, trial, fresh_table, bound_draw;

  SettingWork(const AuditPlan& plan, const Setting& s) {
    constexpr double kThresholds = 350;  // a key: some two hundred populations, measured at 4096 keys
    const Index keys = plan.family.keys, value_dim = plan.family.value_dim.value_or(plan.family.dim);
    const HashedSize tables{keys, plan.family.dim, s.tables, s.planes};
    HashedSize widest = tables, one = tables;
    widest.planes = widest_of(plan);
    one.tables = 1;
    pairs = pairs_work(keys);
    thresholds = kThresholds * real(keys);
    trial =
        2 * tables_work(tables) + values_work(keys, value_dim) + real(kDrawsOfT) * samples_work(s.samples, value_dim);
    fresh_table = tables_work(one) + sums_work(keys, value_dim, 1);
    bound_draw = hash_work(widest) + 3 * scores_work(tables) + sums_work(keys, value_dim, s.tables);
  }

  double total(const AuditPlan& plan, AuditPart part) const {
    const double all = part == AuditPart::all ? thresholds + real(plan.trials) * trial : 0;
    const double bounds =
        plan.bound_draws > 0 ? real(plan.fresh_tables) * fresh_table + real(plan.bound_draws) * bound_draw : 0;
    return pairs + all + bounds;
  }
};

// Of the instances and settings that asked so far: the pairs of keys take most of the time where draws are few.
class SharedMoments {
 public:
  const TableMoments& of(const Instance& instance, const Setting& s, const PairBlocksDone& done) {
    const auto same = [&](const Known& known) {
      return known.planes == s.planes && known.temperature == s.temperature && known.scaling == s.scaling &&
             equal(known.instance.query, instance.query) && equal(known.instance.keys, instance.keys) &&
             equal(known.instance.values, instance.values);
    };
    const auto found = std::ranges::find_if(known_, same);
    if (found != known_.end()) return found->moments;
    known_.push_back({instance, s.planes, s.temperature, s.scaling,
                      table_moments(population_parameters(instance, s), instance, done)});
    return known_.back().moments;
  }

 private:
  struct Known {
    Instance instance;
    Index planes;
    double temperature;
    Scaling scaling;
    TableMoments moments;
  };
  static bool equal(const auto& a, const auto& b) { return a.rows() == b.rows() && a.cols() == b.cols() && a == b; }
  std::deque<Known> known_;  // whose references stay
};

// What the settings of a plan share, made when the first of them asks.
class SharedInstance {
 public:
  SharedInstance(const AuditPlan& plan, Seed seed, std::shared_ptr<SharedMoments> moments)
      : plan_(plan), seed_(seed), moments_(std::move(moments)) {}

  const AuditPlan& plan() const { return plan_; }
  Seed seed() const { return seed_; }

  const Instance& instance() {
    if (!instance_) instance_ = make_instance(plan_.family, seed_, 0);
    return *instance_;
  }

  const TableMoments& moments(const Setting& setting, const PairBlocksDone& done) {
    return moments_->of(instance(), setting, done);
  }

  // Keys that some half-space holds at least, hence some bucket with positive probability.
  Index half_space() {
    if (!half_space_) half_space_ = half_space_occupancy_at_least(instance().keys, derive_seed(seed_, 1));
    return *half_space_;
  }

 private:
  AuditPlan plan_;
  Seed seed_;
  std::shared_ptr<SharedMoments> moments_;
  std::optional<Instance> instance_;
  std::optional<Index> half_space_;
};

// Of the first so many of the drawn tables.
Index fullest_of(const TableStatistics& drawn, Index tables) {
  return std::llround(*std::max_element(drawn.occupancy.begin(), drawn.occupancy.begin() + tables));
}

// Figures and exact centre from the limits in L.
SettingAudit at_centre(const Instance& instance, const Setting& setting, const RatioLimits& limits) {
  SettingAudit audit{population_figures(instance, setting)};
  audit.centre.tables = limits;
  audit.finite_tables = std::sqrt(limits.mean_square.value / real(setting.tables)) / audit.trivial;
  return audit;
}

// Thresholds, measured errors and the bound under the readings of the occupancy.
void audit_setting(SharedInstance& shared, const SettingWork& of, PartWork& work, SettingAudit& audit) {
  const Instance& instance = shared.instance();
  const AuditPlan& plan = shared.plan();
  const Setting& setting = audit.setting;
  const Seed seed = derive_seed(shared.seed(), 2);
  audit.needs = error_thresholds(instance, audit, plan.target);
  audit.measured =
      measure_terms(instance, setting, audit.centre, seed, {plan.trials, kDrawsOfT}, [&] { work.add(of.trial); });
  audit.tables = table_statistics(instance, setting, seed, plan.trials);
  const auto bound_at = [&](Index occupancy) {
    return audit_bound(instance, setting, audit.centre, occupancy, plan.delta);
  };
  const Index ever_drawn = fullest_of(audit.tables, std::ssize(audit.tables.occupancy));
  audit.bounds = {bound_at(fullest_of(audit.tables, setting.tables)),
                  bound_at(quantile_occupancy(audit.tables.occupancy, setting.tables, plan.delta / 2)),
                  bound_at(std::max(ever_drawn, shared.half_space()))};
  work.add(of.thresholds);
}

// Printed, repaired and our bounds beside the true quantile, on draws that all settings share.
BoundComparison compared(SharedInstance& shared, const BoundSetting& setting, const SettingWork& of, PartWork& work) {
  const AuditPlan& plan = shared.plan();
  const BoundEffort effort{.draws = plan.bound_draws,
                           .fresh_tables = plan.fresh_tables,
                           .delta = plan.bound_delta,
                           .drawn_planes = widest_of(plan),
                           .half_space = shared.half_space()};
  Index fresh_before = 0;
  const BoundProgress progress{.draw_done = [&] { work.add(of.bound_draw); },
                               .fresh_tables =
                                   [&](Index done, Index) {
                                     work.add(real(done - fresh_before) * of.fresh_table);
                                     fresh_before = done;
                                   }};
  return compare_bounds(shared.instance(), {setting}, derive_seed(shared.seed(), 3), effort, progress).front();
}

Json run_setting(SharedInstance& shared, const Setting& setting, AuditPart part, PartWork& work) {
  const Instance& instance = shared.instance();
  const AuditPlan& plan = shared.plan();
  const SettingWork of(plan, setting);
  if (part == AuditPart::all) require_target_in_reach(instance, population_figures(instance, setting), plan.target);
  const TableMoments& moments = shared.moments(setting, [&](Index blocks) { work.add(real(blocks) * kPairBlockWork); });
  SettingAudit audit = at_centre(instance, setting, ratio_limits(moments));
  if (part == AuditPart::all) audit_setting(shared, of, work, audit);
  if (plan.bound_draws > 0) audit.compared = compared(shared, {setting, audit.centre, moments}, of, work);
  return json_of_setting(audit);
}

std::vector<Part> parts_of(const AuditPlan& plan, AuditPart part, Seed seed, const WorkSeen& seen,
                           const std::shared_ptr<SharedMoments>& moments) {
  check(plan, part);
  const auto shared = std::make_shared<SharedInstance>(plan, seed, moments);
  std::vector<Part> parts;
  for (const Setting& setting : settings_of(plan)) {
    const std::string name = fmt::format("audit of {}, {} tables of {} planes, tau {}", name_of(plan.family),
                                         setting.tables, setting.planes, setting.temperature);
    parts.push_back(part_of(name, SettingWork(plan, setting).total(plan, part), seen,
                            [=](PartWork& work) { return run_setting(*shared, setting, part, work); }));
  }
  return parts;
}

}  // namespace

std::vector<std::vector<Part>> audit_parts(const std::vector<AuditPlan>& plans, AuditPart part, Seed seed,
                                           const WorkSeen& seen) {
  const auto moments = std::make_shared<SharedMoments>();
  std::vector<std::vector<Part>> parts;
  for (const AuditPlan& plan : plans) parts.push_back(parts_of(plan, part, seed, seen, moments));
  return parts;
}

std::vector<Part> audit_parts(const AuditPlan& plan, AuditPart part, Seed seed, const WorkSeen& seen) {
  return audit_parts(std::vector{plan}, part, seed, seen).front();
}

Audit assemble_audit(const AuditPlan& plan, AuditPart part, Seed seed, const std::vector<Json>& results) {
  const std::vector<Setting> settings = settings_of(plan);
  require(settings.size() == results.size(), "{} results of an audit: allowed are those of its {} settings",
          results.size(), settings.size());
  const Instance instance = make_instance(plan.family, seed, 0);
  Audit audit{plan, part, instance.query.norm(), {}};
  for (std::size_t i = 0; i < settings.size(); ++i) {
    SettingAudit at = at_centre(instance, settings[i], limits_of_setting(results[i]));
    read_setting(results[i], at);
    audit.settings.push_back(std::move(at));
  }
  return audit;
}

}  // namespace skt
