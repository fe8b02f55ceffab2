// A term that a sum in single precision loses.
#pragma once

namespace skt::gpu {

inline constexpr float kLost = 0x1.fffffep-25f;  // a little less than half of the last place of 1: added to it, lost

}  // namespace skt::gpu
