#include "experiments/choose/search_rows.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/number.hpp"
#include "sim/statistics/moments.hpp"

namespace skt {
namespace {

// Mean over the queries at another draw of the tables.
double measured_again(AttendProblem& problem, const SearchPlan& plan, const SearchedSetting& setting, Seed seed,
                      const std::function<void()>& step) {
  ChooseInput input{problem, std::nullopt, {}};
  ChoosePlan one{{setting.rule}, {setting.budget}, plan.sink, plan.window, {}, seed};
  one.hash = {setting.tables, setting.planes, {setting.temperature, plan.scaling}, 1};
  Moments mean;
  for (const KeptOfQuery& kept : measure_rules(input, one, step).front().kept) {
    const double number = plan.metric == Metric::error ? kept.error : kept.mass;
    if (number == number) mean.add(number);
  }
  return mean.mean();
}

bool is_of(const std::vector<SearchedSetting>& settings, const SearchedSetting& one) {
  return std::ranges::any_of(settings, [&](const SearchedSetting& s) {
    return s.rule == one.rule && s.planes == one.planes && s.tables == one.tables && s.temperature == one.temperature;
  });
}

const char* metric_words(const SearchPlan& plan) {
  return plan.metric == Metric::error ? "mean relative error at most" : "mean softmax mass at least";
}

std::string again_line(const SearchResult& result) {
  if (result.again.empty()) return "";
  const auto [least, most] = std::ranges::minmax(result.again);
  Moments mean;
  for (const double x : result.again) mean.add(x);
  const auto reaches = std::ranges::count_if(result.again, [&](double x) {
    return result.plan.metric == Metric::error ? x <= result.plan.target : x >= result.plan.target;
  });
  return fmt::format("At {} other draws of the tables: mean {:.3g}, {:.3g} to {:.3g}; {} of them reach the target.\n",
                     result.again.size(), mean.mean(), least, most, reaches);
}

}  // namespace

std::uint64_t search_steps(const AttendProblem& problem, const SearchPlan& plan, Index redraws) {
  const Index searched = problem.key_heads() * std::ssize(searched_queries(problem, plan, 0));
  return static_cast<std::uint64_t>(searched * std::ssize(plan.planes) + problem.num_queries() * redraws);
}

SearchResult searched(AttendProblem& problem, const SearchPlan& plan, Index redraws,
                      const std::function<void()>& step) {
  SearchResult result{plan,
                      problem.num_keys(),
                      16 * real(problem.dim() + problem.value_dim()),
                      search_settings(problem, plan, step),
                      {}};
  if (result.settings.empty()) return result;
  for (Index r = 0; r < redraws; ++r)
    result.again.push_back(measured_again(problem, plan, result.settings.front(),
                                          derive_seed(plan.seed, static_cast<std::uint64_t>(r) + 1), step));
  return result;
}

CsvTable search_table(const SearchResult& result) {
  CsvTable table({"ranker", "planes", "tables", "temperature", "budget", "reached", "bits_per_key", "bits_read_per_key",
                  "on_frontier"});
  const std::vector<SearchedSetting> frontier = frontier_of(result.settings);
  for (const SearchedSetting& s : result.settings)
    table.add({s.rule, std::int64_t{s.planes}, std::int64_t{s.tables}, s.temperature, std::int64_t{s.budget}, s.reached,
               s.bits_per_key, s.bits_read, std::int64_t{is_of(frontier, s)}});
  return table;
}

std::string readable(const SearchResult& result) {
  const SearchPlan& plan = result.plan;
  const std::string target = fmt::format("{} {:g}", metric_words(plan), plan.target);
  if (result.settings.empty())
    return fmt::format("No setting of the grid reaches a {}, not even with all keys.\n", target);
  std::string text = fmt::format("Fewest keys with a {}, by bits a key\n{:<14}{:>4}{:>6}{:>6}{:>10}{:>10}{:>9}{:>12}\n",
                                 target, "ranker", "P", "L", "tau", "bits/key", "keys", "reached", "bits read");
  for (const SearchedSetting& s : frontier_of(result.settings))
    text += fmt::format("{:<14}{:>4}{:>6}{:>6g}{:>10g}{:>10}{:>9.3g}{:>12.0f}\n", s.rule, s.planes, s.tables,
                        s.temperature, s.bits_per_key, s.budget, s.reached, s.bits_read);
  const SearchedSetting& best = result.settings.front();
  text += fmt::format(
      "{} with P = {}, L = {}, tau = {:g} and {} keys beside sink and window reads least: {:.0f} bits a key, where dense "
      "attention reads {:.0f}.\n",
      best.rule, best.planes, best.tables, best.temperature, best.budget, best.bits_read, result.whole_key);
  return text + again_line(result);
}

}  // namespace skt
