// By how much may a double be off?
#pragma once

#include <limits>

namespace skt {

// Twice what one rounding to nearest changes, relative to the number.
inline constexpr double kUnit = std::numeric_limits<double>::epsilon();

}  // namespace skt
