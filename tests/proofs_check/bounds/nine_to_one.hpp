// A law of two values that is worked out by hand in several tests.
#pragma once

#include "proofs_check/bounds/sampling_bounds.hpp"

namespace skt {

// X = +1 with probability .9 and -1 with .1.
inline SamplingLaw nine_to_one() {
  return sampling_law(Vector{{9.0, 1.0}}, Matrix{{1.0}, {-1.0}});
}

}  // namespace skt
