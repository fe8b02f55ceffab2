#include "experiments/choose/search_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>

#include "sim/number.hpp"
#include "sim/statistics/moments.hpp"

namespace skt {
namespace {

constexpr std::size_t kRedrawnSettings = 8;  // the best of many is partly lucky: the next ones are measured again too

Seed seed_of_redraw(const SearchPlan& plan, Index redraw) {
  return derive_seed(plan.seed, static_cast<std::uint64_t>(redraw) + 1);
}

RedrawnSetting redrawn(AttendProblem& problem, const SearchPlan& plan, const SearchedSetting& setting, Index redraws,
                       const std::function<void()>& step) {
  RedrawnSetting result{setting, problem.num_keys()};
  for (Index r = 0; r < redraws; ++r) {
    const SearchPlan one = plan_of(plan, setting, seed_of_redraw(plan, r));
    for (const SearchedSetting& found : search_settings(problem, one, step)) {
      if (found.rule != setting.rule) continue;
      result.least = std::min(result.least, found.budget);
      result.mean += real(found.budget) / real(redraws);
      if (found.budget <= result.most) continue;
      result.most = found.budget;
      result.setting = found;
    }
  }
  return result;
}

// At draws behind those that chose the setting: Theorem 5 needs draws that have not been looked at.
ProvedMean proved(AttendProblem& problem, const SearchPlan& plan, const RedrawnSetting& best, Index redraws,
                  const std::function<void()>& step) {
  std::vector<double> means;
  for (Index r = redraws; r < redraws + ProvedMean::kDraws; ++r)
    means.push_back(mean_at(problem, plan, best.setting, best.most, seed_of_redraw(plan, r), step));
  return {plan.metric == Metric::error ? std::ranges::max(means) : std::ranges::min(means)};
}

bool is_of(const std::vector<SearchedSetting>& settings, const SearchedSetting& one) {
  return std::ranges::any_of(settings, [&](const SearchedSetting& s) {
    return s.rule == one.rule && s.planes == one.planes && s.tables == one.tables && s.temperature == one.temperature;
  });
}

// Is it the one that the line of conclusion names, by its redraws?
bool is_named(const SearchResult& result, const SearchedSetting& one) {
  return !result.redrawn.empty() && is_of({result.redrawn.front().setting}, one);
}

const char* metric_words(const SearchPlan& plan) {
  return plan.metric == Metric::error ? "mean relative error at most" : "mean softmax mass at least";
}

std::string dense_words(const SearchResult& result, double bits_read) {
  return fmt::format("{:.0f} bits a key, where dense attention reads {:.0f}{}", bits_read, result.whole_key,
                     bits_read < result.whole_key ? "" : ": no setting reads less than that");
}

std::string conclusion(const SearchResult& result) {
  const SearchedSetting& best = result.redrawn.empty() ? result.settings.front() : result.redrawn.front().setting;
  std::string text = fmt::format("{} with P = {}, L = {}, tau = {:g} reads least", best.rule, best.planes, best.tables,
                                 best.temperature);
  if (result.redrawn.empty())
    return text + fmt::format(" at this draw of the tables, with {} keys beside sink and window: {}.\n", best.budget,
                              dense_words(result, best.bits_read));
  const RedrawnSetting& again = result.redrawn.front();
  return text +
         fmt::format(
             " at {} other draws of the tables: it takes {} to {} keys beside sink and window. {} keys read {}.\n"
             "Proved for yet another draw, on these queries with {} keys: a {} {:.3g} except with probability {:g} (the "
             "worst of {} fresh draws).\n",
             result.redraws, again.least, again.most, again.most, dense_words(result, best.bits_read), again.most,
             metric_words(result.plan), result.proved.value, ProvedMean::delta, ProvedMean::kDraws);
}

}  // namespace

std::uint64_t search_steps(const AttendProblem& problem, const SearchPlan& plan, Index redraws) {
  const Index searched = problem.key_heads() * std::ssize(searched_queries(problem, plan, 0));
  return static_cast<std::uint64_t>(searched *
                                    (std::ssize(plan.planes) + static_cast<Index>(kRedrawnSettings) * redraws +
                                     (redraws > 0 ? ProvedMean::kDraws : 0)));
}

SearchResult searched(AttendProblem& problem, const SearchPlan& plan, Index redraws,
                      const std::function<void()>& step) {
  SearchResult result{plan,
                      problem.num_keys(),
                      16 * real(problem.dim() + problem.value_dim()),
                      search_settings(problem, plan, step),
                      redraws,
                      {}};
  if (redraws == 0) return result;
  for (std::size_t i = 0; i < std::min(kRedrawnSettings, result.settings.size()); ++i)
    result.redrawn.push_back(redrawn(problem, plan, result.settings[i], redraws, step));
  const auto mean_bits = [&](const RedrawnSetting& s) {
    return s.setting.bits_per_key + s.mean / real(result.keys) * result.whole_key;
  };
  std::ranges::stable_sort(result.redrawn, {}, mean_bits);
  if (!result.redrawn.empty()) result.proved = proved(problem, plan, result.redrawn.front(), redraws, step);
  return result;
}

CsvTable search_table(const SearchResult& result) {
  CsvTable table({"ranker", "planes", "tables", "temperature", "budget", "reached", "bits_per_key", "bits_read_per_key",
                  "on_frontier", "redrawn_keys", "redrawn_proved", "redrawn_delta"});
  const std::vector<SearchedSetting> frontier = frontier_of(result.settings);
  const double none = std::numeric_limits<double>::quiet_NaN();
  for (const SearchedSetting& s : result.settings) {
    const bool named = is_named(result, s);
    table.add({s.rule, std::int64_t{s.planes}, std::int64_t{s.tables}, s.temperature, std::int64_t{s.budget}, s.reached,
               s.bits_per_key, s.bits_read, std::int64_t{is_of(frontier, s)},
               std::int64_t{named ? result.redrawn.front().most : 0}, named ? result.proved.value : none,
               named ? ProvedMean::delta : none});
  }
  return table;
}

std::string readable(const SearchResult& result) {
  const SearchPlan& plan = result.plan;
  const std::string target = fmt::format("{} {:g}", metric_words(plan), plan.target);
  if (result.settings.empty())
    return fmt::format("No setting of the grid reaches a {}, not even with all keys.\n", target);
  std::string text = fmt::format("Fewest keys with a {}, by bits a key\n{:<14}{:>4}{:>6}{:>6}{:>10}{:>10}{:>9}{:>12}\n",
                                 target, "ranker", "P", "L", "tau", "bits/key", "keys", "reached", "bits read");
  const std::vector<SearchedSetting> frontier = frontier_of(result.settings);
  std::vector<SearchedSetting> told;
  std::ranges::copy_if(result.settings, std::back_inserter(told),
                       [&](const SearchedSetting& s) { return is_of(frontier, s) || is_named(result, s); });
  std::ranges::stable_sort(told, {}, &SearchedSetting::bits_per_key);
  for (const SearchedSetting& s : told)
    text += fmt::format("{:<14}{:>4}{:>6}{:>6g}{:>10g}{:>10}{:>9.3g}{:>12.0f}\n", s.rule, s.planes, s.tables,
                        s.temperature, s.bits_per_key, s.budget, s.reached, s.bits_read);
  return text + conclusion(result);
}

}  // namespace skt
