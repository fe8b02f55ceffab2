// Plans that are measured within a second.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "experiments/ranking/curves.hpp"
#include "experiments/ranking/density_table.hpp"

namespace skt {

inline CurvePlan small_curves() {
  CurvePlan plan;
  plan.setting = "small";
  plan.family.keys = 512;
  plan.family.dim = 32;
  plan.cuts = {8, 64};
  plan.histogram_cut = 64;
  plan.trials = 12;
  return plan;
}

inline DensityPlan small_table(const std::vector<std::string>& names) {
  DensityPlan plan;
  for (const NamedFamily& family : table_families(256, 32)) {
    if (std::find(names.begin(), names.end(), family.name) != names.end()) plan.families.push_back(family);
  }
  plan.hash.tables = 24;
  plan.densities = {0.05, 0.2};
  plan.sizes = {64};
  plan.trials = 6;
  return plan;
}

}  // namespace skt
