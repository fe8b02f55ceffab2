// The moments of two numbers.
#pragma once

#include "sim/statistics/moments.hpp"

namespace skt {

inline Moments two(double a, double b) {
  Moments moments;
  moments.add(a);
  moments.add(b);
  return moments;
}

}  // namespace skt
