// Which planes, tables, temperature and number of keys reach a wanted error or mass on the caller's arrays, at which cost?
//
// Every setting of the grid is measured on a number of queries: tables nest, so that one pass over the largest L gives every
// smaller one, and one order of the keys gives every budget. Of each setting the fewest keys are kept whose mean over
// queries reaches the target. The queries of a key head are dealt out over several draws of the hyperplanes, since on
// anisotropic keys one draw favours settings that need twice the keys at another. The best of many settings is chosen by
// its own result; search_rows.hpp therefore measures the best ones at other draws. A setting that the search ranks wrongly
// would show in tests/experiments/choose: search_test.cpp runs each setting by itself, search_grid_test.py in NumPy.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "experiments/choose/comparison.hpp"

namespace skt {

struct SearchPlan {
  Metric metric = Metric::error;  // error: mean at most the target; mass: mean at least the target
  double target = 0.1;            // in (0, 1)
  std::vector<Index> planes{4, 6, 8, 10, 12};
  std::vector<Index> tables{5, 10, 20, 30, 40, 60, 80, 120};  // rising
  std::vector<double> temperatures{0.06, 0.25, 0.5, 1, 2};
  Scaling scaling = Scaling::inverse_sqrt_dim;
  Index queries = 64;  // that are measured at most, evenly spread over each key head; one a key head at least
  Index draws = 8;     // of the hyperplanes; query i of a key head is measured at draw i mod draws
  Index sink = 0, window = 0;
  Seed seed{1};
};

struct SearchedSetting {
  std::string rule;  // socket or socket-value
  Index planes = 0, tables = 0;
  double temperature = 0;
  Index budget = 0;         // fewest keys on top of sink and window
  double reached = 0;       // mean of the metric over queries there
  double bits_per_key = 0;  // read for scoring
  // All that a query reads, a key: bits_per_key and 16 (dim + value_dim) bits of each selected key.
  double bits_read = 0;
};

// The queries of one key head that a search measures, rising.
std::vector<Index> searched_queries(const AttendProblem& problem, const SearchPlan& plan, Index key_head);

// The plan of one setting at one draw of the tables.
SearchPlan plan_of(SearchPlan plan, const SearchedSetting& setting, Seed seed);

// Mean of the metric over the queries with `budget` keys at that draw.
double mean_at(AttendProblem& problem, const SearchPlan& plan, const SearchedSetting& setting, Index budget, Seed seed,
               const std::function<void()>& step = {});

// Those that reach the target, by bits read; empty if none does.
std::vector<SearchedSetting> search_settings(AttendProblem& problem, const SearchPlan& plan,
                                             const std::function<void()>& step = {});

// Fewer bits a key than every setting that selects as few keys or fewer: by rising bits a key.
std::vector<SearchedSetting> frontier_of(const std::vector<SearchedSetting>& settings);

}  // namespace skt
