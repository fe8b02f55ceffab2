#include "experiments/ranking/rank.hpp"

#include "experiments/ranking/rows.hpp"

namespace skt {

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
  return {curve_plans(setting), table};
}

RankPlan short_rank_plan(Profile profile) {
  RankPlan plan = rank_plan(profile);
  if (profile == Profile::standard) {
    for (CurvePlan& curve : plan.curves) curve.trials = 16;
    plan.table.trials = 6;
  }
  return plan;
}

RankResult run_rank(const RankPlan& plan, Seed seed) {
  const bool tabulated = !plan.table.families.empty();
  for (const CurvePlan& setting : plan.curves) check(setting);
  if (tabulated) check(plan.table);
  RankResult result;
  std::vector<RankingCurves> curves;
  for (const CurvePlan& setting : plan.curves) {
    curves.push_back(ranking_curves(setting, seed));
    result.readable += readable(curves.back());
  }
  if (!curves.empty()) {
    result.files["ranking_curves.csv"] = curve_table(curves).text();
    result.files["ranking_histogram.csv"] = histogram_table(curves).text();
  }
  if (tabulated) {
    const DensityTable table = density_table(plan.table, derive_seed(seed, 1));
    result.files["rankers.csv"] = ranker_table(table).text();
    result.readable += readable(table);
  }
  return result;
}

}  // namespace skt
