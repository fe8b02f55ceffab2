// What comes before a lane of a warp, summed: where the lane's things go, or which lane holds the n-th.
#pragma once

#include <cstdint>

namespace skt::gpu {

// Sum of `value` over the lanes before this one, and over all of them.
__device__ inline std::uint32_t scan_warp(std::uint32_t value, std::uint32_t& total) {
  const int lane = threadIdx.x % 32;
  std::uint32_t inclusive = value;
  for (int offset = 1; offset < 32; offset *= 2) {
    const std::uint32_t before = __shfl_up_sync(~0u, inclusive, offset);
    if (lane >= offset) inclusive += before;
  }
  total = __shfl_sync(~0u, inclusive, 31);
  return inclusive - value;
}

}  // namespace skt::gpu
