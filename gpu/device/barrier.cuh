// The barriers of a block and of a warp, with a delay on either side (gpu/device/delay.cuh).
#pragma once

#include "gpu/device/delay.cuh"

namespace skt::gpu {

// Of all threads of the block.
__device__ __forceinline__ void block_barrier(unsigned site = __builtin_LINE()) {
  delay_here(site);
  __syncthreads();
  delay_here(~site);
}

// Of all lanes of the warp.
__device__ __forceinline__ void warp_barrier(unsigned site = __builtin_LINE()) {
  delay_here(site);
  __syncwarp();
  delay_here(~site);
}

}  // namespace skt::gpu
