// How do the half-tables of a block's rows come to its shared memory?
//
// One head's are kept as they are given: on sm_90 bulk copies bring them, and a barrier in shared memory counts their
// bytes, so that no thread spends instructions on them. Four heads' are put together by the threads
// (gpu/packed_scores/lanes.cuh), as are all on sm_80. Tables that fill up the last chain are 0.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "gpu/device/barrier.cuh"
#include "gpu/device/bulk_copy.cuh"
#include "gpu/functors/half_score.hpp"
#include "gpu/functors/half_table.hpp"
#include "gpu/socketlab_gpu.h"

namespace skt::gpu {

constexpr int padded(int tables) {
  return (tables + kChainTables - 1) / kChainTables * kChainTables;
}

// Bytes of a row's tables in shared memory: [padded tables, words_per_entry, entries].
template <class Lanes>
__host__ __device__ constexpr int tables_bytes(int tables, int planes) {
  return 4 * Lanes::words_per_entry * padded(tables) * half_table_entries(planes);
}
constexpr int kTablesBarrierBytes = 8;

template <int planes, class Lanes>
class BlockTables {
 public:
  // `barrier` is a shared-memory address. Of all threads, a barrier of the block before anything else.
  __device__ BlockTables(std::byte* memory, std::uint32_t barrier, int rows, int tables)
      : memory_(memory), barrier_(barrier), tables_(tables) {
    if constexpr (kByBulk) {
      if (threadIdx.x == 0) init_copy_barrier(barrier_);
      const int filling = (padded(tables_) - tables_) * kEntries;
      for (int i = threadIdx.x; i < rows * filling; i += blockDim.x) {
        row_begin(i / filling)[tables_ * kEntries + i % filling] = 0;
      }
    }
  }

  // Begins the bulk copies of the tables of `rows` rows, row_of(0), row_of(1), .., if there are any. Of all threads,
  // behind a barrier of the block; what was looked up in the tables before has been added by then, as a bulk copy waits
  // for no load.
  template <class RowOf>
  __device__ void begin(const skt_score_packed_args& args, int rows, const RowOf& row_of) const {
    if constexpr (kByBulk) {
      if (threadIdx.x != 0) return;
      const int bytes = tables_ * kEntries * 4;
      expect_bytes(barrier_, rows * bytes);
      for (int i = 0; i < rows; ++i) {
        const std::uint32_t to = __cvta_generic_to_shared(row_begin(i));
        bulk_copy(to, args.half_tables + row_of(i) * row_floats(), bytes, barrier_);
      }
    }
  }

  // Brings the tables that no bulk copy brings, and waits for all: those of the heads of one pass, of which
  // `heads_left` exist. Of all threads.
  template <class RowOf>
  __device__ void finish(const skt_score_packed_args& args, int rows, int heads_left, const RowOf& row_of) {
    if constexpr (kByBulk) {
      wait_for_bytes(barrier_, copies_++ % 2);
    } else {
      for (int i = 0; i < rows; ++i) {
        put_together(args.half_tables + row_of(i) * row_floats(), heads_left, row_begin(i));
      }
      block_barrier();
    }
  }

 private:
  static constexpr bool kByBulk = kHasBulkCopies && Lanes::kept_as_given;
  static constexpr int kEntries = half_table_entries(planes);

  __device__ std::int64_t row_floats() const { return std::int64_t{tables_} * kEntries; }
  __device__ float* row_begin(int row) const {
    return reinterpret_cast<float*>(memory_ + row * tables_bytes<Lanes>(tables_, planes));
  }

  // Four entries at a time, so that a thread's loads are few and in flight together: the block waits for them.
  __device__ void put_together(const float* first_head, int heads_left, float* to) const {
    const int thread = threadIdx.x;
    const int threads = blockDim.x;
#pragma unroll 2
    for (int i = 4 * thread; i < padded(tables_) * kEntries; i += 4 * threads) {
      const int table = i / kEntries;
      Lanes::store(reinterpret_cast<float4*>(to + table * (Lanes::words_per_entry - 1) * kEntries + i), kEntries / 4,
                   first_head + i, row_floats(), table < tables_ ? heads_left : 0);
    }
  }

  std::byte* memory_;
  std::uint32_t barrier_;
  int tables_;
  std::uint32_t copies_ = 0;
};

}  // namespace skt::gpu
