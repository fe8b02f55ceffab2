// How far above the errors themselves do the bounds of docs/bounds/ and the paper's lie, and how often are they missed?
//
// Many draws of the tables, each with one draw of the sampling estimator. Beside every bound stand the actual
// (1 - delta)-quantile of what it bounds, with its interval, and the misses. It would be wrong if a bound that is proved
// were missed more often than delta, which `refuted` tells.
//
// All settings share the draws: P planes of a table are the first P of the widest, whose hash is made once.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "estimators/error_terms/exact_terms.hpp"
#include "estimators/error_terms/table_moments.hpp"
#include "proofs_check/bounds/fresh_tables.hpp"
#include "proofs_check/error_curves/judged_terms.hpp"

namespace skt {

// What a bound rests on.
enum class Guarantee {
  proved,     // for any law of independent tables, from numbers that are exact or certified
  estimated,  // a number in it is an estimate: an approximation
  printed     // the paper's, at constants of the instance; with the B of drawn tables a reading that its proof excludes
};
std::string name_of(Guarantee guarantee);

struct ComparedBound {
  Term term = Term::total;
  std::string name{};  // "Theorem 1(b)"
  Guarantee guarantee = Guarantee::proved;
  double quantile = 0;  // of the error, at 1 - delta; of the bias its exact length
  Interval quantile_interval{};
  double radius = 0;  // median over the draws, in the unit of the values; may be infinite
  std::uint64_t misses = 0;
  Interval miss_rate{};  // Clopper-Pearson; empty of the bias, which is not random

  double ratio() const { return radius / quantile; }
};

struct BoundEffort {
  std::uint64_t draws = 200;
  Index fresh_tables = 20'000;  // of Corollary 4(ii), and of the kurtosis of Corollary 3
  double delta = 0.05;          // of each bound; of the total .15 delta for the tables, the rest for the samples
  double error_share = 1e-4;    // that one interval of a quantile or a rate misses
  Index drawn_planes = 0;       // of a table, if more than any setting has
  Index half_space = 0;         // keys in some open half-space (half_space_occupancy_at_least), where known
};

// One setting with its exact centre and moments at y_tau. Tables are the same in all settings.
struct BoundSetting {
  Setting setting;
  Centre centre;
  TableMoments moments;
};

struct BoundComparison {
  Setting setting;
  double occupied_miss = 0;  // E[B_l (1 - p_l)] over the draws
  Index occupancy = 0;       // fullest bucket of the first draw of L tables
  Index sure_occupancy = 0;  // what any B that holds almost surely is at least: half of the keys, the keys in the
                             // half-space, the fullest bucket of all draws
  std::vector<ComparedBound> bounds{};
};

// How far it is; either may be empty.
struct BoundProgress {
  std::function<void()> draw_done{};   // from the thread that did it, after each draw of all settings
  FreshTablesProgress fresh_tables{};  // of each setting
};

// A setting among others comes out as by itself with the planes of the widest drawn. InputError for settings that differ
// in tables, fewer draws than the quantile needs, or a delta outside (0, 1).
std::vector<BoundComparison> compare_bounds(const Instance& instance, const std::vector<BoundSetting>& settings,
                                            Seed seed, const BoundEffort& effort, const BoundProgress& progress = {});

// A proved bound whose misses lie above delta with certainty.
bool refuted(const ComparedBound& bound, double delta);

}  // namespace skt
