#include "estimators/metrics/snr_decomposition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

std::vector<char> membership(const Vector& scores, const std::vector<Index>& active) {
  std::vector<char> in(scores.size(), 0);
  for (const Index j : active) {
    if (j < 0 || j >= scores.size()) {
      refuse("active key {}: allowed are 0 to {}", j, scores.size() - 1);
    }
    if (in[j]) refuse("active key {} appears twice", j);
    in[j] = 1;
  }
  for (Index j = 0; j < scores.size(); ++j) {
    if (!std::isfinite(scores(j))) refuse("score[{}] is {}: not finite", j, scores(j));
  }
  if (active.empty() || std::ssize(active) == scores.size()) {
    refuse("active set of {} of {} keys: both it and the rest need a key", active.size(), scores.size());
  }
  return in;
}

// Sums over one set, relative to that set's own largest score: nothing underflows as a whole.
struct PartialSoftmax {
  double max = -std::numeric_limits<double>::infinity();
  double denominator = 0;  // sum of e^{s - max}
  Vector context;          // weighted mean value
};

PartialSoftmax partial_softmax(const Vector& scores, const Matrix& values, const std::vector<char>& in, char wanted) {
  PartialSoftmax part;
  part.context = Vector::Zero(values.cols());
  for (Index j = 0; j < scores.size(); ++j) {
    if (in[j] == wanted) part.max = std::max(part.max, scores(j));
  }
  for (Index j = 0; j < scores.size(); ++j) {
    if (in[j] != wanted) continue;
    const double weight = std::exp(scores(j) - part.max);
    part.denominator += weight;
    part.context += weight * values.row(j).transpose();
  }
  part.context /= part.denominator;
  return part;
}

}  // namespace

SnrDecomposition snr_decomposition(const Vector& scores, const Matrix& values, const std::vector<Index>& active) {
  const std::vector<char> in = membership(scores, active);
  const PartialSoftmax kept = partial_softmax(scores, values, in, 1);
  const PartialSoftmax pruned = partial_softmax(scores, values, in, 0);
  const PartialSoftmax all = partial_softmax(scores, values, std::vector<char>(in.size(), 1), 1);
  SnrDecomposition result;
  result.snr = std::exp(kept.max - pruned.max) * kept.denominator / pruned.denominator;
  result.residual_weight = 1 / (1 + result.snr);
  result.full = all.context;
  result.sparse = kept.context;
  result.noise = pruned.context;
  return result;
}

ActiveSet describe_active_set(const Vector& scores, const std::vector<Index>& active) {
  const std::vector<char> in = membership(scores, active);
  const Matrix no_values(scores.size(), 0);
  const PartialSoftmax kept = partial_softmax(scores, no_values, in, 1);
  const PartialSoftmax pruned = partial_softmax(scores, no_values, in, 0);
  ActiveSet set;
  set.active = std::ssize(active);
  set.pruned = scores.size() - set.active;
  set.peak = std::max(kept.max, pruned.max);
  set.active_max = kept.max;
  set.active_min = kept.max;
  for (const Index j : active) set.active_min = std::min(set.active_min, scores(j));
  set.pruned_max = pruned.max;
  set.snr = std::exp(kept.max - pruned.max) * kept.denominator / pruned.denominator;
  return set;
}

double top_k_bound(const ActiveSet& set) {
  return (1 + real(set.active - 1) * std::exp(set.active_min - set.peak)) /
         (real(set.pruned) * std::exp(set.pruned_max - set.peak));
}

double peak_to_noise_term(const ActiveSet& set) {
  return std::exp(set.peak - set.pruned_max);
}

double boundary_term(const ActiveSet& set) {
  return real(set.active - 1) * std::exp(set.active_min - set.pruned_max);
}

double printed_relaxed_bound(const ActiveSet& set) {
  return std::exp(set.peak - set.pruned_max) / real(set.pruned);
}

double relaxed_lower_bound(const ActiveSet& set) {
  return std::exp(set.active_max - set.pruned_max) / real(set.pruned);
}

double relaxed_upper_bound(const ActiveSet& set) {
  return real(set.active) * std::exp(set.active_max - set.pruned_max);
}

}  // namespace skt
