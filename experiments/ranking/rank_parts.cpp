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

using TrialDone = std::function<void()>;

}  // namespace

std::vector<Part> rank_parts(const RankPlan& plan, Seed seed, const WorkSeen& seen, BuildSeconds* build_seconds) {
  check(plan);
  std::vector<Part> parts;
  // `compute` is given what to call after each trial.
  const auto add = [&](const std::string& name, std::uint64_t trials, double of_trial, auto compute) {
    parts.push_back(part_of(name, real(trials) * of_trial, seen, [compute, of_trial](PartWork& work) {
      return compute([&work, of_trial] { work.add(of_trial); });
    }));
  };
  for (const CurvePlan& curve : plan.curves) {
    add("rank curves: " + curve.setting, curve.trials, trial_work(curve),
        [curve, seed](const TrialDone& done) { return to_json(ranking_curves(curve, seed, done)); });
  }
  for (const NamedFamily& family : plan.table.families) {
    const auto compute = [one = only(plan.table, family), seed, build_seconds](const TrialDone& done) {
      const DensityTable table = density_table(one, derive_seed(seed, 1), done);
      if (build_seconds)
        for (const auto& [name, seconds] : table.build_seconds) (*build_seconds)[name].merge(seconds);
      return to_json(table.rows);
    };
    add("rank rankers: " + family.name, plan.table.trials, trial_work(plan.table, family.parameters), compute);
  }
  for (const NamedFamily& family : plan.temperatures.families) {
    const auto compute = [one = only(plan.temperatures, family), seed](const TrialDone& done) {
      return to_json(temperature_table(one, derive_seed(seed, 2), done).rows);
    };
    add("rank temperatures: " + family.name, plan.temperatures.trials, trial_work(plan.temperatures, family.parameters),
        compute);
  }
  for (std::size_t i = 0; i < plan.prediction.settings.size(); ++i) {
    const PredictionSetting& setting = plan.prediction.settings[i];
    const auto compute = [one = PredictionPlan{{setting}}, seed](const TrialDone& done) {
      return to_json(compare_predictions(one, derive_seed(seed, 3), done).front().rows);
    };
    add(fmt::format("rank prediction {}: {}, {} keys", i + 1, setting.name, setting.family.keys), setting.trials,
        trial_work(setting), compute);
  }
  return parts;
}

RankResult assemble_rank(const RankPlan& plan, const std::vector<Json>& results, const BuildSeconds& build_seconds) {
  const std::size_t parts = plan.curves.size() + plan.table.families.size() + plan.temperatures.families.size() +
                            plan.prediction.settings.size();
  require(results.size() == parts, "{} results of a ranking: allowed are those of its {} parts", results.size(), parts);
  auto next = results.begin();
  RankResult result;
  if (!plan.curves.empty()) {
    std::vector<RankingCurves> curves;
    for (const CurvePlan& curve : plan.curves) curves.push_back(curves_from(*next++, curve));
    result.files["ranking_curves.csv"] = curve_table(curves).text();
    result.files["ranking_histogram.csv"] = histogram_table(curves).text();
    result.summary += summary(curves);
  }
  if (!plan.table.families.empty()) {
    DensityTable table{{}, build_seconds};
    for (const NamedFamily& family : plan.table.families) add_rows(*next++, family, table);
    result.files["rankers.csv"] = ranker_table(table, plan.table).text();
    result.summary += summary(table);
  }
  if (!plan.temperatures.families.empty()) {
    TemperatureTable table;
    for (const NamedFamily& family : plan.temperatures.families) add_rows(*next++, family, table);
    result.files["ranking_temperatures.csv"] = temperature_rows(table).text();
    result.summary += summary(table);
  }
  if (!plan.prediction.settings.empty()) {
    std::vector<PredictionResult> predictions;
    for (const PredictionSetting& setting : plan.prediction.settings)
      predictions.push_back(prediction_from(*next++, setting));
    result.files["ranking_prediction.csv"] = prediction_table(predictions).text();
    result.summary += summary(predictions);
  }
  return result;
}

}  // namespace skt
