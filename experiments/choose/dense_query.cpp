#include "experiments/choose/dense_query.hpp"

#include <algorithm>

#include "sim/number.hpp"

namespace skt {
namespace {

// Sums over a selection that grows key by key.
class GrowingSelection {
 public:
  GrowingSelection(const DenseQuery& truth, const Matrix& values)
      : truth_(truth), values_(values), sum_(Vector::Zero(values.cols())) {}

  void add(Index key) {
    const double p = truth_.probability(key);
    mass_ += p;
    sum_ += p * values_.row(key).transpose();
    keys_.push_back(key);
  }

  KeptOfQuery kept() const {
    constexpr double kUnderflown = 1e-250;  // against the largest weight of all: taken against their own largest then
    const auto count = std::ssize(keys_);
    if (count == 0) return {};
    const auto found = std::ranges::count_if(keys_, [&](Index key) { return truth_.place[key] < count; });
    const auto output = mass_ > kUnderflown ? std::optional<Vector>(sum_ / mass_)
                                            : sparse_attention(truth_.view.logits, values_, keys_);
    return {real(count), mass_, real(found) / real(count), relative_error(truth_, output)};
  }

 private:
  const DenseQuery& truth_;
  const Matrix& values_;
  double mass_ = 0;
  Vector sum_;
  std::vector<Index> keys_;
};

}  // namespace

DenseQuery dense_query(AttendProblem& problem, const Matrix& values, Index query, Index sink, Index window) {
  DenseQuery truth{problem.query(query), view_query(problem, query), {}, {}, {}, {}};
  const QueryView& view = truth.view;
  truth.probability = softmax(view.logits).value_or(Vector::Zero(view.logits.size()));
  truth.dense = values.transpose() * truth.probability;
  truth.place.resize(view.logits.size());
  const std::vector<Index> order = select_keys(view.logits, view.mask, {.budget = view.logits.size()});
  for (Index at = 0; at < std::ssize(order); ++at) truth.place[order[at]] = at;
  truth.always = select_keys(view.logits.head(view.visible), view.past(), {0, sink, window});
  return truth;
}

double relative_error(const DenseQuery& truth, const std::optional<Vector>& output) {
  const double length = truth.dense.norm();
  return output && length > 0 ? (*output - truth.dense).norm() / length : KeptOfQuery::kUndefined;
}

KeptOfQuery kept_of(const DenseQuery& truth, const Matrix& values, const std::vector<Index>& selected) {
  GrowingSelection growing(truth, values);
  for (const Index key : selected) growing.add(key);
  return growing.kept();
}

std::vector<KeptOfQuery> kept_at_budgets(const DenseQuery& truth, const Matrix& values, const Vector& scores,
                                         SelectionRule rule, const std::vector<Index>& budgets) {
  rule.budget = budgets.back();
  const std::vector<Index> order = select_keys(scores.head(truth.view.visible), truth.view.past(), rule);
  GrowingSelection growing(truth, values);
  std::vector<KeptOfQuery> at_budgets;
  auto next = order.begin();
  for (const Index budget : budgets) {
    const Index count = std::min(std::ssize(order), std::ssize(truth.always) + budget);
    for (; next < order.begin() + count; ++next) growing.add(*next);
    at_budgets.push_back(growing.kept());
  }
  return at_budgets;
}

}  // namespace skt
