// What does a search say: its settings, their frontier, and the best one at other draws of the tables?
#pragma once

#include "experiments/choose/search.hpp"

namespace skt {

struct SearchResult {
  SearchPlan plan;
  Index keys = 0;
  double whole_key = 0;                   // bits that dense attention reads of a key and its value
  std::vector<SearchedSetting> settings;  // that reach the target, by bits read
  std::vector<double> again;              // mean of the metric of the first setting at other draws
};

std::uint64_t search_steps(const AttendProblem& problem, const SearchPlan& plan, Index redraws);
SearchResult searched(AttendProblem& problem, const SearchPlan& plan, Index redraws,
                      const std::function<void()>& step = {});

CsvTable search_table(const SearchResult& result);

// The frontier and one line: the setting that reads least.
std::string readable(const SearchResult& result);

}  // namespace skt
