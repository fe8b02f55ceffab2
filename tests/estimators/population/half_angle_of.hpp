// The half of an angle that a test names in radians.
#pragma once

#include <cmath>

#include "estimators/population/half_angle.hpp"

namespace skt {

inline HalfAngle half_angle_of(double angle) {
  return {std::sin(angle / 2), std::cos(angle / 2)};
}

}  // namespace skt
