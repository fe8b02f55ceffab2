// Dense attention of one query of the caller's arrays, and what selections of its keys keep of that.
#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "experiments/attend/query.hpp"

namespace skt {

// What one query keeps. NaN: not defined, as the error of a selection without keys.
struct KeptOfQuery {
  double keys = 0;    // selected
  double mass = 0;    // their share of the dense softmax
  double recall = 0;  // share of the true top keys by q.k, as many as selected, that are selected
  double error = std::numeric_limits<double>::quiet_NaN();  // ||output - dense|| / ||dense||
};

// All keys and values of one key head.
struct HeadArrays {
  Matrix keys, values;
};
HeadArrays read_head(AttendProblem& problem, Index key_head);

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

// Keys in index order with softmax attention over them; recall is among as many true top keys.
KeptOfQuery kept_of(const DenseQuery& truth, const Matrix& values, const std::vector<Index>& selected);

// Sink and window, then the budget's best by `scores`, for each of the rising budgets: one pass.
std::vector<KeptOfQuery> kept_at_budgets(const DenseQuery& truth, const Matrix& values, const Vector& scores,
                                         SelectionRule rule, const std::vector<Index>& budgets);

}  // namespace skt
