// Small plans of the long commands, and what is asked of the parts of each.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "experiments/error_curves/audit_parts.hpp"
#include "experiments/error_curves/sweep_parts.hpp"
#include "experiments/ranking/rank_parts.hpp"
#include "tests/catch.hpp"

namespace skt {

inline AuditPlan audit_of_60_keys() {
  AuditPlan plan;
  plan.family.keys = 60;
  plan.family.dim = 8;
  plan.planes = {4, 2};
  plan.temperatures = {0.3, 0.7};
  plan.tables = 12;
  plan.trials = 3;
  plan.bound_draws = 100;
  plan.fresh_tables = 60;
  return plan;
}

inline SweepPlan sweep_of_40_keys(Axis axis, std::vector<double> values) {
  SweepPlan plan;
  plan.family.keys = 40;
  plan.family.dim = 8;
  plan.setting = {.planes = 3, .tables = 16, .samples = 12, .budget = 6};
  plan.axis = axis;
  plan.values = std::move(values);
  plan.effort = {20, 2};
  return plan;
}

// Two of everything.
inline RankPlan rank_of_64_keys() {
  RankPlan plan = rank_plan(Profile::smoke);
  plan.curves.resize(2);
  for (CurvePlan& curve : plan.curves) {
    curve.family.keys = 64;
    curve.cuts = {4, 16};
    curve.histogram_cut = 8;
    curve.trials = 3;
  }
  plan.table.families = plan.temperatures.families = table_families(64, 8);
  plan.table.families.resize(2);
  plan.temperatures.families.resize(2);
  plan.table.trials = plan.temperatures.trials = 2;
  plan.table.densities = {0.1};
  plan.table.sizes = {};
  plan.temperatures.planes = {3};
  plan.temperatures.cuts = {4};
  plan.prediction.settings.resize(2);
  for (PredictionSetting& setting : plan.prediction.settings) {
    setting.family.keys = 64;
    setting.cuts = {4, 16};
    setting.trials = 2;
  }
  return plan;
}

// The parts run last first, each through the text of a line.
inline std::vector<Json> run_backwards(const std::vector<Part>& parts) {
  std::vector<Json> results(parts.size());
  for (std::size_t i = parts.size(); i-- > 0;) results[i] = Json::parse(parts[i].run().dump());
  return results;
}

// Has each part a name of its own, and does it tell the work of its weight? `made`: the parts, by who listens; their
// number is given back.
template <class Made>
std::size_t check_names_and_work(Made&& made) {
  std::uint64_t told = 0;
  const std::vector<Part> parts = made([&](std::uint64_t work) {
#pragma omp atomic
    told += work;
  });
  std::set<std::string> names;
  for (const Part& part : parts) {
    names.insert(part.name);
    CHECK(part.weight > 0);
    told = 0;
    part.run();
    CHECK(told == whole_work(part.weight));
  }
  CHECK(names.size() == parts.size());
  return parts.size();
}

}  // namespace skt
