#include "experiments/choose/comparison.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/number.hpp"
#include "sim/statistics/moments.hpp"

namespace skt {
namespace {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

double number_of(const KeptOfQuery& kept, Metric metric) {
  if (kept.keys == 0) return kUndefined;
  return metric == Metric::error ? kept.error : metric == Metric::mass ? kept.mass : kept.recall;
}

std::vector<double> numbers_of(const MeasuredRule& rule, std::size_t budgets, std::size_t budget, Metric metric) {
  std::vector<double> numbers;
  for (std::size_t at = budget; at < rule.kept.size(); at += budgets)
    numbers.push_back(number_of(rule.kept[at], metric));
  return numbers;
}

// Linear between order statistics, as numpy.quantile. sorted, not empty.
double quantile(const std::vector<double>& sorted, double share) {
  const double at = share * real(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const double next = sorted[std::min(below + 1, sorted.size() - 1)];
  return sorted[below] + (at - real(below)) * (next - sorted[below]);
}

Spread spread_of(std::vector<double> numbers) {
  std::erase_if(numbers, [](double x) { return std::isnan(x); });
  if (numbers.empty()) return {0, kUndefined, kUndefined, kUndefined, kUndefined, kUndefined};
  Moments moments;
  for (const double x : numbers) moments.add(x);
  std::sort(numbers.begin(), numbers.end());
  return {std::ssize(numbers),    moments.mean(),         std::sqrt(moments.variance()),
          quantile(numbers, 0.1), quantile(numbers, 0.5), quantile(numbers, 0.9)};
}

double mean_keys(const MeasuredRule& rule, std::size_t budgets, std::size_t budget) {
  Moments keys;
  for (std::size_t at = budget; at < rule.kept.size(); at += budgets) keys.add(rule.kept[at].keys);
  return keys.mean();
}

Difference difference_of(const std::vector<double>& first, const std::vector<double>& second, double error) {
  Moments moments;
  for (std::size_t i = 0; i < first.size(); ++i)
    if (!std::isnan(first[i]) && !std::isnan(second[i])) moments.add(first[i] - second[i]);
  Difference difference;
  difference.queries = static_cast<Index>(moments.count());
  difference.mean = kUndefined;
  difference.interval = {kUndefined, kUndefined};
  if (moments.count() > 0) difference.mean = moments.mean();
  if (moments.count() > 1) difference.interval = student(moments, error);
  return difference;
}

std::string shown(double x) {
  return std::isnan(x) ? "-" : fmt::format("{:.3g}", x);
}

std::string whole(double x) {
  return std::isnan(x) ? "-" : fmt::format("{:.0f}", x);
}

const RuleAtBudget* least_error(const Comparison& comparison, std::size_t budget) {
  for (const RuleAtBudget& rule : comparison.rules)  // by mean error
    if (rule.budget == budget && !is_oracle(rule.rule) && !std::isnan(rule.error.mean)) return &rule;
  return nullptr;
}

// Of the error of a pair in either order, as first less second.
Interval error_interval(const Comparison& comparison, std::size_t budget, const std::string& first,
                        const std::string& second) {
  for (const Difference& d : comparison.differences) {
    if (d.budget != budget || d.metric != Metric::error) continue;
    if (d.first == first && d.second == second) return d.interval;
    if (d.first == second && d.second == first) return {-d.interval.hi, -d.interval.lo};
  }
  return {kUndefined, kUndefined};
}

std::string conclusion(const Comparison& comparison, std::size_t budget) {
  const Best best = best_at(comparison, budget);
  if (best.rule.empty()) return "No rule has a defined error at this budget.\n";
  const auto rivals = std::ranges::count_if(comparison.rules, [&](const RuleAtBudget& rule) {
    return rule.budget == budget && !is_oracle(rule.rule) && rule.rule != best.rule;
  });
  const std::string others =
      rivals == 0 ? ""
      : best.not_told_apart.empty()
          ? "; every other ranker loses more"
          : fmt::format("; not told apart from it by these queries: {}", fmt::join(best.not_told_apart, ", "));
  return fmt::format("{} loses least: mean relative error {}{}.{}\n", best.rule, shown(best.error), others,
                     best.error > 1 ? " Above 1, answering 0 is nearer." : "");
}

}  // namespace

const char* name_of(Metric metric) {
  return metric == Metric::error ? "relative_error" : metric == Metric::mass ? "mass" : "recall";
}

Comparison compared(const std::vector<MeasuredRule>& measured, const std::vector<Index>& budgets, double family_error) {
  const std::size_t rules = measured.size(), pairs = rules * (rules - 1) / 2;
  Comparison all{
      budgets, {}, {}, family_error / real(std::max<std::size_t>(1, pairs * budgets.size() * std::size(kMetrics)))};
  if (rules > 0) all.queries = std::ssize(measured[0].kept) / std::ssize(budgets);
  for (std::size_t b = 0; b < budgets.size(); ++b) {
    const auto first = std::ssize(all.rules);
    for (const MeasuredRule& rule : measured) {
      const auto spread = [&](Metric metric) { return spread_of(numbers_of(rule, budgets.size(), b, metric)); };
      all.rules.push_back({rule.rule, b, rule.bits_per_key[b], mean_keys(rule, budgets.size(), b),
                           spread(Metric::error), spread(Metric::mass), spread(Metric::recall)});
    }
    const auto rank = [](const RuleAtBudget& r) {
      return std::isnan(r.error.mean) ? std::numeric_limits<double>::infinity() : r.error.mean;
    };
    std::stable_sort(all.rules.begin() + first, all.rules.end(),
                     [&](const RuleAtBudget& a, const RuleAtBudget& b2) { return rank(a) < rank(b2); });
    for (const Metric metric : kMetrics)
      for (std::size_t i = 0; i < rules; ++i)
        for (std::size_t j = i + 1; j < rules; ++j) {
          Difference difference = difference_of(numbers_of(measured[i], budgets.size(), b, metric),
                                                numbers_of(measured[j], budgets.size(), b, metric), all.interval_error);
          difference.first = measured[i].rule;
          difference.second = measured[j].rule;
          difference.budget = b;
          difference.metric = metric;
          all.differences.push_back(difference);
        }
  }
  return all;
}

Best best_at(const Comparison& comparison, std::size_t budget) {
  const RuleAtBudget* const least = least_error(comparison, budget);
  if (least == nullptr) return {};
  Best best{least->rule, least->error.mean, {}};
  for (const RuleAtBudget& rule : comparison.rules) {
    if (rule.budget != budget || is_oracle(rule.rule) || rule.rule == best.rule || std::isnan(rule.error.mean))
      continue;
    // An interval that is not known tells nothing apart.
    if (!(error_interval(comparison, budget, rule.rule, best.rule).lo > 0)) best.not_told_apart.push_back(rule.rule);
  }
  return best;
}

CsvTable rules_table(const Comparison& comparison) {
  CsvTable table({"budget", "ranker", "bits_per_key", "keys_mean", "metric", "queries", "mean", "deviation",
                  "quantile_10", "median", "quantile_90"});
  for (const RuleAtBudget& rule : comparison.rules)
    for (const auto& [metric, spread] :
         {std::pair{Metric::error, &rule.error}, {Metric::mass, &rule.mass}, {Metric::recall, &rule.recall}})
      table.add({std::int64_t{comparison.budgets[rule.budget]}, rule.rule, rule.bits_per_key, rule.keys,
                 name_of(metric), std::int64_t{spread->queries}, spread->mean, spread->deviation, spread->low,
                 spread->median, spread->high});
  return table;
}

CsvTable differences_table(const Comparison& comparison) {
  CsvTable table({"budget", "metric", "first", "second", "queries", "mean_difference", "low", "high"});
  for (const Difference& d : comparison.differences)
    table.add({std::int64_t{comparison.budgets[d.budget]}, name_of(d.metric), d.first, d.second,
               std::int64_t{d.queries}, d.mean, d.interval.lo, d.interval.hi});
  return table;
}

CsvTable queries_table(const std::vector<MeasuredRule>& measured, const std::vector<Index>& budgets) {
  CsvTable table({"ranker", "query", "budget", "keys", "mass", "recall", "relative_error"});
  for (const MeasuredRule& rule : measured)
    for (std::size_t i = 0; i < rule.kept.size(); ++i) {
      const KeptOfQuery& kept = rule.kept[i];
      table.add({rule.rule, static_cast<std::int64_t>(i / budgets.size()), std::int64_t{budgets[i % budgets.size()]},
                 kept.keys, number_of(kept, Metric::mass), number_of(kept, Metric::recall), kept.error});
    }
  return table;
}

std::string readable(const Comparison& comparison) {
  std::string text;
  for (std::size_t b = 0; b < comparison.budgets.size(); ++b) {
    const RuleAtBudget* const least = least_error(comparison, b);
    text += fmt::format(
        "budget {} keys\n{:<28}{:>9}{:>8}{:>8}{:>8}  {:>30}  {:>20}\n{:<28}{:>9}{:>8}{:>8}{:>8}  {:>10}{:>10}{:>10}  {:>20}\n",
        comparison.budgets[b], "", "bits", "", "", "", "relative error", "error less the best", "ranker", "a key",
        "keys", "mass", "recall", "mean", "median", "90%", "(simultaneous)");
    for (const RuleAtBudget& rule : comparison.rules) {
      if (rule.budget != b) continue;
      std::string beside = "";
      if (least != nullptr && rule.rule != least->rule) {
        const Interval interval = error_interval(comparison, b, rule.rule, least->rule);
        if (!std::isnan(interval.lo)) beside = fmt::format("{:.2g} to {:.2g}", interval.lo, interval.hi);
      }
      text += fmt::format("{:<28}{:>9}{:>8}{:>8}{:>8}  {:>10}{:>10}{:>10}  {:>20}\n", rule.rule,
                          whole(rule.bits_per_key), whole(rule.keys), shown(rule.mass.mean), shown(rule.recall.mean),
                          shown(rule.error.mean), shown(rule.error.median), shown(rule.error.high), beside);
    }
    if (least != nullptr && least->mass.queries < comparison.queries)
      text += fmt::format("{} of {} queries have no key that {} selects: they count in the column keys alone.\n",
                          comparison.queries - least->mass.queries, comparison.queries, least->rule);
    text += conclusion(comparison, b) + (b + 1 < comparison.budgets.size() ? "\n" : "");
  }
  return text;
}

}  // namespace skt
