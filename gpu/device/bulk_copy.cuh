// Bulk copies from global to shared memory, and the barriers in shared memory that count their bytes. On sm_90; below,
// nothing here may be called.
//
// Addresses of shared memory are 32-bit. Addresses and sizes are multiples of 16, a barrier's of 8.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "gpu/device/delay.cuh"

namespace skt::gpu {

#if __CUDA_ARCH__ >= 900
constexpr bool kHasBulkCopies = true;
#else
constexpr bool kHasBulkCopies = false;
#endif

// One arrival ends a phase. Of one thread; others may use it behind a barrier of the block or warp.
__device__ inline void init_copy_barrier(std::uint32_t barrier, unsigned site = __builtin_LINE()) {
  delay_here(site);
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
  delay_here(site);
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  delay_here(~site);
}

// The phase ends when `bytes` bytes have come. Before the copies.
__device__ inline void expect_bytes(std::uint32_t barrier, int bytes, unsigned site = __builtin_LINE()) {
  delay_here(site);
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
  delay_here(~site);
}

__device__ inline void bulk_copy(std::uint32_t to_shared, const void* from_global, int bytes, std::uint32_t barrier,
                                 unsigned site = __builtin_LINE()) {
  delay_here(site);
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to_shared),
      "l"(from_global), "r"(bytes), "r"(barrier)
      : "memory");
  delay_here(~site);
}

// What this thread has written to shared memory before is seen by bulk additions behind the next barrier of the block.
__device__ inline void show_to_bulk_additions(unsigned site = __builtin_LINE()) {
  delay_here(site);
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  delay_here(~site);
}

// Adds `bytes` bytes of whole numbers of 32 bits to those in global memory. Of one thread.
__device__ inline void bulk_add(void* to_global, std::uint32_t from_shared, int bytes,
                                unsigned site = __builtin_LINE()) {
  delay_here(site);
  asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;" ::"l"(to_global),
               "r"(from_shared), "r"(bytes)
               : "memory");
  delay_here(~site);
}

// Until all that this thread has begun to add has been added.
__device__ inline void wait_for_bulk_additions(unsigned site = __builtin_LINE()) {
  delay_here(site);
  asm volatile("cp.async.bulk.commit_group;\n cp.async.bulk.wait_group 0;" ::: "memory");
  delay_here(~site);
}

// Until the phase of this parity, 0 for the first, has ended.
__device__ inline void wait_for_bytes(std::uint32_t barrier, std::uint32_t parity, unsigned site = __builtin_LINE()) {
  delay_here(site);
  std::uint32_t ended = 0;
  while (ended == 0) {
    asm volatile(
        "{\n .reg .pred p;\n mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n selp.u32 %0, 1, 0, "
        "p;\n}"
        : "=r"(ended)
        : "r"(barrier), "r"(parity)
        : "memory");
  }
  delay_here(~site);
}

}  // namespace skt::gpu
