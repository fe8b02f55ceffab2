#include "tests/gpu/emulation/kernels.hpp"

#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace skt::emulated_tests {
namespace {

using namespace skt::emulation;

template <class Thread>
cudaError_t run(unsigned blocks, unsigned threads, std::size_t shared_bytes, unsigned cluster, Thread thread) {
  static const char key = 0;
  return emulation::launch({blocks, threads, shared_bytes, cluster}, nullptr, &key, thread);
}

template <class Thread>
cudaError_t run_dependent(unsigned blocks, Thread thread, unsigned cluster = 1, cudaStream_t stream = nullptr) {
  static const char key = 0;
  return emulation::launch({blocks, 32, 0, cluster, true}, stream, &key, [=] {
    if (threadIdx.x == 0) thread();
  });
}

}  // namespace

cudaError_t neighbours_value(int* out, Wait barrier) {
  return run(1, 64, 64 * sizeof(int), 1, [=] {
    int* shared = dynamic_shared<int>();
    shared[threadIdx.x] = static_cast<int>(threadIdx.x);
    if (barrier == Wait::kept) __syncthreads();
    out[threadIdx.x] = shared[63 - threadIdx.x];
  });
}

cudaError_t neighbours_shared_memory(int* out, Wait last) {
  return run(2, 32, sizeof(int), 2, [=] {
    const auto cluster = cooperative_groups::this_cluster();
    const int rank = static_cast<int>(cluster.block_rank());
    int* shared = dynamic_shared<int>();
    *shared = 100 + rank;
    cluster.sync();
    out[blockIdx.x] = *cluster.map_shared_rank(shared, 1 - rank);
    if (last == Wait::kept) cluster.sync();  // no block leaves while the other reads
  });
}

cudaError_t ranks_of_cluster(int* ranks, unsigned blocks, bool allowed) {
  static const char key = 0;
  cudaFuncSetAttribute(&key, cudaFuncAttributeNonPortableClusterSizeAllowed, allowed ? 1 : 0);
  return emulation::launch({blocks, 32, 0, blocks}, nullptr, &key, [=] {
    ranks[blockIdx.x] = static_cast<int>(cooperative_groups::this_cluster().block_rank());
  });
}

cudaError_t copied(const int* from, int* out, Wait wait) {
  return run(1, 32, 32 * 16, 1, [=] {
    int* mine = dynamic_shared<int>() + 4 * threadIdx.x;
    copy_async(shared_address(mine), from + 4 * threadIdx.x, 16, 8);
    commit_copies();
    wait_for_copies(wait == Wait::kept ? 0 : 1);
    for (int i = 0; i < 4; ++i) out[4 * threadIdx.x + i] = mine[i];
  });
}

cudaError_t bulk_copied(const int* from, int* out, Wait wait) {
  return run(1, 32, 16 + 32 * sizeof(int), 1, [=] {
    int* shared = dynamic_shared<int>();
    const std::uint32_t barrier = shared_address(shared), words = barrier + 16;
    if (threadIdx.x == 0) {
      init_barrier(barrier, 1);
      arrive_expecting(barrier, 32 * sizeof(int));
      bulk_copy(words, from, 32 * sizeof(int), barrier);
    }
    __syncthreads();
    while (wait == Wait::kept && !has_ended(barrier, 0)) {
    }
    out[threadIdx.x] = shared[4 + threadIdx.x];
    while (!has_ended(barrier, 0)) {
    }
  });
}

cudaError_t loaded_then_overwritten(const int* from, std::uint32_t* out, Use use, int beside) {
  return run(1, 1, 16 + 64, 1, [=] {
    int* shared = dynamic_shared<int>();
    const std::uint32_t barrier = shared_address(shared), words = barrier + 16;
    init_barrier(barrier, 1);
    for (int i = 0; i < 16; ++i) shared[4 + i] = i;
    const uint2 loaded = {LateWord::loaded(words + 24), LateWord::loaded(words + 28)};
    if (use == Use::first) out[0] = loaded.x ^ loaded.y;
    const LateWord first = use == Use::copied ? LateWord(loaded.x) : LateWord();
    __syncthreads();
    shared[4 + 6] = 100;  // a write behind the barrier does not overtake the load
    arrive_expecting(barrier, 32);
    bulk_copy(words + beside, from, 32, barrier);
    out[0] = use == Use::copied ? first : loaded.x;
    out[1] = loaded.y;
    while (!has_ended(barrier, 0)) {
    }
  });
}

cudaError_t copied_16_bytes(const int* from) {
  return run(1, 1, 16, 1, [=] {
    copy_async(shared_address(dynamic_shared<int>()), from, 16, 16);
    commit_copies();
    wait_for_copies(0);
  });
}

cudaError_t added_in_bulk(int* to, int bytes, unsigned source) {
  return run(1, 1, 64, 1, [=] {
    int* zeros = dynamic_shared<int>();
    for (int i = 0; i < 16; ++i) zeros[i] = 0;
    show_to_bulk_copies();
    bulk_add(to, shared_address(zeros) + source, bytes);
    finish_bulk_additions();
  });
}

cudaError_t read_behind(const int* from, int count, int* out) {
  return run(1, 1, 0, 1, [=] { *out = from[count]; });
}

cudaError_t begins_next_then_writes(int* written, cudaStream_t stream) {
  const auto thread = [=] {
    cudaTriggerProgrammaticLaunchCompletion();
    *written = 5;
  };
  return run_dependent(1, thread, 1, stream);
}

cudaError_t reads(const int* written, int* out, cudaStream_t stream) {
  const auto thread = [=] { *out = *written; };
  return run_dependent(1, thread, 1, stream);
}

cudaError_t writes_then_read(int* written, int* out, Wait wait, cudaStream_t stream) {
  const cudaError_t error = begins_next_then_writes(written, stream);
  if (error != cudaSuccess) return error;
  const auto second = [=] {
    if (wait == Wait::kept) cudaGridDependencySynchronize();
    *out = *written;
  };
  return run_dependent(1, second, 1, stream);
}

cudaError_t writes_and_ends_then_read(int* written, int* out) {
  const cudaError_t error = run_dependent(1, [=] { *written = 5; });
  return error != cudaSuccess ? error : run_dependent(1, [=] { *out = *written; });
}

cudaError_t one_of_two_lets_next_begin(int* written, int* out, unsigned cluster) {
  const auto first = [=] {
    if (blockIdx.x == 0) cudaTriggerProgrammaticLaunchCompletion();
    written[blockIdx.x] = 5;
  };
  const cudaError_t error = run_dependent(2, first, cluster);
  if (error != cudaSuccess) return error;
  return run_dependent(1, [=] {
    for (int i = 0; i < 2; ++i) out[i] = written[i];
  });
}

cudaError_t third_reads_of_first(int* written, int* out, Wait second) {
  cudaError_t error = begins_next_then_writes(written);
  if (error != cudaSuccess) return error;
  error = run_dependent(1, [=] {
    cudaTriggerProgrammaticLaunchCompletion();
    if (second == Wait::kept) cudaGridDependencySynchronize();
  });
  if (error != cudaSuccess) return error;
  return run_dependent(1, [=] {
    cudaGridDependencySynchronize();
    *out = *written;
  });
}

cudaError_t third_reads_behind_an_end(int* written, int* out) {
  cudaError_t error = begins_next_then_writes(written);
  if (error == cudaSuccess) error = does_nothing();
  if (error != cudaSuccess) return error;
  return run_dependent(1, [=] {
    cudaGridDependencySynchronize();
    *out = *written;
  });
}

cudaError_t many_blocks_read(int* written, int* out, unsigned blocks) {
  const cudaError_t error = begins_next_then_writes(written);
  if (error != cudaSuccess) return error;
  return run_dependent(blocks, [=] {
    cudaGridDependencySynchronize();
    out[blockIdx.x] = *written;
  });
}

cudaError_t reads_on_another_stream(int* written, int* out) {
  cudaError_t error = begins_next_then_writes(written);
  if (error != cudaSuccess) return error;
  cudaStream_t other = nullptr;
  error = cudaStreamCreate(&other);
  if (error == cudaSuccess) error = reads(written, out, other);
  cudaStreamDestroy(other);
  return error;
}

cudaError_t count_what_many_wrote(int* written, int* out, unsigned blocks) {
  const cudaError_t error = run_dependent(blocks, [=] {
    cudaTriggerProgrammaticLaunchCompletion();
    written[blockIdx.x] = 5;
  });
  if (error != cudaSuccess) return error;
  return run_dependent(1, [=] {
    *out = 0;
    for (unsigned i = 0; i < blocks; ++i) *out += written[i] == 5 ? 1 : 0;
  });
}

cudaError_t does_nothing() {
  return run_dependent(1, [] {});
}

cudaError_t counted_then_read(int* written, std::uint32_t* counter, int* out, Order order) {
  const cudaError_t error = run_dependent(2, [=] {
    cudaTriggerProgrammaticLaunchCompletion();
    if (order == Order::write_first) written[blockIdx.x] = 5;
    __threadfence();
    atomicAdd(counter, 1u);
    written[blockIdx.x] = 5;
  });
  if (error != cudaSuccess) return error;
  return run_dependent(1, [=] {
    while (look_at(counter, Load::acquire) < 2) __nanosleep(64);
    for (int i = 0; i < 2; ++i) out[i] = written[i];
  });
}

cudaError_t begins_next_then_reads_behind(const int* from, int count, int* out) {
  return run_dependent(1, [=] {
    cudaTriggerProgrammaticLaunchCompletion();
    *out = from[count];
  });
}

cudaError_t polls_for_ever(std::uint32_t* counter) {
  return run_dependent(1, [=] {
    while (look_at(counter, Load::acquire) != 0) __nanosleep(64);
  });
}

cudaError_t barrier_of_some() {
  return run(1, 32, 0, 1, [=] {
    if (threadIdx.x < 16) {
      __syncwarp();
    } else {
      __syncthreads();
    }
  });
}

}  // namespace skt::emulated_tests
