// Which thread is this, of its block and of its warp? As int, for places in arrays.
#pragma once

#include <cuda_runtime.h>

namespace skt::gpu {

__device__ inline int my_thread() {
  return static_cast<int>(threadIdx.x);
}
__device__ inline int my_lane() {
  return static_cast<int>(threadIdx.x % 32);
}
__device__ inline int my_warp() {
  return static_cast<int>(threadIdx.x / 32);
}

}  // namespace skt::gpu
