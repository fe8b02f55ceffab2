#include "experiments/attend_query.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "estimators/ranking_metrics.hpp"
#include "sim/input_error.hpp"

namespace skt {
namespace {

// The sums over tables, before the value norm.
Vector collision_scores(const Vector& query, const Hyperplanes& hyperplanes, const KeyCodes& codes,
                        const AttendSettings& settings) {
  if (settings.ranker == Ranker::hard_lsh) return hard_scores(hyperplanes, codes, query);
  if (settings.ranker == Ranker::hamming) return hamming_scores(hyperplanes, codes, query);
  if (settings.precision == Precision::f32)
    return soft_scores_f32(hyperplanes, codes, query, settings.socket).cast<double>();
  return soft_scores(hyperplanes, codes, query, settings.socket);
}

Vector value_aware(const Vector& collisions, const Vector& norms, Precision precision) {
  const Vector scores =
      precision == Precision::f64
          ? Vector(collisions.cwiseProduct(norms))
          : Vector(collisions.cast<float>().cwiseProduct(norms.cast<float>()).cast<double>());
  for (Index j = 0; j < scores.size(); ++j)
    if (!std::isfinite(scores[j]))
      throw InputError(fmt::format("key {}: its score times its value norm is not finite", j));
  return scores;
}

// x at the chosen keys, -infinity elsewhere.
Vector only(const Vector& x, const std::vector<Index>& chosen) {
  Vector kept = Vector::Constant(x.size(), -std::numeric_limits<double>::infinity());
  for (const Index j : chosen) kept[j] = x[j];
  return kept;
}

Vector without(Vector x, const std::vector<Index>& chosen) {
  for (const Index j : chosen) x[j] = -std::numeric_limits<double>::infinity();
  return x;
}

// sum_j w_j v_j for each column w of weights [keys, n]: [n, value_dim].
Matrix value_means(AttendProblem& problem, const Matrix& weights) {
  Matrix means = Matrix::Zero(weights.cols(), problem.value_dim());
  problem.visit_values([&](Index first, const Matrix& rows) {
    means += weights.middleRows(first, rows.rows()).transpose() * rows;
  });
  return means;
}

Vector masked_logits(AttendProblem& problem, Index index, std::span<const Allowed> mask) {
  const Vector query = problem.query(index);
  Vector logits(problem.num_keys());
  problem.visit_keys([&](Index first, const Matrix& rows) {
    logits.segment(first, rows.rows()) = scaled_logits(query, rows);
  });
  for (Index j = 0; j < logits.size(); ++j)
    if (!std::isfinite(logits[j]))
      throw InputError(fmt::format("query {}, key {}: their product is not finite", index, j));
  return masked_scores(logits, mask);
}

// Compares the selection with dense attention over `logits` (-infinity: forbidden).
void compare(AttendProblem& problem, const Vector& logits, const Vector& collisions, OutputRule rule,
             QueryResult& result) {
  const std::optional<Vector> dense = softmax(logits);
  const std::optional<Vector> kept = softmax(only(logits, result.selected));
  const std::optional<Vector> pruned = softmax(without(logits, result.selected));
  const std::optional<Vector> output =
      rule == OutputRule::exact_softmax ? kept : softmax(only(collisions, result.selected));
  Matrix weights = Matrix::Zero(problem.num_keys(), 4);
  const std::optional<Vector>* columns[] = {&dense, &kept, &pruned, &output};
  for (Index c = 0; c < 4; ++c)
    if (*columns[c]) weights.col(c) = **columns[c];
  const Matrix means = value_means(problem, weights);

  if (output) {
    result.output = means.row(3);
    const double length = means.row(0).norm(), error = (means.row(3) - means.row(0)).norm();
    result.absolute_error = error;
    if (length > 0) result.relative_error = error / length;
  }
  if (!dense) return;
  // Both masses as sums of their own terms: 1 - eps would lose the digits of a small one.
  double selected_mass = 0;
  for (const Index j : result.selected) selected_mass += (*dense)[j];
  const double pruned_mass = pruned ? without(*dense, result.selected).cwiseMax(0.0).sum() : 0.0;
  result.residual_weight = pruned_mass;
  if (pruned_mass > 0) result.snr = selected_mass / pruned_mass;
  if (kept && pruned) result.context_divergence = (means.row(2) - means.row(1)).norm();
}

}  // namespace

QueryResult attend_to(AttendProblem& problem, Index query, const Hyperplanes& hyperplanes,
                      const KeyCodes& codes, const AttendSettings& settings) {
  const std::vector<Allowed> mask = problem.mask(query);
  const Vector collisions = collision_scores(problem.query(query), hyperplanes, codes, settings);
  const Vector logits = masked_logits(problem, query, mask);
  QueryResult result;
  result.scores = masked_scores(value_aware(collisions, problem.value_norms(), settings.precision), mask);
  result.allowed = mask.empty() ? problem.num_keys() : std::count(mask.begin(), mask.end(), Allowed::yes);
  result.selected = select_keys(result.scores, mask, settings.selection);
  compare(problem, logits, collisions, settings.output, result);
  const auto as_many = static_cast<Index>(result.selected.size());
  result.recall = precision(result.selected, select_keys(logits, mask, {.budget = as_many}));
  return result;
}

}  // namespace skt
