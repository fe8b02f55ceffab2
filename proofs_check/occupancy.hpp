// How many keys can one bucket hold, over all hyperplanes that can be drawn? (Assumption 2 as the proofs need
// it)
//
// The hyperplanes of a table may be nearly parallel, so for any number of planes this is the largest number
// of keys in an open half-space: at least half of them. Exact in the plane; in higher dimension N is a bound.
#pragma once

#include "sim/matrix.hpp"

namespace skt {

// max over w of #{j: <w, k_j> > 0} for non-zero keys [keys, 2]. InputError in another dimension.
Index largest_half_plane(const Matrix& keys);

}  // namespace skt
