// What does a search say: its settings, their frontier, and how many keys the best ones take at other draws of the tables?
#pragma once

#include "experiments/choose/search.hpp"

namespace skt {

// A setting at other draws of the tables: the fewest keys that reach the target, over the draws.
struct RedrawnSetting {
  SearchedSetting setting;  // with `most` keys, and what it reads then
  Index least = 0, most = 0;
  double mean = 0;
};

struct SearchResult {
  SearchPlan plan;
  Index keys = 0;
  double whole_key = 0;                   // bits that dense attention reads of a key and its value
  std::vector<SearchedSetting> settings;  // that reach the target, by bits read
  Index redraws = 0;
  std::vector<RedrawnSetting>
      redrawn;  // the first few of the settings, by what they read with the mean of the fewest keys
};

std::uint64_t search_steps(const AttendProblem& problem, const SearchPlan& plan, Index redraws);
SearchResult searched(AttendProblem& problem, const SearchPlan& plan, Index redraws,
                      const std::function<void()>& step = {});

CsvTable search_table(const SearchResult& result);

// The frontier and one line: the setting that reads least.
std::string readable(const SearchResult& result);

}  // namespace skt
