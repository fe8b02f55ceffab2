// How are the interface's 64-bit sizes counted in a kernel and cut into blocks?
#pragma once

#include <cstdint>
#include <type_traits>

#include "gpu/functors/host_device.hpp"

namespace skt::gpu {

// A size that the interface keeps below 2^31, in one register.
SKT_HD constexpr int to_int(std::int64_t size) {
  return static_cast<int>(size);
}

// How many units hold `count` >= 0 things: count / unit, rounded up.
template <class Count>
SKT_HD constexpr Count ceil_div(Count count, std::type_identity_t<Count> unit) {
  return (count + unit - 1) / unit;
}

}  // namespace skt::gpu
