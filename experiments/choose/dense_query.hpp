// Dense attention of one query of the caller's arrays, and what selections of its keys keep of that.
#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "experiments/attend/query.hpp"

namespace skt {

// What one query keeps. NaN: not defined, as for a selection without keys.
struct KeptOfQuery {
  static constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();
  double keys = 0;             // selected
  double mass = kUndefined;    // their share of the dense softmax
  double recall = kUndefined;  // share of the true top keys by q.k, as many as selected, that are selected
  double error = kUndefined;   // ||output - dense|| / ||dense||
};

inline constexpr Index kQueriesAtOnce = 32;  // whose logits and masks are held

// What every rule is held against.
struct DenseQuery {
  Vector query;  // [dim]
  QueryView view;
  Vector probability;         // [keys], dense softmax
  Vector dense;               // [value_dim]; 0 where the mask allows nothing
  std::vector<Index> place;   // of each key by falling q.k
  std::vector<Index> always;  // sink and window, in index order
};
DenseQuery dense_query(AttendProblem& problem, const Matrix& values, Index query, Index sink, Index window);

// ||output - dense|| / ||dense||; NaN without an output or where the dense one is 0.
double relative_error(const DenseQuery& truth, const std::optional<Vector>& output);

// With softmax attention over these keys; recall is among as many true top keys.
KeptOfQuery kept_of(const DenseQuery& truth, const Matrix& values, const std::vector<Index>& selected);

// Sink and window, then the budget's best by `scores`, for each of the rising budgets: one pass.
std::vector<KeptOfQuery> kept_at_budgets(const DenseQuery& truth, const Matrix& values, const Vector& scores,
                                         SelectionRule rule, const std::vector<Index>& budgets);

}  // namespace skt
