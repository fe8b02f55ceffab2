// What does a search say: its settings, their frontier, how many keys the best ones take at other draws of the tables, and
// which error of the one that is named is proved for yet another draw (Theorem 5, docs/bounds/redraws.md)?
#pragma once

#include "experiments/choose/search.hpp"

namespace skt {

// A setting at other draws of the tables: the fewest keys that reach the target, over the draws.
struct RedrawnSetting {
  SearchedSetting setting;  // with `most` keys, and what it reads then
  Index least = 0, most = 0;
  double mean = 0;
};

// Of the mean over the queries, at a draw of the tables that is not looked at: above this error, or below this mass, with
// probability at most `delta`. The worst of so many fresh draws, which no choice has seen.
struct ProvedMean {
  static constexpr Index kDraws = 19;
  static constexpr double delta = 1.0 / (kDraws + 1);
  double value = 0;
};

struct SearchResult {
  SearchPlan plan;
  Index keys = 0;
  double whole_key = 0;                   // bits that dense attention reads of a key and its value
  std::vector<SearchedSetting> settings;  // that reach the target, by bits read
  Index redraws = 0;
  std::vector<RedrawnSetting>
      redrawn;          // the first few of the settings, by what they read with the mean of the fewest keys
  ProvedMean proved{};  // of the first of `redrawn`, with its most keys
};

std::uint64_t search_steps(const AttendProblem& problem, const SearchPlan& plan, Index redraws);
SearchResult searched(AttendProblem& problem, const SearchPlan& plan, Index redraws,
                      const std::function<void()>& step = {});

CsvTable search_table(const SearchResult& result);

// The frontier and one line: the setting that reads least.
std::string readable(const SearchResult& result);

}  // namespace skt
