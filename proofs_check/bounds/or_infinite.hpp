// What does a bound say where it gives no radius?
#pragma once

#include <limits>

namespace skt {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

inline double or_infinite(double radius) {
  return radius >= 0 ? radius : kInfinity;  // NaN too
}

}  // namespace skt
