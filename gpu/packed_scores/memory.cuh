// What lies where in the shared memory of a block that scores packed codes?
//
// In this order: the half-tables of its rows, the counts of its rows, the slots of its warps, their barriers, the
// barrier of the half-tables.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "gpu/functors/score_bins.hpp"
#include "gpu/packed_scores/stage.cuh"
#include "gpu/packed_scores/tables.cuh"

namespace skt::gpu {

// Bytes of a row's counts.
template <class Lanes>
__host__ __device__ constexpr int counts_bytes(bool counted) {
  return counted ? int{sizeof(std::uint32_t)} * Lanes::lists * kScoreBins : 0;
}

template <int planes, class Lanes>
struct BlockMemory {
  int rows;
  int row_tables, row_counts;          // bytes of a row's half-tables and counts
  std::uint32_t* counts;               // [rows, lists, kScoreBins]
  std::uint32_t tables_at, counts_at;  // shared-memory addresses, and so below
  std::uint32_t slots_at, barriers_at, tables_barrier_at;

  __device__ BlockMemory(std::byte* memory, int rows, int tables, bool counted)
      : rows(rows), row_tables(tables_bytes<Lanes>(tables, planes)), row_counts(counts_bytes<Lanes>(counted)) {
    const unsigned warps = blockDim.x / 32;
    counts = reinterpret_cast<std::uint32_t*>(memory + rows * row_tables);
    tables_at = __cvta_generic_to_shared(memory);
    counts_at = tables_at + rows * row_tables;
    slots_at = counts_at + rows * row_counts;
    barriers_at = slots_at + warps * slots_bytes(planes);
    tables_barrier_at = barriers_at + warps * kBarriersBytes;
  }
  __device__ void clear_counts() const {
    for (int i = threadIdx.x; i < rows * row_counts / 4; i += blockDim.x) counts[i] = 0;
  }
  // Of the warp.
  __device__ Slots<planes> slots() const {
    const unsigned warp = threadIdx.x / 32;
    return {slots_at + warp * slots_bytes(planes), barriers_at + warp * kBarriersBytes};
  }
};

}  // namespace skt::gpu
