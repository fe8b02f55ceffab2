#include "experiments/choose/comparison.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/number.hpp"
#include "sim/statistics/moments.hpp"
#include "sim/statistics/quantiles.hpp"

namespace skt {
namespace {

// Of one rule at one budget, by query.
std::vector<double> numbers_of(const MeasuredRule& rule, std::size_t budget, double KeptOfQuery::* of) {
  std::vector<double> numbers;
  for (std::size_t at = budget; at < rule.kept.size(); at += rule.bits_per_key.size())
    numbers.push_back(rule.kept[at].*of);
  return numbers;
}

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

Difference difference_of(const MeasuredRule& first, const MeasuredRule& second, std::size_t budget, std::size_t metric,
                         double interval_error) {
  std::vector<double> differences = numbers_of(first, budget, kMetrics[metric].of);
  const std::vector<double> subtracted = numbers_of(second, budget, kMetrics[metric].of);
  for (std::size_t i = 0; i < differences.size(); ++i) differences[i] -= subtracted[i];
  const Moments moments = moments_of(differences);
  Difference difference{first.rule, second.rule, metric, static_cast<Index>(moments.count())};
  if (moments.count() > 0) difference.mean = moments.mean();
  if (moments.count() > 1) difference.interval = student(moments, interval_error);
  return difference;
}

AtBudget at_budget(const std::vector<MeasuredRule>& measured, std::size_t b, Index budget, double interval_error) {
  AtBudget at{budget, {}, {}};
  for (const MeasuredRule& rule : measured) {
    RuleAtBudget one{rule.rule, rule.bits_per_key[b], moments_of(numbers_of(rule, b, &KeptOfQuery::keys)).mean()};
    for (std::size_t m = 0; m < kMetrics.size(); ++m) one.spread[m] = spread_of(numbers_of(rule, b, kMetrics[m].of));
    at.rules.push_back(one);
  }
  std::ranges::stable_sort(at.rules, {}, [](const RuleAtBudget& r) {
    return std::isnan(r.error().mean) ? std::numeric_limits<double>::infinity() : r.error().mean;
  });
  for (std::size_t m = 0; m < kMetrics.size(); ++m)
    for (auto first = measured.begin(); first != measured.end(); ++first)
      for (auto second = first + 1; second != measured.end(); ++second)
        at.differences.push_back(difference_of(*first, *second, b, m, interval_error));
  const RuleAtBudget* const best = at.best();
  const auto of = [&](const RuleAtBudget& rule) { return std::ranges::find(measured, rule.rule, &MeasuredRule::rule); };
  for (RuleAtBudget& rule : at.rules)
    if (best != nullptr && &rule != best)
      rule.beyond_best = difference_of(*of(rule), *of(*best), b, 0, interval_error).interval;
  return at;
}

std::string shown(double x) {
  return std::isnan(x) ? "-" : fmt::format("{:.3g}", x);
}

std::string whole(double x) {
  return std::isnan(x) ? "-" : fmt::format("{:.0f}", x);
}

std::string conclusion(const AtBudget& at) {
  const RuleAtBudget* const best = at.best();
  if (best == nullptr) return "No rule has a defined error at this budget.\n";
  std::vector<std::string> alike;
  bool alone = true;
  for (const RuleAtBudget& rule : at.rules) {
    if (&rule == best || is_oracle(rule.rule)) continue;
    alone = false;
    // An interval that is not known tells nothing apart.
    if (!std::isnan(rule.error().mean) && !(rule.beyond_best.lo > 0)) alike.push_back(rule.rule);
  }
  const std::string others = alone ? ""
                             : alike.empty()
                                 ? "; every other ranker loses more"
                                 : fmt::format("; not told apart from it by these queries: {}", fmt::join(alike, ", "));
  return fmt::format("{} loses least: mean relative error {}{}.{}\n", best->rule, shown(best->error().mean), others,
                     best->error().mean > 1 ? " Above 1, answering 0 is nearer." : "");
}

std::string readable(const AtBudget& at, Index queries) {
  std::string text = fmt::format(
      "budget {} keys\n{:<28}{:>9}{:>8}{:>8}{:>8}  {:>30}  {:>20}\n{:<28}{:>9}{:>8}{:>8}{:>8}  {:>10}{:>10}{:>10}  {:>20}\n",
      at.budget, "", "bits", "", "", "", "relative error", "error less the best", "ranker", "a key", "keys", "mass",
      "recall", "mean", "median", "90%", "(simultaneous)");
  for (const RuleAtBudget& rule : at.rules) {
    const auto& [error, mass, recall] = rule.spread;
    const Interval& beyond = rule.beyond_best;
    text += fmt::format("{:<28}{:>9}{:>8}{:>8}{:>8}  {:>10}{:>10}{:>10}  {:>20}\n", rule.rule, whole(rule.bits_per_key),
                        whole(rule.keys), shown(mass.mean), shown(recall.mean), shown(error.mean), shown(error.median),
                        shown(error.high),
                        std::isnan(beyond.lo) ? "" : fmt::format("{:.2g} to {:.2g}", beyond.lo, beyond.hi));
  }
  const RuleAtBudget* const best = at.best();
  if (best != nullptr && best->spread[1].queries < queries)
    text += fmt::format("{} of {} queries have no key that {} selects: they count in the column keys alone.\n",
                        queries - best->spread[1].queries, queries, best->rule);
  return text + conclusion(at);
}

}  // namespace

const RuleAtBudget* AtBudget::best() const {
  const auto found = std::ranges::find_if(
      rules, [](const RuleAtBudget& rule) { return !is_oracle(rule.rule) && !std::isnan(rule.error().mean); });
  return found == rules.end() ? nullptr : &*found;
}

Comparison compared(const std::vector<MeasuredRule>& measured, const std::vector<Index>& budgets, double family_error) {
  const std::size_t intervals = measured.size() * (measured.size() - 1) / 2 * budgets.size() * kMetrics.size();
  Comparison all{std::ssize(measured.front().kept) / std::ssize(budgets),
                 family_error / real(std::max<std::size_t>(1, intervals)),
                 {}};
  for (std::size_t b = 0; b < budgets.size(); ++b)
    all.at.push_back(at_budget(measured, b, budgets[b], all.interval_error));
  return all;
}

CsvTable rules_table(const Comparison& comparison) {
  CsvTable table({"budget", "ranker", "bits_per_key", "keys_mean", "metric", "queries", "mean", "deviation",
                  "quantile_10", "median", "quantile_90"});
  for (const AtBudget& at : comparison.at)
    for (const RuleAtBudget& rule : at.rules)
      for (std::size_t m = 0; m < kMetrics.size(); ++m) {
        const Spread& spread = rule.spread[m];
        table.add({std::int64_t{at.budget}, rule.rule, rule.bits_per_key, rule.keys, kMetrics[m].name,
                   std::int64_t{spread.queries}, spread.mean, spread.deviation, spread.low, spread.median,
                   spread.high});
      }
  return table;
}

CsvTable differences_table(const Comparison& comparison) {
  CsvTable table({"budget", "metric", "first", "second", "queries", "mean_difference", "low", "high"});
  for (const AtBudget& at : comparison.at)
    for (const Difference& d : at.differences)
      table.add({std::int64_t{at.budget}, kMetrics[d.metric].name, d.first, d.second, std::int64_t{d.queries}, d.mean,
                 d.interval.lo, d.interval.hi});
  return table;
}

CsvTable queries_table(const std::vector<MeasuredRule>& measured, const std::vector<Index>& budgets) {
  CsvTable table({"ranker", "query", "budget", "keys", "mass", "recall", "relative_error"});
  for (const MeasuredRule& rule : measured)
    for (std::size_t i = 0; i < rule.kept.size(); ++i) {
      const KeptOfQuery& kept = rule.kept[i];
      table.add({rule.rule, static_cast<std::int64_t>(i / budgets.size()), std::int64_t{budgets[i % budgets.size()]},
                 kept.keys, kept.mass, kept.recall, kept.error});
    }
  return table;
}

std::string readable(const Comparison& comparison) {
  std::vector<std::string> texts;
  for (const AtBudget& at : comparison.at) texts.push_back(readable(at, comparison.queries));
  return fmt::format("{}", fmt::join(texts, "\n"));
}

}  // namespace skt
