#include "tests/gpu/emulation/memory_order_kernels.hpp"

#include <cuda_runtime.h>

#include <cstddef>

namespace skt::emulated_tests {
namespace {

using namespace skt::emulation;

template <class Thread>
cudaError_t run(unsigned blocks, unsigned threads, Thread thread) {
  static const char key = 0;
  return emulation::launch({blocks, threads, 1024, 1, true}, nullptr, &key, thread);
}

void await(const std::uint32_t* counter, std::uint32_t count) {
  while (look_at(counter, Load::acquire) < count) __nanosleep(64);
}

}  // namespace

cudaError_t awaits_count(int* written, std::uint32_t* counter, int* out, Release release, Acquire acquire) {
  const cudaError_t error = run(1, 64, [=] {
    if (release == Release::fence_before_the_wait) __threadfence();
    cudaGridDependencySynchronize();
    cudaTriggerProgrammaticLaunchCompletion();
    written[threadIdx.x] = 5;
    if (release == Release::fence_before_the_barrier) __threadfence();
    if (release != Release::fence_before_the_wait) __syncthreads();
    if (release == Release::fence) __threadfence();
    if (threadIdx.x == 0) atomicAdd(counter, 1u);
  });
  if (error != cudaSuccess) return error;
  return run(1, 64, [=] {
    if (threadIdx.x == 0) {
      while (look_at(counter, acquire == Acquire::by_load ? Load::acquire : Load::relaxed) < 1) __nanosleep(64);
      if (acquire == Acquire::by_fence) __threadfence();
      if (acquire == Acquire::by_second_load) look_at(counter, Load::acquire);
    }
    __syncthreads();
    out[threadIdx.x] = written[threadIdx.x];
  });
}

cudaError_t awaits_two_blocks(std::uint32_t* counter, Release of_first) {
  const cudaError_t error = run(2, 1, [=] {
    cudaTriggerProgrammaticLaunchCompletion();
    if (blockIdx.x == 1 || of_first == Release::fence) __threadfence();
    atomicAdd(counter, 1u);
  });
  return error != cudaSuccess ? error : run(1, 1, [=] { await(counter, 2); });
}

cudaError_t awaits_itself(std::uint32_t* counter) {
  return run(1, 64, [=] {
    if (threadIdx.x == 0) atomicAdd(counter, 1u);
    if (threadIdx.x == 63) await(counter, 1);
  });
}

cudaError_t reads_sum_behind_wait(std::uint32_t* sum) {
  const cudaError_t error = run(2, 1, [=] {
    cudaTriggerProgrammaticLaunchCompletion();
    atomicAdd(sum, 1u);
  });
  if (error != cudaSuccess) return error;
  return run(1, 1, [=] {
    cudaGridDependencySynchronize();
    await(sum, 2);
  });
}

cudaError_t looks_at_sum_with_no_wait(std::uint32_t* sum) {
  const cudaError_t error = run(2, 1, [=] {
    cudaTriggerProgrammaticLaunchCompletion();
    atomicAdd(sum, 1u);
  });
  return error != cudaSuccess ? error : run(1, 1, [=] { await(sum, 2); });
}

cudaError_t counts_in_cleared_sum(std::uint32_t* sum) {
  cudaError_t error = run(2, 1, [=] {
    cudaTriggerProgrammaticLaunchCompletion();
    atomicAdd(sum, 1u);
  });
  if (error != cudaSuccess) return error;
  error = run(1, 1, [=] {
    cudaGridDependencySynchronize();
    *sum = 0;
    cudaTriggerProgrammaticLaunchCompletion();
    __threadfence();
    atomicAdd(sum, 1u);
  });
  return error != cudaSuccess ? error : run(1, 1, [=] { await(sum, 1); });
}

cudaError_t adds_what_was_written(std::uint32_t* sums, Shown shown) {
  return run(1, 32, [=] {
    auto* shared = dynamic_shared<std::uint32_t>();
    shared[threadIdx.x] = threadIdx.x;
    if (shown != Shown::no_fence) show_to_bulk_copies();
    if (shown == Shown::written_behind_the_fence) shared[threadIdx.x] += 1;
    __syncthreads();
    if (threadIdx.x != 0) return;
    bulk_add(sums, shared_address(shared), 32 * sizeof(std::uint32_t));
    finish_bulk_additions();
  });
}

cudaError_t adds_what_was_copied(const int* from, std::uint32_t* sums) {
  return run(1, 1, [=] {
    const std::uint32_t barrier = shared_address(dynamic_shared<std::byte>()), words = barrier + 16;
    init_barrier(barrier, 1);
    arrive_expecting(barrier, 32 * sizeof(int));
    bulk_copy(words, from, 32 * sizeof(int), barrier);
    while (!has_ended(barrier, 0)) {
    }
    bulk_add(sums, words, 32 * sizeof(std::uint32_t));
    finish_bulk_additions();
  });
}

}  // namespace skt::emulated_tests
