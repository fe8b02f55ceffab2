// What does a ranking run compute, and for how long?
#pragma once

#include <map>
#include <string>
#include <vector>

#include "experiments/ranking/curves.hpp"
#include "experiments/ranking/density_table.hpp"
#include "proofs_check/context.hpp"

namespace skt {

struct RankPlan {
  std::vector<CurvePlan> curves;  // Figure 2 in the given setting and in those where its ordering may break
  DensityPlan table;              // every ranker by family, density and memory
};

// The paper's setting at the size and with the trials of the profile: N = 4096, d = 128, L = 60, P = 8, tau = 0.5 from
// standard on. Beside it Figure 2 with one plane, without the divisor sqrt(d), and at P = 12, tau = 0.3 (Table 6).
RankPlan rank_plan(Profile profile);

// The curves of a setting: the setting itself and its three variants.
std::vector<CurvePlan> curve_plans(const CurvePlan& setting);

// The same for the report of the main job: fewer instances, so that it stays a small part of its time.
RankPlan short_rank_plan(Profile profile);

struct RankResult {
  std::string readable;
  std::map<std::string, std::string> files;  // ranking_curves.csv, ranking_histogram.csv and rankers.csv, with contents
};

// A part without curves or families is left out. InputError, before anything is computed, for a plan out of range.
RankResult run_rank(const RankPlan& plan, Seed seed);

}  // namespace skt
