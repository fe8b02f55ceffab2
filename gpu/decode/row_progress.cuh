// How far has a row of a step come? Counters in device memory, so that each row is selected from and attended to as
// soon as its own scores and its own list are there, not when those of all rows are.
//
// A kernel that waits for counters does not wait for the kernel before it. It is only launched when all blocks of the
// kernel that counts have begun (launch_next_kernel(), gpu/device/launch.cuh), and those wait for nothing but kernels
// before their own, so that every wait ends, in whatever order blocks find room; where kernels do not overlap it ends
// at once. Counters are cleared by the half-tables' kernel, for whose end the scores' kernel waits before it lets the
// next be launched, so that a count of the step before is gone from the device's memory when the first reader begins.
// That a reader launched so sees it gone, although it waits for no kernel itself, is more than the programming guide
// says of a trigger: the reads go to L2, where the clearing is done by then. Two calls at once on one workspace would
// clear each other's counts and wait for ever (socketlab_gpu.h). Blocks of the attention that draw from a rest wait for
// the row's scores as the selection does, and for its list as their neighbours do; half sums and largest norms were there
// before they were launched. The merge waits for the end of the attention, and
// whoever comes after the step for that of the merge: all of the step is done then, as the parts of a row wait for its
// list, that for its scores, and nothing is read or written behind a count.
#pragma once

#include <cuda_runtime.h>

#include "gpu/decode/decode_stages.hpp"
#include "gpu/device/barrier.cuh"
#include "gpu/device/launch.cuh"

namespace skt::gpu {

// Of one thread, behind a barrier of those that did what is counted, its block or its warp: who sees the count sees what
// they did before the barrier.
__device__ inline void count_up(std::uint32_t* counter, std::uint32_t count) {
  delay_here();
  __threadfence();
  delay_here();
  atomicAdd(counter, count);
}

// Until the row's counter has reached `target`, or, without counters, for all that was launched before; of all threads.
__device__ inline void wait_for_row(const std::uint32_t* counters, unsigned row, std::uint32_t target) {
  if (counters == nullptr) return wait_for_previous_kernel();
  if (threadIdx.x == 0) {
    std::uint32_t count = 0;
    delay_here();
    while (true) {
      asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(count) : "l"(counters + row) : "memory");
      if (count >= target) break;
      __nanosleep(64);
    }
    delay_here();
  }
  block_barrier();
}

}  // namespace skt::gpu
