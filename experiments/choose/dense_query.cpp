#include "experiments/choose/dense_query.hpp"

#include "sim/number.hpp"

namespace skt {

DenseQuery dense_query(AttendProblem& problem, const Matrix& values, Index query, const SelectionRule& rule) {
  DenseQuery truth{problem.query(query), view_query(problem, query), {}, {}, {}, {}};
  const QueryView& view = truth.view;
  truth.probability = softmax(view.logits).value_or(Vector::Zero(view.logits.size()));
  truth.dense = values.transpose() * truth.probability;
  truth.place.resize(view.logits.size());
  const std::vector<Index> order = select_keys(view.logits, view.mask, {.budget = view.logits.size()});
  for (Index at = 0; at < std::ssize(order); ++at) truth.place[order[at]] = at;
  truth.always = select_keys(view.logits.head(view.visible), view.past(), {0, rule.sink, rule.window});
  return truth;
}

double relative_error(const DenseQuery& truth, const std::optional<Vector>& output) {
  const double length = truth.dense.norm();
  return output && length > 0 ? (*output - truth.dense).norm() / length : KeptOfQuery::kUndefined;
}

std::vector<KeptOfQuery> kept_of_first(const DenseQuery& truth, const Matrix& values, const std::vector<Index>& order,
                                       const std::vector<Index>& counts) {
  constexpr double kUnderflown = 1e-250;  // against the largest weight of all: taken against their own largest then
  std::vector<KeptOfQuery> all;
  Vector sum = Vector::Zero(values.cols());
  double mass = 0;
  auto next = order.begin();
  for (const Index count : counts) {
    for (; next < order.begin() + count; ++next) {
      mass += truth.probability(*next);
      sum += truth.probability(*next) * values.row(*next).transpose();
    }
    const auto found = std::count_if(order.begin(), next, [&](Index key) { return truth.place[key] < count; });
    const auto output = mass > kUnderflown ? std::optional<Vector>(sum / mass)
                                           : sparse_attention(truth.view.logits, values, {order.begin(), next});
    all.push_back(count == 0
                      ? KeptOfQuery{}
                      : KeptOfQuery{real(count), mass, real(found) / real(count), relative_error(truth, output)});
  }
  return all;
}

std::vector<KeptOfQuery> kept_at_budgets(const DenseQuery& truth, const Matrix& values, const Vector& scores,
                                         SelectionRule rule, const std::vector<Index>& budgets) {
  rule.budget = budgets.back();
  const std::vector<Index> order = select_keys(scores.head(truth.view.visible), truth.view.past(), rule);
  std::vector<Index> counts;
  for (const Index budget : budgets) counts.push_back(std::min(std::ssize(order), std::ssize(truth.always) + budget));
  return kept_of_first(truth, values, order, counts);
}

}  // namespace skt
