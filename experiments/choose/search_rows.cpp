#include "experiments/choose/search_rows.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace skt {
namespace {

// Is it the one that the line of conclusion names, by its redraws?
bool is_named(const SearchResult& result, const SearchedSetting& one) {
  return !result.redrawn.empty() && &one == &result.settings[result.redrawn.front().at];
}

const char* metric_words(const SearchPlan& plan) {
  return plan.target_mass ? "mean softmax mass at least" : "mean relative error at most";
}

std::string dense_words(const SearchResult& result, double bits_read) {
  return fmt::format("{:.0f} bits a key, where dense attention reads {:.0f}{}", bits_read, result.whole_key,
                     bits_read < result.whole_key ? "" : ": no setting reads less than that");
}

std::string conclusion(const SearchResult& result) {
  const SearchedSetting& best = result.redrawn.empty() ? result.settings.front() : result.redrawn.front().setting;
  const std::string text = fmt::format("{} with P = {}, L = {}, tau = {:g} reads least", best.rule, best.planes,
                                       best.tables, best.temperature);
  if (result.redrawn.empty())
    return text + fmt::format(" at this draw of the tables, with {} keys beside sink and window: {}.\n", best.budget,
                              dense_words(result, best.bits_read));
  const RedrawnSetting& again = result.redrawn.front();
  return text +
         fmt::format(
             " at {} other draws of the tables: it takes {} to {} keys beside sink and window. {} keys read {}.\n"
             "Proved for yet another draw, on these queries with {} keys: a {} {:.3g} except with probability {:g} (the "
             "worst of {} fresh draws).\n",
             result.plan.redraws, again.least, again.most, again.most, dense_words(result, best.bits_read), again.most,
             metric_words(result.plan), result.proved.value, ProvedMean::delta, ProvedMean::kDraws);
}

}  // namespace

CsvTable search_table(const SearchResult& result) {
  CsvTable table({"ranker", "planes", "tables", "temperature", "budget", "reached", "bits_per_key", "bits_read_per_key",
                  "on_frontier", "redrawn_keys", "redrawn_proved", "redrawn_delta"});
  for (const SearchedSetting& s : result.settings) {
    const bool named = is_named(result, s);
    table.add({s.rule, std::int64_t{s.planes}, std::int64_t{s.tables}, s.temperature, std::int64_t{s.budget}, s.reached,
               s.bits_per_key, s.bits_read, std::int64_t{s.on_frontier},
               std::int64_t{named ? result.redrawn.front().most : 0},
               named ? result.proved.value : KeptOfQuery::kUndefined,
               named ? ProvedMean::delta : KeptOfQuery::kUndefined});
  }
  return table;
}

std::string readable(const SearchResult& result) {
  const std::string target = fmt::format("{} {:g}", metric_words(result.plan), result.plan.target());
  if (result.settings.empty())
    return fmt::format("No setting of the grid reaches a {}, not even with all keys.\n", target);
  std::string text = fmt::format("Fewest keys with a {}, by bits a key\n{:<14}{:>4}{:>6}{:>6}{:>10}{:>10}{:>9}{:>12}\n",
                                 target, "ranker", "P", "L", "tau", "bits/key", "keys", "reached", "bits read");
  std::vector<SearchedSetting> told;
  for (const SearchedSetting& s : result.settings)
    if (s.on_frontier || is_named(result, s)) told.push_back(s);
  std::ranges::stable_sort(told, {}, &SearchedSetting::bits_per_key);
  for (const SearchedSetting& s : told)
    text += fmt::format("{:<14}{:>4}{:>6}{:>6g}{:>10g}{:>10}{:>9.3g}{:>12.0f}\n", s.rule, s.planes, s.tables,
                        s.temperature, s.bits_per_key, s.budget, s.reached, s.bits_read);
  return text + conclusion(result);
}

}  // namespace skt
