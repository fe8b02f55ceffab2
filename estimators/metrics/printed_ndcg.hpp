// What is NDCG as the paper words it (appendix A.2)?
//
// Relevance is the true score q.k itself, and the ideal sorts the retrieved keys: what was not retrieved costs nothing.
// Wrong if retrieved keys in their true order did not have 1.
#pragma once

#include <vector>

#include "sim/matrix.hpp"

namespace skt {

// retrieved: best first, at least one. true_scores [keys] of any sign: the gains 2^score - 1 may be negative, and the
// value may leave [0, 1]; not a number where the ideal is 0.
double ndcg_as_printed(const std::vector<Index>& retrieved, const Vector& true_scores);

}  // namespace skt
