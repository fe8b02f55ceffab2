// The blocks that share one row of work: a thread block cluster on sm_90, a single block below, by the same
// names.
#pragma once

#include <cooperative_groups.h>

namespace skt::gpu {

#if __CUDA_ARCH__ >= 900

__device__ inline int cluster_size() {
  return static_cast<int>(cooperative_groups::this_cluster().num_blocks());
}
__device__ inline int cluster_rank() {
  return static_cast<int>(cooperative_groups::this_cluster().block_rank());
}
__device__ inline void cluster_barrier() {
  cooperative_groups::this_cluster().sync();
}

// `shared` of the block with that rank. It must not leave the kernel before all have read: end with a
// barrier.
template <class T>
__device__ T* shared_of(T* shared, int rank) {
  return cooperative_groups::this_cluster().map_shared_rank(shared, rank);
}

#else

__device__ inline int cluster_size() {
  return 1;
}
__device__ inline int cluster_rank() {
  return 0;
}
__device__ inline void cluster_barrier() {
  __syncthreads();
}

template <class T>
__device__ T* shared_of(T* shared, int) {
  return shared;
}

#endif

}  // namespace skt::gpu
