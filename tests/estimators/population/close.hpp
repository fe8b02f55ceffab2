// Whether a value is the exact one, up to a relative error.
#pragma once

#include <cmath>

namespace skt {

inline bool close(double value, double exact, double relative) {
  return std::abs(value - exact) <= relative * std::abs(exact);
}

}  // namespace skt
