// What does a ranking run compute, and for how long?
#pragma once

#include <map>
#include <string>
#include <vector>

#include "experiments/ranking/curves.hpp"
#include "experiments/ranking/density_table.hpp"
#include "experiments/ranking/prediction.hpp"
#include "experiments/ranking/temperatures.hpp"
#include "proofs_check/context.hpp"

namespace skt {

struct RankPlan {
  std::vector<CurvePlan> curves;  // Figure 2 in the given setting and in those where its ordering may break
  DensityPlan table;              // every ranker by family, density and memory
  TemperaturePlan temperatures;   // SOCKET by temperature and query norm, against equal bits
  PredictionPlan prediction;      // what is expected of a selection before tables are drawn, against drawn ones
};

// The paper's setting at the size and with the trials of the profile: N = 4096, d = 128, L = 60, P = 8, tau = 0.5 from
// standard on. Beside it Figure 2 with one plane, without the divisor sqrt(d), and at P = 12, tau = 0.3 (Table 6).
RankPlan rank_plan(Profile profile);

// The curves of a setting: the setting itself and its three variants.
std::vector<CurvePlan> curve_plans(const CurvePlan& setting);

// The temperatures of Table 6 at the size of a setting, on the families of the table; with a k that all of them have.
TemperaturePlan temperature_plan(const CurvePlan& setting, std::vector<NamedFamily> families);

// Predictions in the settings of Figure 2, and of five families at the keys of the setting (P = 8, tau = 0.5, a tenth of
// the keys; P = 10, tau = 0.3, a 33rd) and at eight times as many, there with a quarter of the trials.
PredictionPlan prediction_plan(const CurvePlan& setting, std::uint64_t trials);

// The same for the report of the main job: fewer instances, temperatures on Gaussian keys only and predictions at the
// first size and budget only, so that it stays a small part of its time.
RankPlan short_rank_plan(Profile profile);

struct RankResult {
  std::string summary;  // some dozens of lines for each part that was asked for
  // ranking_curves.csv, ranking_histogram.csv, rankers.csv, ranking_temperatures.csv and ranking_prediction.csv
  std::map<std::string, std::string> files;
};

// InputError for a plan out of range. A part without curves, families or settings is left out.
void check(const RankPlan& plan);

// InputError, before anything is computed, for a plan that fails the check.
RankResult run_rank(const RankPlan& plan, Seed seed);

}  // namespace skt
