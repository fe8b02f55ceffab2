// What does one query lose by attending to its selected keys only?
//
// As snr_decomposition, but for logits of -infinity (forbidden keys) and for weights whose averages over the values are
// formed elsewhere, in one pass over keys that may not fit into memory. Each mass is a sum of its own terms: 1 - eps
// would lose the digits of a small one. An error would show in selection_loss_test.cpp, four keys by hand.
#pragma once

#include <optional>
#include <vector>

#include "sim/matrix.hpp"

namespace skt {

// x at the chosen keys, -infinity elsewhere; and the other way round.
Vector only(const Vector& x, const std::vector<Index>& chosen);
Vector without(Vector x, const std::vector<Index>& chosen);

// Softmax weights [keys] over all keys, over the selected and over the others; empty where no key has a weight.
struct SoftmaxParts {
  std::optional<Vector> dense, kept, pruned;
};
SoftmaxParts softmax_parts(const Vector& logits, const std::vector<Index>& selected);

// Averages of the values [value_dim] by the weights of each part.
struct PartMeans {
  Vector dense, kept, pruned;
};

// What is not defined is left empty: without a selected key there is no divergence, without a pruned one no SNR either.
struct SelectionLoss {
  std::optional<double> residual_weight;     // softmax mass of the pruned keys, eps
  std::optional<double> snr;                 // mass of the selected over that of the pruned keys, rho = (1 - eps)/eps
  std::optional<double> context_divergence;  // distance of the averages over selected and over pruned keys
};
SelectionLoss selection_loss(const SoftmaxParts& parts, const PartMeans& means, const std::vector<Index>& selected);

}  // namespace skt
