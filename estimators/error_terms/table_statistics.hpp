// What does one draw of L tables make of the keys: how many never meet the query, how many scores differ, how full are
// the buckets?
//
// A wrong count would show against the exact mean of keys_never_hit (population_figures.hpp) and against scores whose
// effective number is worked out by hand.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "estimators/error_terms/exact_terms.hpp"
#include "sim/randomness.hpp"
#include "sim/statistics/moments.hpp"

namespace skt {

// Means over draws of L tables.
struct TableStatistics {
  Moments keys_never_hit;         // share of the keys with no hard collision
  Moments distinct_scores;        // effective number of soft scores in bfloat16
  Moments distinct_hard_counts;   // the same of the hard counts
  std::vector<double> occupancy;  // the fullest bucket of every table drawn, trial by trial
  void merge(const TableStatistics& later);
};

TableStatistics table_statistics(const Instance& instance, const Setting& setting, Seed seed, std::uint64_t trials);

// 1/sum of squared shares of equal values: n for n values equally often. Values are equal where their keys are.
double effective_number(const Vector& values, const std::function<std::uint32_t(double)>& key);

// The number as bfloat16 holds it: eight significant bits, to nearest, ties to even.
std::uint32_t as_bfloat16(double number);

// What no fullest bucket of `tables` tables exceeds with probability 1 - delta, from those of tables drawn alike.
Index quantile_occupancy(const std::vector<double>& fullest, Index tables, double delta);

}  // namespace skt
