#include "experiments/attend/query.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "estimators/groups/kv_head_lists.hpp"
#include "estimators/metrics/ranking_metrics.hpp"
#include "estimators/metrics/selection_loss.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

// The sums over tables, before the value norm.
Vector collision_scores(const Vector& query, const AttendVariant& variant) {
  const AttendSettings& settings = variant.settings;
  const Hyperplanes& hyperplanes = variant.hyperplanes;
  if (settings.ranker == Ranker::hard_lsh) return hard_scores(hyperplanes, variant.codes, query);
  if (settings.ranker == Ranker::hamming) return hamming_scores(hyperplanes, variant.codes, query);
  if (settings.precision == ScorePrecision::f32)
    return soft_scores_f32(hyperplanes, variant.codes, query, settings.socket).cast<double>();
  return soft_scores(hyperplanes, variant.codes, query, settings.socket);
}

Vector value_aware(const Vector& collisions, const Vector& norms, ScorePrecision precision) {
  const Vector scores = precision == ScorePrecision::f64
                            ? Vector(collisions.cwiseProduct(norms))
                            : Vector(collisions.cast<float>().cwiseProduct(norms.cast<float>()).cast<double>());
  for (Index j = 0; j < scores.size(); ++j)
    if (!std::isfinite(scores[j])) refuse("key {}: its score times its value norm is not finite", j);
  return scores;
}

std::vector<Index> each_once(const std::vector<Index>& listed, Index keys) {
  std::vector<char> seen(keys, 0);
  std::vector<Index> once;
  for (const Index j : listed)
    if (!std::exchange(seen[j], 1)) once.push_back(j);
  return once;
}

// sum_j w_j v_j for each column w of weights [keys, n]: [n, value_dim].
Matrix value_means(AttendProblem& problem, Index key_head, const Matrix& weights) {
  Matrix means = Matrix::Zero(weights.cols(), problem.value_dim());
  problem.visit_values(key_head, [&](Index first, const Matrix& rows) {
    means += weights.middleRows(first, rows.rows()).transpose() * rows;
  });
  return means;
}

// What a variant makes of a query before attention: scores, and what of them the output rule needs.
struct Selected {
  Vector collisions;
  QueryResult result;
};

Selected select_as_paper(AttendProblem& problem, const QueryView& view, const AttendVariant& variant) {
  const AttendSettings& settings = variant.settings;
  const auto sums_of = [&](Index index) {
    const Vector query = problem.query(index);
    return variant.ranked ? variant.ranked->ranking.scores(query) : collision_scores(query, variant);
  };
  const auto scores_of = [&](const Vector& sums) -> Vector {
    if (!settings.value_norm || variant.ranked) return sums;
    return value_aware(sums, problem.value_norms(view.key_head), settings.precision);
  };
  Selected chosen{sums_of(view.index), {}};
  Vector scores = scores_of(chosen.collisions);
  if (settings.lists == Lists::kv_head) {
    std::vector<Vector> of_heads;
    for (const Index i : queries_of_group(problem, view))
      of_heads.push_back((i == view.index ? scores : scores_of(sums_of(i))).head(view.visible));
    const std::string rule = settings.rule.empty() ? "socket" : settings.rule;  // sums over tables are all weights
    scores.head(view.visible) = kv_head_scores(rule, of_heads, problem.dim(), settings.group, view.past());
  }
  chosen.result.scores = masked_scores(scores, view.mask);
  chosen.result.listed = select_keys(chosen.result.scores.head(view.visible), view.past(), settings.selection);
  return chosen;
}

Selected select_as_published(AttendProblem& problem, const QueryView& view, const AttendVariant& variant) {
  const PublishedHash& hash = *variant.published;
  const Vector query = problem.query(view.index).unaryExpr([&](double x) { return rounded(x, hash.type); });
  const Eigen::VectorXf sums = published_sums(published_probabilities(hash, query), variant.codes);
  const Eigen::VectorXf norms = published_norms(hash, problem.value_norms(view.key_head));
  const Eigen::VectorXf scores = published_scores(hash, sums, norms);
  Selected chosen{sums.cast<double>(), {}};
  chosen.result.infinite_norms = norms.array().isInf().count();
  chosen.result.listed =
      published_selection(hash.profile, scores.head(view.visible), view.past(), variant.settings.selection);
  chosen.result.scores = masked_scores(scores.cast<double>(), view.mask);
  return chosen;
}

// The list and what it is short of; of a target the list that it takes.
void sample_rest(AttendProblem& problem, const QueryView& view, const AttendVariant& variant, QueryResult& result) {
  const ErrorSettings& error = *variant.settings.error;
  const Vector query = problem.query(view.index);
  const Vector ceilings =
      variant.error_index->ceilings.of(query, 1 / std::sqrt(real(problem.dim())), kCeilingShare * error.plan.delta);
  const auto list_of = [&](Index budget) {
    SelectionRule rule = variant.settings.selection;
    rule.budget = budget;
    return select_keys(result.scores.head(view.visible), view.past(), rule);
  };
  result.sampled =
      residual_report(view.logits, variant.error_index->values, ceilings, variant.settings.selection.budget, list_of,
                      error.plan, {variant.seed, static_cast<std::uint32_t>(view.index), 0});
  if (result.sampled) result.listed = result.sampled->list;
}

// Where a published list holds keys twice, its own arithmetic; nothing otherwise: the softmax over the set.
std::optional<Vector> output_of_list(AttendProblem& problem, const QueryView& view, const AttendVariant& variant,
                                     const std::vector<Index>& listed) {
  if (!variant.published) return std::nullopt;
  const PublishedTraits traits = traits_of(variant.published->profile);
  if (listed.empty()) return Vector::Constant(problem.value_dim(), traits.drops_listed ? 0 : std::nan(""));
  if (!traits.lists_twice) return std::nullopt;
  const Eigen::VectorXf logits = view.logits(listed).cast<float>();
  const auto values = [&](Index first, Index count) {
    return problem.values_at(view.key_head, std::span(listed).subspan(first, count));
  };
  return published_attention(logits, values, problem.value_dim()).cast<double>();
}

// Compares the selection with dense attention over the logits (-infinity: forbidden); the values are read once, for the
// averages of all parts.
void compare(AttendProblem& problem, const QueryView& view, const Vector& collisions, const AttendVariant& variant,
             QueryResult& result) {
  const SoftmaxParts parts = softmax_parts(view.logits, result.selected);
  const std::optional<Vector> output =
      variant.settings.output == OutputRule::exact_softmax ? parts.kept : softmax(only(collisions, result.selected));
  enum Column : Index { kDense, kKept, kPruned, kOutput, kColumns };
  Matrix weights = Matrix::Zero(problem.num_keys(), kColumns);
  for (const auto& [column, part] :
       {std::pair{kDense, &parts.dense}, {kKept, &parts.kept}, {kPruned, &parts.pruned}, {kOutput, &output}})
    if (*part) weights.col(column) = **part;
  const Matrix means = value_means(problem, view.key_head, weights);

  if (output) result.output = means.row(kOutput);
  if (result.sampled) result.corrected_error = (result.sampled->corrected - means.row(kDense).transpose()).norm();
  if (const auto own = output_of_list(problem, view, variant, result.listed)) result.output = own;
  if (output) {
    const double length = means.row(kDense).norm(), error = (*result.output - means.row(kDense).transpose()).norm();
    result.absolute_error = error;
    if (length > 0) result.relative_error = error / length;
  }
  if (parts.kept) result.log_sum_exp = log_sum_exp(view.logits(result.selected));
  const SelectionLoss loss =
      selection_loss(parts, {means.row(kDense), means.row(kKept), means.row(kPruned)}, result.selected);
  result.residual_weight = loss.residual_weight;
  result.snr = loss.snr;
  result.context_divergence = loss.context_divergence;
}

// Sink and window first, as many as `always`, then all others by falling score.
KeyOrder own_order(const QueryView& view, const AttendVariant& variant, const Vector& scores, Index& always) {
  // A list that ends with the mask has its window there.
  const Index end =
      variant.published && traits_of(variant.published->profile).lists_twice ? view.allowed : view.visible;
  SelectionRule rule = variant.settings.selection;
  rule.budget = 0;
  const auto mask = std::span(view.mask).first(view.mask.empty() ? 0 : end);
  const Vector ranked =
      scores.head(end).unaryExpr([](double x) { return std::isnan(x) ? std::numeric_limits<double>::infinity() : x; });
  always = std::ssize(select_keys(ranked, mask, rule));
  rule.budget = end;
  return {variant.profile, select_keys(ranked, mask, rule)};
}

}  // namespace

Index AttendVariant::width(Index keys) const {
  const SelectionRule& rule = settings.selection;
  if (settings.error && settings.error->plan.target) return keys;
  if (!published || !traits_of(published->profile).lists_twice) return selection_width(keys, rule);
  return std::min(rule.sink, keys) + std::min(rule.window, keys) + std::min(rule.budget, keys);
}

QueryView view_query(AttendProblem& problem, Index query) {
  QueryView view{query, problem.key_head_of(query), problem.mask(query), problem.visible(query), problem.num_keys(),
                 {}};
  if (!view.mask.empty()) view.allowed = std::count(view.mask.begin(), view.mask.end(), Allowed::yes);
  const Vector row = problem.query(query);
  Vector logits(problem.num_keys());
  problem.visit_keys(view.key_head, [&](Index first, const Matrix& rows) {
    logits.segment(first, rows.rows()) = scaled_logits(row, rows);
  });
  for (Index j = 0; j < logits.size(); ++j)
    if (!std::isfinite(logits[j])) refuse("query {}, key {}: their product is not finite", query, j);
  view.logits = masked_scores(logits, view.mask);
  return view;
}

std::vector<Index> queries_of_group(AttendProblem& problem, const QueryView& view) {
  const Index group = problem.heads() / problem.key_heads(), of_head = problem.num_queries() / problem.heads();
  std::vector<Index> queries;
  for (Index head = view.key_head * group; head < (view.key_head + 1) * group; ++head) {
    queries.push_back(head * of_head + view.index % of_head);
    if (problem.mask(queries.back()) != view.mask)
      refuse(
          "--lists kv-head: query {} is masked otherwise in head {} than in head {}; allowed is one mask for the query "
          "heads of a KV head",
          view.index % of_head, head, problem.head_of(view.index));
  }
  return queries;
}

QueryResult attend_to(AttendProblem& problem, const QueryView& view, const AttendVariant& variant) {
  Selected chosen =
      variant.published ? select_as_published(problem, view, variant) : select_as_paper(problem, view, variant);
  QueryResult& result = chosen.result;
  result.allowed = view.allowed;
  if (variant.error_index) sample_rest(problem, view, variant, result);
  result.selected = each_once(result.listed, problem.num_keys());
  compare(problem, view, chosen.collisions, variant, result);
  const std::vector<Index> truth = select_keys(view.logits, view.mask, {.budget = problem.num_keys()});
  const auto as_many = truth.begin() + std::min(std::ssize(result.selected), std::ssize(truth));
  result.recall = precision(result.selected, {truth.begin(), as_many});
  if (!truth.empty())
    result.recall_failure =
        std::find(result.selected.begin(), result.selected.end(), truth.front()) == result.selected.end();
  Index always = 0;
  const KeyOrder own = own_order(view, variant, result.scores, always);
  result.curves = density_curves(problem, view.key_head, view.logits, {own, {"true-top-k", truth}}, always);
  return std::move(result);
}

}  // namespace skt
