// Which planes, tables, temperature and number of keys reach a wanted error or mass on the caller's arrays, at which cost?
//
// Every setting of the grid is measured on a number of queries: tables nest, so that one pass over the largest L gives every
// smaller one, and one order of the keys gives every budget. Of each setting the fewest keys are kept whose mean over
// queries reaches the target. The queries of a key head are dealt out over several draws of the hyperplanes, since on
// anisotropic keys one draw favours settings that need twice the keys at another. The best of many settings is chosen by
// its own result; the best ones are therefore measured at other draws, and of the one that is then named an error is proved
// for yet another draw (Theorem 5, docs/bounds/redraws.md). A setting that the search ranks wrongly would show in
// tests/experiments/choose: search_test.cpp runs each setting by itself, search_grid_test.py in NumPy.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "experiments/choose/dense_query.hpp"

namespace skt {

struct SearchPlan {
  std::optional<double> target_error, target_mass;  // mean at most, or at least; an error of 0.1 where neither is given
  std::vector<Index> planes{4, 6, 8, 10, 12};
  std::vector<Index> tables{5, 10, 20, 30, 40, 60, 80, 120};  // rising
  std::vector<double> temperatures{0.06, 0.25, 0.5, 1, 2};
  Index queries = 64;  // that are measured at most, evenly spread over each key head; one a key head at least
  Index redraws = 8;   // of the tables, at which the best settings are measured again
  Index draws = 8;     // of the hyperplanes; query i of a key head is measured at draw i mod draws
  Scaling scaling = Scaling::inverse_sqrt_dim;
  Index sink = 0, window = 0;
  Seed seed{1};

  double target() const { return target_mass.value_or(target_error.value_or(0.1)); }
};

struct SearchedSetting {
  std::string rule;  // socket or socket-value
  Index planes = 0, tables = 0;
  double temperature = 0;
  double bits_per_key = 0;  // read for scoring
  Index budget = 0;         // fewest keys on top of sink and window
  double reached = 0;       // mean of the metric over queries there
  // All that a query reads, a key: bits_per_key and 16 (dim + value_dim) bits of each selected key.
  double bits_read = 0;
  bool on_frontier = false;  // no other setting has as few bits a key and fewer keys, or the other way round
};

// A setting at other draws of the tables: the fewest keys that reach the target, over the draws.
struct RedrawnSetting {
  std::size_t at = 0;       // its number in the list of settings
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
  double whole_key = 0;                   // bits that dense attention reads of a key and its value
  std::vector<SearchedSetting> settings;  // that reach the target, by bits read
  std::vector<RedrawnSetting> redrawn{};  // the first few of them, by what they read with the mean of the fewest keys
  ProvedMean proved{};                    // of the first of `redrawn`, with its most keys
};

// The queries of one key head that a search measures, rising.
std::vector<Index> searched_queries(const AttendProblem& problem, const SearchPlan& plan, Index key_head);

// Those that reach the target, by bits read; empty if none does.
std::vector<SearchedSetting> search_settings(AttendProblem& problem, const SearchPlan& plan,
                                             const std::function<void()>& step = {});
void mark_frontier(std::vector<SearchedSetting>& settings);

// Calls `step` search_steps times, or less often where no setting reaches the target.
SearchResult searched(AttendProblem& problem, const SearchPlan& plan, const std::function<void()>& step = {});
std::uint64_t search_steps(const AttendProblem& problem, const SearchPlan& plan);

}  // namespace skt
