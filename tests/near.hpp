// Whether a number is the one worked out by hand, up to a few roundings.
#pragma once

#include <cmath>
#include <limits>

namespace skt {

inline bool near(double a, double b, double roundings = 16) {
  return std::abs(a - b) <= roundings * std::numeric_limits<double>::epsilon() * std::abs(b);
}

// Of numbers of size 1, of which b may be 0.
inline bool near_at_size_one(double a, double b) {
  return std::abs(a - b) <= 64 * std::numeric_limits<double>::epsilon();
}

}  // namespace skt
