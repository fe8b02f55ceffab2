// Which rule loses least, and which cannot be told apart from it?
//
// Means over queries with their spread, and paired differences of all rules with simultaneous intervals: one probability
// of any interval missing is divided evenly among all pairs, budgets and the three metrics (Bonferroni). Nominal:
// Student's, for queries taken as independent draws. A query whose error is not defined for one of two rules counts for
// neither. Oracles are in the tables and never called the best. With a share for each pair alone, rules that are alike
// would be told apart at some seeds: tests/experiments/choose/comparison_test.cpp.
#pragma once

#include <array>

#include "experiments/choose/choose.hpp"
#include "experiments/files/csv.hpp"
#include "sim/statistics/intervals.hpp"

namespace skt {

struct Metric {
  const char* name;  // in the files
  double KeptOfQuery::* of;
};
inline constexpr std::array<Metric, 3> kMetrics{
    {{"relative_error", &KeptOfQuery::error}, {"mass", &KeptOfQuery::mass}, {"recall", &KeptOfQuery::recall}}};

// Over the queries for which the number is defined.
struct Spread {
  Index queries = 0;
  double mean = KeptOfQuery::kUndefined, deviation = mean;  // of fewer than two queries no deviation
  double low = mean, median = mean, high = mean;            // quantiles: a tenth, a half, nine tenths
};

// first less second.
struct Difference {
  std::string first, second;
  std::size_t metric = 0;
  Index queries = 0;
  double mean = KeptOfQuery::kUndefined;
  Interval interval{mean, mean};  // so for fewer than two queries
};

struct RuleAtBudget {
  std::string rule;
  double bits_per_key = 0, keys = 0;             // keys: mean number selected
  std::array<Spread, kMetrics.size()> spread{};  // [metrics]
  Interval beyond_best = Difference().interval;  // of the error less the best rule's; of that itself none
  const Spread& error() const { return spread[0]; }
};

struct AtBudget {
  Index budget = 0;
  std::vector<RuleAtBudget> rules;  // by mean error
  std::vector<Difference> differences;
  const RuleAtBudget* best() const;  // of least mean error, no oracle; null where none has an error
};

struct Comparison {
  Index queries = 0;
  double interval_error = 0;  // of one interval
  std::vector<AtBudget> at;   // [budgets]
};

Comparison compared(const std::vector<MeasuredRule>& measured, const std::vector<Index>& budgets, double family_error);

CsvTable rules_table(const Comparison& comparison);
CsvTable differences_table(const Comparison& comparison);
CsvTable queries_table(const std::vector<MeasuredRule>& measured, const std::vector<Index>& budgets);

// A table for each budget and its line of conclusion: the best, and those whose error is not told apart from its.
std::string readable(const Comparison& comparison);

}  // namespace skt
