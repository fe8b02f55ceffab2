#include "estimators/metrics/selection_loss.hpp"

#include <limits>

#include "estimators/attention.hpp"

namespace skt {

Vector only(const Vector& x, const std::vector<Index>& chosen) {
  Vector kept = Vector::Constant(x.size(), -std::numeric_limits<double>::infinity());
  for (const Index j : chosen) kept[j] = x[j];
  return kept;
}

Vector without(Vector x, const std::vector<Index>& chosen) {
  for (const Index j : chosen) x[j] = -std::numeric_limits<double>::infinity();
  return x;
}

SoftmaxParts softmax_parts(const Vector& logits, const std::vector<Index>& selected) {
  return {softmax(logits), softmax(only(logits, selected)), softmax(without(logits, selected))};
}

SelectionLoss selection_loss(const SoftmaxParts& parts, const PartMeans& means, const std::vector<Index>& selected) {
  SelectionLoss loss;
  if (!parts.dense) return loss;
  double selected_mass = 0;
  for (const Index j : selected) selected_mass += (*parts.dense)[j];
  const double pruned_mass = parts.pruned ? without(*parts.dense, selected).cwiseMax(0.0).sum() : 0.0;
  loss.residual_weight = pruned_mass;
  if (pruned_mass > 0) loss.snr = selected_mass / pruned_mass;
  if (parts.kept && parts.pruned) loss.context_divergence = (means.pruned - means.kept).norm();
  return loss;
}

}  // namespace skt
