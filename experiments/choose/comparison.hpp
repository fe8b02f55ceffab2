// Which rule loses least, and which cannot be told apart from it?
//
// Means over queries with their spread, and paired differences of all rules with simultaneous intervals: one probability
// of any interval missing is divided evenly among all pairs, budgets and the three metrics (Bonferroni). Nominal:
// Student's, for queries taken as independent draws. A query whose error is not defined for one of two rules counts for
// neither. Oracles are in the tables and never called the best. With a share for each pair alone, rules that are alike
// would be told apart at some seeds: tests/experiments/choose/comparison_test.cpp.
#pragma once

#include "experiments/choose/choose.hpp"
#include "experiments/files/csv.hpp"
#include "sim/statistics/intervals.hpp"

namespace skt {

enum class Metric { error, mass, recall };
inline constexpr Metric kMetrics[] = {Metric::error, Metric::mass, Metric::recall};
const char* name_of(Metric metric);

// Over the queries for which the number is defined.
struct Spread {
  Index queries = 0;
  double mean = 0, deviation = 0;        // sample standard deviation; NaN for fewer than two queries
  double low = 0, median = 0, high = 0;  // quantiles: a tenth, a half, nine tenths
};

struct RuleAtBudget {
  std::string rule;
  std::size_t budget = 0;             // its number in the plan
  double bits_per_key = 0, keys = 0;  // keys: mean number selected
  Spread error, mass, recall;
};

// first less second.
struct Difference {
  std::string first, second;
  std::size_t budget = 0;
  Metric metric = Metric::error;
  Index queries = 0;
  double mean = 0;
  Interval interval;  // NaN for fewer than two queries
};

struct Comparison {
  std::vector<Index> budgets;
  std::vector<RuleAtBudget> rules;  // by budget, then by mean error
  std::vector<Difference> differences;
  double interval_error = 0;  // of one interval
  Index queries = 0;
};

Comparison compared(const std::vector<MeasuredRule>& measured, const std::vector<Index>& budgets, double family_error);

// At one budget: the rule that is no oracle and loses least, and those whose error is not told apart from its.
struct Best {
  std::string rule;  // empty where no rule has an error
  double error = 0;
  std::vector<std::string> not_told_apart;
};
Best best_at(const Comparison& comparison, std::size_t budget);

CsvTable rules_table(const Comparison& comparison);
CsvTable differences_table(const Comparison& comparison);
CsvTable queries_table(const std::vector<MeasuredRule>& measured, const std::vector<Index>& budgets);

// A table for each budget and its line of conclusion.
std::string readable(const Comparison& comparison);

}  // namespace skt
