#include "estimators/metrics/kept_by_selection.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "estimators/attention.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {

std::vector<Index> order_by_score(const Vector& scores, const Vector& tickets) {
  std::vector<Index> order(scores.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(),
            [&](Index a, Index b) { return scores(a) != scores(b) ? scores(a) > scores(b) : tickets(a) > tickets(b); });
  return order;
}

DenseTruth::DenseTruth(Instance instance, Vector tickets)
    : instance_(std::move(instance)), tickets_(std::move(tickets)) {
  require(instance_.num_keys() > 0, "dense attention: no key: allowed are instances with keys");
  logits_ = scaled_logits(instance_.query, instance_.keys);
  probability_ = softmax(logits_).value();
  dense_ = dense_attention(instance_.query, instance_.keys, instance_.values, {}).value();
  order_ = order_by_score(logits_, tickets_);
  place_.resize(order_.size());
  for (Index at = 0; at < instance_.num_keys(); ++at) place_[order_[at]] = at;
}

Index DenseTruth::keys_at(double density) const {
  return std::max<Index>(1, std::llround(density * real(instance_.num_keys())));
}

KeptBySelection DenseTruth::kept(const std::vector<Index>& selected, Index wanted,
                                 const std::optional<Vector>& output) const {
  double found = 0, mass = 0;
  for (const Index j : selected) {
    found += place_[j] < wanted ? 1 : 0;
    mass += probability_(j);
  }
  return {.selected = real(selected.size()) / real(instance_.num_keys()),
          .recall = found / real(wanted),
          .mass = mass,
          .error = output ? (*output - dense_).norm() / dense_.norm() : std::numeric_limits<double>::quiet_NaN()};
}

KeptBySelection DenseTruth::kept_of_first(const std::vector<Index>& order, Index count, Index wanted) const {
  const std::vector<Index> selected(order.begin(), order.begin() + count);
  return kept(selected, wanted, sparse_attention(logits_, instance_.values, selected));
}

}  // namespace skt
