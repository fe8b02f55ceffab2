// Numbers that tests of any folder name.
#pragma once

#include <limits>
#include <numbers>

namespace skt {

inline constexpr double kPi = std::numbers::pi;
inline constexpr double kC = 0.7978845608028654;  // sqrt(2/pi)
inline constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

}  // namespace skt
