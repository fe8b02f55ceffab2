// Attention outputs: dense softmax attention and the two output rules over a selection.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "estimators/selection.hpp"
#include "sim/instance.hpp"

namespace skt {

// exact_softmax: softmax of q.k/sqrt(dim) over the selection (paper, section 4.2).
// score_softmax: softmax of the collision scores over the selection (paper, Algorithm 3, line 6).
enum class OutputRule { exact_softmax, score_softmax };

// q.k_j/sqrt(dim), [keys].
Vector scaled_logits(const Vector& query, const Eigen::Ref<const Matrix>& keys);

// softmax with the maximum subtracted; -infinity gets weight 0; nullopt if every logit is -infinity or none is given.
// NaN or +infinity: InputError.
std::optional<Vector> softmax(const Vector& logits);

// Dense softmax attention over the allowed keys; nullopt if the mask allows none.
std::optional<Vector> dense_attention(const Vector& query, const Matrix& keys, const Matrix& values,
                                      std::span<const Allowed> mask);

// Softmax of logits [keys] over the selected keys; nullopt for an empty selection.
std::optional<Vector> sparse_attention(const Vector& logits, const Matrix& values, const std::vector<Index>& selected);

}  // namespace skt
