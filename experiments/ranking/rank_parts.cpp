#include "experiments/ranking/rank_parts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/parts/work_estimates.hpp"
#include "experiments/ranking/rank_results.hpp"
#include "experiments/ranking/rows.hpp"
#include "experiments/ranking/summary.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

// Of one trial, in microseconds of a core: fitted at 1024 to 8192 keys of 128 dimensions.
double trial_work(const CurvePlan& plan) {
  constexpr double kMetric = 0.06;  // of a metric, for a key
  const double rankers_and_truths = 2 * 5 * real(curve_rankers().size());
  const Index keys = plan.family.keys;
  return tables_work({keys, plan.family.dim, plan.hash.tables, plan.hash.planes}) +
         kMetric * real(keys) * real(plan.cuts.size()) * rankers_and_truths;
}

double trial_work(const DensityPlan& plan, const FamilyParameters& family) {
  constexpr double kSizeOfRankers = 0.4;                                    // for a coordinate
  const double laws = family.family == InstanceFamily::gaussian ? 1.7 : 1;  // predicted at every size
  return laws * kSizeOfRankers * real(family.keys) * real(family.dim) * real(1 + plan.sizes.size());
}

double trial_work(const TemperaturePlan& plan, const FamilyParameters& family) {
  constexpr double kLaw = 9000, kOfKey = 8;  // of one ranker at one setting
  double work = 0;
  for (const Index planes : plan.planes) {
    work += tables_work({family.keys, family.dim, plan.tables, planes}) +
            3 * real(plan.temperatures.size()) * (kLaw + kOfKey * real(family.keys));
  }
  return work;
}

double trial_work(const PredictionSetting& setting) {
  constexpr double kScore = 15000, kOfKey = 8, kOfKeyAndCut = 4;
  const double keys = real(setting.family.keys);
  return tables_work({setting.family.keys, setting.family.dim, setting.hash.tables, setting.hash.planes}) +
         real(setting.scores.size()) * (kScore + keys * (kOfKey + kOfKeyAndCut * real(setting.cuts.size())));
}

// A plan with this family only.
template <class Plan>
Plan only(const Plan& plan, const NamedFamily& family) {
  Plan one = plan;
  one.families = {family};
  return one;
}

// The list in the making. `compute` is given what to call after each trial.
class PartList {
 public:
  explicit PartList(const WorkSeen& seen) : seen_(seen) {}

  template <class Compute>
  void add(const std::string& name, std::uint64_t trials, double of_trial, Compute compute) {
    const double weight = real(trials) * of_trial;
    const auto run = [weight, of_trial, compute, seen = seen_]() -> Json {
      PartWork work(weight, seen);
      return compute([&work, of_trial] { work.add(of_trial); });
    };
    parts_.push_back({name, weight, run});
  }

  std::vector<Part> parts() && { return std::move(parts_); }

 private:
  WorkSeen seen_;
  std::vector<Part> parts_;
};

using TrialDone = std::function<void()>;

// The results one after the other.
class Results {
 public:
  explicit Results(const std::vector<Json>& all) : all_(all) {}
  const Json& next() {
    if (at_ == all_.size()) refuse("{} results of a ranking: allowed are those of all its parts", all_.size());
    return all_[at_++];
  }
  void require_end() const {
    require(at_ == all_.size(), "{} results of a ranking: allowed are those of its {} parts", all_.size(), at_);
  }

 private:
  const std::vector<Json>& all_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<Part> rank_parts(const RankPlan& plan, Seed seed, const WorkSeen& seen, BuildSeconds* build_seconds) {
  check(plan);
  PartList list(seen);
  for (const CurvePlan& curve : plan.curves) {
    list.add("rank curves: " + curve.setting, curve.trials, trial_work(curve),
             [curve, seed](const TrialDone& done) { return to_json(ranking_curves(curve, seed, done)); });
  }
  for (const NamedFamily& family : plan.table.families) {
    const auto compute = [one = only(plan.table, family), seed, build_seconds](const TrialDone& done) {
      const DensityTable table = density_table(one, derive_seed(seed, 1), done);
      if (build_seconds)
        for (const auto& [name, seconds] : table.build_seconds) (*build_seconds)[name].merge(seconds);
      return to_json(table);
    };
    list.add("rank rankers: " + family.name, plan.table.trials, trial_work(plan.table, family.parameters), compute);
  }
  for (const NamedFamily& family : plan.temperatures.families) {
    const auto compute = [one = only(plan.temperatures, family), seed](const TrialDone& done) {
      return to_json(temperature_table(one, derive_seed(seed, 2), done));
    };
    list.add("rank temperatures: " + family.name, plan.temperatures.trials,
             trial_work(plan.temperatures, family.parameters), compute);
  }
  for (std::size_t i = 0; i < plan.prediction.settings.size(); ++i) {
    const PredictionSetting& setting = plan.prediction.settings[i];
    const auto compute = [one = PredictionPlan{{setting}}, seed](const TrialDone& done) {
      return to_json(compare_predictions(one, derive_seed(seed, 3), done).front());
    };
    list.add(fmt::format("rank prediction {}: {}, {} keys", i + 1, setting.name, setting.family.keys), setting.trials,
             trial_work(setting), compute);
  }
  return std::move(list).parts();
}

RankResult assemble_rank(const RankPlan& plan, const std::vector<Json>& results, const BuildSeconds& build_seconds) {
  Results all(results);
  RankResult result;
  if (!plan.curves.empty()) {
    std::vector<RankingCurves> curves;
    for (const CurvePlan& curve : plan.curves) curves.push_back(curves_from(all.next(), curve));
    result.files["ranking_curves.csv"] = curve_table(curves).text();
    result.files["ranking_histogram.csv"] = histogram_table(curves).text();
    result.summary += summary(curves);
  }
  if (!plan.table.families.empty()) {
    DensityTable table{{}, build_seconds};
    for (const NamedFamily& family : plan.table.families) add_rows(all.next(), family, table);
    result.files["rankers.csv"] = ranker_table(table, plan.table).text();
    result.summary += summary(table);
  }
  if (!plan.temperatures.families.empty()) {
    TemperatureTable table;
    for (const NamedFamily& family : plan.temperatures.families) add_rows(all.next(), family, table);
    result.files["ranking_temperatures.csv"] = temperature_rows(table).text();
    result.summary += summary(table);
  }
  if (!plan.prediction.settings.empty()) {
    std::vector<PredictionResult> predictions;
    for (const PredictionSetting& setting : plan.prediction.settings)
      predictions.push_back(prediction_from(all.next(), setting));
    result.files["ranking_prediction.csv"] = prediction_table(predictions).text();
    result.summary += summary(predictions);
  }
  all.require_end();
  return result;
}

}  // namespace skt
