// Dense attention of one query of the caller's arrays, and what selections of its keys keep of that.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "experiments/attend/query.hpp"
#include "sim/trial_loop.hpp"

namespace skt {

// What one query keeps. NaN: not defined, as for a selection without keys.
struct KeptOfQuery {
  static constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();
  double keys = 0;             // selected
  double mass = kUndefined;    // their share of the dense softmax
  double recall = kUndefined;  // share of the true top keys by q.k, as many as selected, that are selected
  double error = kUndefined;   // ||output - dense|| / ||dense||
};

// What every rule is held against.
struct DenseQuery {
  Vector query;  // [dim]
  QueryView view;
  Vector probability;         // [keys], dense softmax
  Vector dense;               // [value_dim]; 0 where the mask allows nothing
  std::vector<Index> place;   // of each key by falling q.k
  std::vector<Index> always;  // sink and window, in index order
};
// Of the rule sink and window.
DenseQuery dense_query(AttendProblem& problem, const Matrix& values, Index query, const SelectionRule& rule);

// ||output - dense|| / ||dense||; NaN without an output or where the dense one is 0.
double relative_error(const DenseQuery& truth, const std::optional<Vector>& output);

// Of the first so many keys of an order, for each of the rising counts, with softmax attention over them: one pass. Recall
// is among as many true top keys.
std::vector<KeptOfQuery> kept_of_first(const DenseQuery& truth, const Matrix& values, const std::vector<Index>& order,
                                       const std::vector<Index>& counts);

// Sink and window, then the budget's best by `scores`, for each of the rising budgets.
std::vector<KeptOfQuery> kept_at_budgets(const DenseQuery& truth, const Matrix& values, const Vector& scores,
                                         SelectionRule rule, const std::vector<Index>& budgets);

// kept(prepare(query)) of each query, on all threads. `prepare` reads the arrays, so that it is called in turn, for a few
// queries at a time: their logits and masks are held.
template <class Prepare, class Keep>
std::vector<std::vector<KeptOfQuery>> kept_of_queries(const std::vector<Index>& queries, const Prepare& prepare,
                                                      const Keep& kept, const std::function<void()>& step) {
  constexpr Index kAtOnce = 32;
  struct Nothing {
    void merge(const Nothing&) {}
  };
  std::vector<std::vector<KeptOfQuery>> all(queries.size());
  for (Index first = 0; first < std::ssize(queries); first += kAtOnce) {
    std::vector<decltype(prepare(first))> prepared;
    for (Index i = first; i < std::min(first + kAtOnce, std::ssize(queries)); ++i)
      prepared.push_back(prepare(queries[i]));
    const auto keep = [&](std::uint32_t i, Nothing&) { all[first + i] = kept(prepared[i]); };
    run_trials(prepared.size(), Nothing{}, keep, 1);
    for (std::size_t i = 0; step && i < prepared.size(); ++i) step();
  }
  return all;
}

}  // namespace skt
