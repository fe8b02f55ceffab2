// The blocks that share one row of work: a thread block cluster on sm_90, a single block below, by the same names.
#pragma once

#include <cooperative_groups.h>

#include "gpu/device/barrier.cuh"

namespace skt::gpu {

#if __CUDA_ARCH__ >= 900

__device__ inline int cluster_size() {
  return static_cast<int>(cooperative_groups::this_cluster().num_blocks());
}
__device__ inline int cluster_rank() {
  return static_cast<int>(cooperative_groups::this_cluster().block_rank());
}
__device__ inline void cluster_barrier(unsigned site = __builtin_LINE()) {
  delay_here(site);
  cooperative_groups::this_cluster().sync();
  delay_here(~site);
}
// The same in two halves: what is written to shared memory before the first is seen behind the second.
__device__ inline void cluster_show(unsigned site = __builtin_LINE()) {
  delay_here(site);
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  delay_here(~site);
}
__device__ inline void cluster_see(unsigned site = __builtin_LINE()) {
  delay_here(site);
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
  delay_here(~site);
}
// A barrier in two halves that orders no memory: no thread passes its wait before all have arrived.
__device__ inline void cluster_arrive(unsigned site = __builtin_LINE()) {
  delay_here(site);
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
  delay_here(~site);
}
__device__ inline void cluster_wait(unsigned site = __builtin_LINE()) {
  delay_here(site);
  asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
  delay_here(~site);
}

// `shared` of the block with that rank. It must not leave the kernel before all have read: arrive when what was read
// has been used, wait at the end.
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
__device__ inline void cluster_barrier(unsigned site = __builtin_LINE()) {
  block_barrier(site);
}
__device__ inline void cluster_show() {}
__device__ inline void cluster_see(unsigned site = __builtin_LINE()) {
  block_barrier(site);
}
__device__ inline void cluster_arrive() {}
__device__ inline void cluster_wait() {}

template <class T>
__device__ T* shared_of(T* shared, int) {
  return shared;
}

#endif

}  // namespace skt::gpu
