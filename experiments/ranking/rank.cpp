#include "experiments/ranking/rank.hpp"

#include <algorithm>
#include <utility>

#include "experiments/ranking/rank_parts.hpp"

namespace skt {
namespace {

constexpr PredictedScore kCompared[] = {PredictedScore::soft, PredictedScore::soft_times_norm, PredictedScore::hard};
constexpr InstanceFamily kPredicted[] = {InstanceFamily::gaussian, InstanceFamily::needle, InstanceFamily::clustered,
                                         InstanceFamily::clustered_values, InstanceFamily::anisotropic};

Index share_of(Index keys, Index divisor) {
  return std::max<Index>(1, keys / divisor);
}

// Without repeats, in order, none above the keys.
std::vector<Index> cuts_within(std::vector<Index> cuts, Index keys) {
  std::erase_if(cuts, [&](Index cut) { return cut > keys; });
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  return cuts;
}

PredictionSetting of_family(InstanceFamily family, Index keys, const CurvePlan& setting, Index planes,
                            double temperature) {
  PredictionSetting predicted;
  predicted.name = name_of(family);
  predicted.family = setting.family;
  predicted.family.family = family;
  predicted.family.keys = keys;
  predicted.hash = setting.hash;
  predicted.hash.planes = planes;
  predicted.hash.socket.temperature = temperature;
  predicted.scores.assign(std::begin(kCompared), std::end(kCompared));
  return predicted;
}

// What the fields of a setting say of the table: nothing is compared on no family.
bool is_asked(const DensityPlan& plan) {
  return !plan.families.empty();
}
bool is_asked(const TemperaturePlan& plan) {
  return !plan.families.empty();
}
}  // namespace

std::vector<CurvePlan> curve_plans(const CurvePlan& setting) {
  CurvePlan one_plane = setting, undivided = setting, many_planes = setting;
  one_plane.setting = "one plane";
  one_plane.hash.planes = 1;
  one_plane.hash.top = 1;  // with one plane two buckets are all there are
  undivided.setting = "no 1/sqrt(d)";
  undivided.hash.socket.scaling = Scaling::none;
  many_planes.setting = "P=12, tau=0.3";
  many_planes.hash.planes = 12;
  many_planes.hash.socket.temperature = 0.3;
  return {setting, one_plane, undivided, many_planes};
}

TemperaturePlan temperature_plan(const CurvePlan& setting, std::vector<NamedFamily> families) {
  TemperaturePlan plan;
  Index keys = setting.family.keys;
  for (const NamedFamily& family : families) keys = std::min(keys, family.parameters.keys);
  plan.families = std::move(families);
  plan.tables = setting.hash.tables;
  plan.scaling = setting.hash.socket.scaling;
  plan.cuts = cuts_within({16, 64, 256, std::max<Index>(1, (keys + 5) / 10)}, keys);
  plan.trials = setting.trials;
  return plan;
}

PredictionPlan prediction_plan(const CurvePlan& setting, std::uint64_t trials) {
  PredictionPlan plan;
  for (const CurvePlan& curve : curve_plans(setting)) {
    plan.settings.push_back(
        {curve.setting, curve.family, curve.hash, curve.cuts, {PredictedScore::soft, PredictedScore::hard}, trials});
  }
  const Index keys = setting.family.keys, many = 8 * keys;
  for (const InstanceFamily family : kPredicted) {
    PredictionSetting tenth = of_family(family, keys, setting, 8, 0.5);
    tenth.cuts = {share_of(keys, 10)};
    PredictionSetting few = of_family(family, keys, setting, 10, 0.3);
    few.cuts = cuts_within({16, 64, share_of(keys, 33)}, keys);
    PredictionSetting large = of_family(family, many, setting, 10, 0.3);
    large.cuts = {share_of(many, 33)};
    tenth.trials = few.trials = trials;
    large.trials = std::max<std::uint64_t>(2, trials / 4);
    plan.settings.insert(plan.settings.end(), {tenth, few, large});
  }
  return plan;
}

RankPlan rank_plan(Profile profile) {
  CurvePlan setting;
  setting.setting = "as set";
  DensityPlan table;
  Index keys = 4096, dim = 128;
  if (profile == Profile::smoke) {
    keys = 512;
    dim = 32;
    setting.cuts = {16, 64, 256};
    setting.histogram_cut = 64;
    setting.trials = table.trials = 4;
    setting.hash.tables = 20;
    table.densities = {0.05, 0.1, 0.2};
    table.sizes = {64, 128};
  }
  if (profile == Profile::deep) {
    setting.trials = table.trials = 100;
    table.sizes.push_back(1024);
  }
  setting.family.keys = keys;
  setting.family.dim = dim;
  table.hash = setting.hash;
  table.families = table_families(keys, dim);
  TemperaturePlan temperatures = temperature_plan(setting, table.families);
  temperatures.trials = table.trials;
  return {curve_plans(setting), table, temperatures, prediction_plan(setting, setting.trials)};
}

RankPlan short_rank_plan(Profile profile) {
  RankPlan plan = rank_plan(profile);
  std::erase_if(plan.temperatures.families,
                [](const NamedFamily& family) { return family.parameters.family != InstanceFamily::gaussian; });
  const PredictionSetting& first = plan.prediction.settings.front();
  const Index keys = first.family.keys, tenth = share_of(keys, 10);
  std::erase_if(plan.prediction.settings, [&](const PredictionSetting& setting) {
    return setting.scores.size() == std::size(kCompared) && setting.cuts != std::vector<Index>{tenth};
  });
  if (profile == Profile::standard) {
    for (CurvePlan& curve : plan.curves) curve.trials = 16;
    plan.table.trials = plan.temperatures.trials = 6;
    for (PredictionSetting& setting : plan.prediction.settings) setting.trials = 8;
  }
  return plan;
}

void check(const RankPlan& plan) {
  for (const CurvePlan& setting : plan.curves) check(setting);
  if (is_asked(plan.table)) check(plan.table);
  if (is_asked(plan.temperatures)) check(plan.temperatures);
  check(plan.prediction);
}

RankResult run_rank(const RankPlan& plan, Seed seed) {
  return assemble_rank(plan, run_in_order(rank_parts(plan, seed)));
}

}  // namespace skt
