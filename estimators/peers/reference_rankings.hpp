// The rankings that every method is held against: the truth, and what needs no index at all.
#pragma once

#include "sim/matrix.hpp"
#include "sim/randomness.hpp"

namespace skt {

// cos(angle(query, k_j)), [keys]: the most that a score of directions can know. 0 for a zero key.
Vector cosine_scores(const Vector& query, const Matrix& keys);

// Independent uniforms, [keys].
Vector random_scores(Index keys, Seed seed, std::uint32_t trial);

// StreamingLLM (Xiao et al., ICLR 2024): the first `sink` keys, then the latest ones. Scores that rank them so, [keys].
Vector sink_and_window_scores(Index keys, Index sink);

// alpha_j |v_j - y|, [keys]: the importance of a key where attention renormalises its weights (docs/bounds/importance.md).
// alpha are the softmax weights of q.k/sqrt(dim) over all keys given, whatever a mask, and y their output.
Vector value_distance_scores(const Vector& query, const Matrix& keys, const Matrix& values);

// Oracle top-p: how many of the most probable keys it takes for their probabilities to reach `mass` of the whole.
// probabilities [keys] non-negative with a positive sum; mass in [0, 1]; otherwise InputError.
Index top_p_count(const Vector& probabilities, double mass);

}  // namespace skt
