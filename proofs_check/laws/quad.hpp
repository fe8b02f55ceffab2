// Arithmetic with 113 bits, for a side of a statement that must not round where the other, in double, does.
//
// IEEE's binary128, whose roots and exponentials are the C library's. Written in double, a condition would be judged by
// its own rounding. Boost's type of as many bits gives the same doubles and takes a compiler 4 s more in each file.
#pragma once

#include <cmath>
#include <limits>

namespace skt {

#ifdef __SIZEOF_FLOAT128__
__extension__ using Quad = __float128;

inline Quad abs(Quad x) {
  return x < 0 ? -x : x;
}
inline Quad sqrt(Quad x) {
  return __builtin_sqrtf128(x);
}
inline Quad exp(Quad x) {
#ifdef __clang__
  return __builtin_expf128(x);
#else
  return expf128(x);
#endif
}
#else
using Quad = long double;
static_assert(std::numeric_limits<Quad>::digits == 113);
using std::abs, std::exp, std::sqrt;
#endif

}  // namespace skt
