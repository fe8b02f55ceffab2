// Which rule loses least, and which cannot be told apart from it?
//
// Means over queries with their spread, and paired differences of all rules with simultaneous intervals: one probability
// of any interval missing is divided evenly among all pairs, budgets and the three metrics (Bonferroni). Nominal:
// Student's, for queries taken as independent draws. A query whose error is not defined for one of two rules counts for
// neither. Oracles are in the tables and never called the best. A wrong interval, or a share for each pair alone, would
// show in python/tests/choose_test.py.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>

#include "experiments/choose/choose.hpp"
#include "sim/number.hpp"
#include "sim/statistics/moments.hpp"
#include "sim/statistics/quantiles.hpp"

namespace skt {
namespace {

struct Metric {
  const char* name;  // in the files
  double KeptOfQuery::* of;
};
enum : std::size_t { kError, kMass, kRecall, kMetricCount };
constexpr std::array<Metric, kMetricCount> kMetrics{
    {{"relative_error", &KeptOfQuery::error}, {"mass", &KeptOfQuery::mass}, {"recall", &KeptOfQuery::recall}}};

// Over the queries for which the number is defined.
struct Spread {
  std::int64_t queries = 0;
  double mean = KeptOfQuery::kUndefined, deviation = mean;  // of fewer than two queries no deviation
  double low = mean, median = mean, high = mean;            // quantiles: a tenth, a half, nine tenths
};

// Of one number of queries less another.
struct Difference {
  std::int64_t queries = 0;
  double mean = KeptOfQuery::kUndefined;
  Interval interval{mean, mean};  // so for fewer than two queries
};

struct RuleAtBudget {
  std::string rule;
  double bits_per_key, keys;                                // keys: mean number selected
  std::array<std::vector<double>, kMetricCount> numbers{};  // [metrics, queries]
  std::array<Spread, kMetricCount> spread{};
  double error() const { return spread[kError].mean; }
};

Moments moments_of(const std::vector<double>& numbers) {
  Moments moments;
  for (const double x : numbers)
    if (!std::isnan(x)) moments.add(x);
  return moments;
}

Spread spread_of(std::vector<double> numbers) {
  std::erase_if(numbers, [](double x) { return std::isnan(x); });
  if (numbers.empty()) return {};
  const Moments moments = moments_of(numbers);
  return {std::ssize(numbers),           moments.mean(),
          std::sqrt(moments.variance()), sample_quantile(numbers, 0.1),
          sample_quantile(numbers, 0.5), sample_quantile(numbers, 0.9)};
}

Difference difference_of(std::vector<double> numbers, const std::vector<double>& less, double interval_error) {
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] -= less[i];
  const Moments moments = moments_of(numbers);
  Difference difference{static_cast<std::int64_t>(moments.count())};
  if (moments.count() > 0) difference.mean = moments.mean();
  if (moments.count() > 1) difference.interval = student(moments, interval_error);
  return difference;
}

// In the order of the plan.
std::vector<RuleAtBudget> rules_at(const MeasuredRules& measured, const ChoosePlan& plan, std::size_t budget) {
  std::vector<RuleAtBudget> rules;
  for (std::size_t r = 0; r < plan.rules.size(); ++r) {
    const auto numbers_of = [&](double KeptOfQuery::* of) {
      std::vector<double> numbers;
      for (const auto& of_query : measured.kept) numbers.push_back(of_query[r * plan.budgets.size() + budget].*of);
      return numbers;
    };
    RuleAtBudget& rule = rules.emplace_back(plan.rules[r], measured.bits_per_key[r][budget],
                                            moments_of(numbers_of(&KeptOfQuery::keys)).mean());
    for (std::size_t m = 0; m < kMetricCount; ++m)
      rule.spread[m] = spread_of(rule.numbers[m] = numbers_of(kMetrics[m].of));
  }
  return rules;
}

std::string shown(double x) {
  return std::isnan(x) ? "-" : fmt::format("{:.3g}", x);
}

std::string whole(double x) {
  return std::isnan(x) ? "-" : fmt::format("{:.0f}", x);
}

// Of rules by rising error.
std::string readable(const std::vector<RuleAtBudget>& rules, Index budget, double interval_error) {
  std::string text = fmt::format(
      "budget {} keys\n{:<28}{:>9}{:>8}{:>8}{:>8}  {:>30}  {:>20}\n{:<28}{:>9}{:>8}{:>8}{:>8}  {:>10}{:>10}{:>10}  {:>20}\n",
      budget, "", "bits", "", "", "", "relative error", "error less the best", "ranker", "a key", "keys", "mass",
      "recall", "mean", "median", "90%", "(simultaneous)");
  const auto best = std::ranges::find_if(
      rules, [](const RuleAtBudget& rule) { return !is_oracle(rule.rule) && !std::isnan(rule.error()); });
  std::vector<std::string> alike;
  bool alone = true;
  for (const RuleAtBudget& rule : rules) {
    const auto& [error, mass, recall] = rule.spread;
    const bool other = best != rules.end() && &rule != &*best;
    const Interval beyond = other ? difference_of(rule.numbers[kError], best->numbers[kError], interval_error).interval
                                  : Difference().interval;
    text += fmt::format("{:<28}{:>9}{:>8}{:>8}{:>8}  {:>10}{:>10}{:>10}  {:>20}\n", rule.rule, whole(rule.bits_per_key),
                        whole(rule.keys), shown(mass.mean), shown(recall.mean), shown(error.mean), shown(error.median),
                        shown(error.high),
                        std::isnan(beyond.lo) ? "" : fmt::format("{:.2g} to {:.2g}", beyond.lo, beyond.hi));
    if (!other || is_oracle(rule.rule)) continue;
    alone = false;
    // An interval that is not known tells nothing apart.
    if (!std::isnan(error.mean) && !(beyond.lo > 0)) alike.push_back(rule.rule);
  }
  if (best == rules.end()) return text + "No rule has a defined error at this budget.\n";
  const std::int64_t queries = std::ssize(best->numbers[kMass]), without = queries - best->spread[kMass].queries;
  if (without > 0)
    text += fmt::format("{} of {} queries have no key that {} selects: they count in the column keys alone.\n", without,
                        queries, best->rule);
  const std::string others = alone ? ""
                             : alike.empty()
                                 ? "; every other ranker loses more"
                                 : fmt::format("; not told apart from it by these queries: {}", fmt::join(alike, ", "));
  return text + fmt::format("{} loses least: mean relative error {}{}.{}\n", best->rule, shown(best->error()), others,
                            best->error() > 1 ? " Above 1, answering 0 is nearer." : "");
}

CsvTable queries_table(const MeasuredRules& measured, const ChoosePlan& plan) {
  CsvTable table({"ranker", "query", "budget", "keys", "mass", "recall", "relative_error"});
  for (std::size_t r = 0; r < plan.rules.size(); ++r)
    for (Index query = 0; query < std::ssize(measured.kept); ++query)
      for (std::size_t b = 0; b < plan.budgets.size(); ++b) {
        const KeptOfQuery& kept = measured.kept[query][r * plan.budgets.size() + b];
        table.add({plan.rules[r], query, plan.budgets[b], kept.keys, kept.mass, kept.recall, kept.error});
      }
  return table;
}

}  // namespace

Chosen compared(const MeasuredRules& measured, const ChoosePlan& plan, double family_error) {
  const std::size_t rules = plan.rules.size(), intervals = rules * (rules - 1) / 2 * plan.budgets.size() * kMetricCount;
  const double interval_error = family_error / real(std::max<std::size_t>(1, intervals));
  CsvTable spreads({"budget", "ranker", "bits_per_key", "keys_mean", "metric", "queries", "mean", "deviation",
                    "quantile_10", "median", "quantile_90"});
  CsvTable differences({"budget", "metric", "first", "second", "queries", "mean_difference", "low", "high"});
  std::vector<std::string> texts;
  for (std::size_t b = 0; b < plan.budgets.size(); ++b) {
    const Index budget = plan.budgets[b];
    std::vector<RuleAtBudget> at = rules_at(measured, plan, b);
    for (std::size_t m = 0; m < kMetricCount; ++m)
      for (auto first = at.begin(); first != at.end(); ++first)
        for (auto second = first + 1; second != at.end(); ++second) {
          const Difference d = difference_of(first->numbers[m], second->numbers[m], interval_error);
          differences.add(
              {budget, kMetrics[m].name, first->rule, second->rule, d.queries, d.mean, d.interval.lo, d.interval.hi});
        }
    std::ranges::stable_sort(at, {}, [](const RuleAtBudget& rule) {
      return std::isnan(rule.error()) ? std::numeric_limits<double>::infinity() : rule.error();
    });
    for (const RuleAtBudget& rule : at)
      for (std::size_t m = 0; m < kMetricCount; ++m) {
        const Spread& s = rule.spread[m];
        spreads.add({budget, rule.rule, rule.bits_per_key, rule.keys, kMetrics[m].name, s.queries, s.mean, s.deviation,
                     s.low, s.median, s.high});
      }
    texts.push_back(readable(at, budget, interval_error));
  }
  return {
      fmt::format("{}", fmt::join(texts, "\n")),
      {{"choose", spreads}, {"choose_differences", differences}, {"choose_queries", queries_table(measured, plan)}}};
}

}  // namespace skt
