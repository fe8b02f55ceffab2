// How do the codes of a tile of keys reach the lanes of a warp, and what do the lanes look up for them?
//
// Stage by stage of 32 tables, whose codes fill `planes` words exactly. A stage's words are copied to one of two slots
// of shared memory that are the warp's own, asynchronously: registers hold too few loads in flight to wait for memory,
// and the compiler moves them behind the look-ups. As soon as the lanes have taken a stage out of its slot the stage
// after the next is copied there, while this one's tables are looked up. A lane owns 2 neighbouring keys.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "gpu/device/barrier.cuh"
#include "gpu/device/bulk_copy.cuh"
#include "gpu/functors/half_score.hpp"
#include "gpu/functors/packed_codes.hpp"

namespace skt::gpu {

constexpr int kStageTables = 32;
constexpr int kLaneKeys = 2;
constexpr int kTileWordBytes = int{kTileKeys} * 4;

constexpr int kSlots = 2;
// Of a warp: its slots, and a barrier for each.
constexpr int slots_bytes(int planes) {
  return kSlots * planes * kTileWordBytes;
}
constexpr int kBarriersBytes = kSlots * 8;

// A warp's slots, filled and emptied in turn. On sm_90 one bulk copy fills a slot, which costs the lanes neither
// instructions nor registers; a barrier in shared memory counts its bytes. On sm_80 the lanes copy 16 bytes each.
template <int planes>
class Slots {
 public:
  // Shared-memory addresses. Of all lanes of the warp, before anything else.
  __device__ Slots(std::uint32_t slots, std::uint32_t barriers) : slots_(slots), barriers_(barriers) {
#if __CUDA_ARCH__ >= 900
    if (threadIdx.x % 32 < kSlots) init_copy_barrier(barriers_ + threadIdx.x % 32 * 8);
    warp_barrier();
#endif
  }

  // Begins to copy a stage of a tile, `words` words but at most `planes`, to the slot that was taken last; the first
  // kSlots copies fill slots 0, 1 while none has been taken (`slot` says which). With no words nothing is copied.
  __device__ void copy(const std::uint32_t* tile_words, int words, std::uint32_t slot) {
    const int bytes = (planes < words ? planes : words) * kTileWordBytes;
    const std::uint32_t to = slots_ + slot * (planes * kTileWordBytes);
#if __CUDA_ARCH__ >= 900
    if (threadIdx.x % 32 == 0 && bytes > 0) {
      const std::uint32_t barrier = barriers_ + slot * 8 + empty_;
      expect_bytes(barrier, bytes);
      bulk_copy(to, tile_words, bytes, barrier);
    }
#else
    const int first = threadIdx.x % 32 * 16;
#pragma unroll
    for (int i = 0; i < planes * kTileWordBytes; i += 32 * 16) {
      if (first + i >= bytes) break;
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + first + i), "l"(tile_words + (first + i) / 4)
                   : "memory");
    }
    delay_here();
    asm volatile("cp.async.commit_group;" ::: "memory");
    delay_here();
#endif
  }

  // Waits for the next slot's copy and takes the lane's two keys out of it: `count` words, those that belong to tables
  // where the number of tables is a constant, else `planes`. Returns the slot, empty now.
  __device__ std::uint32_t take(uint2 (&stage)[planes], int count) {
    const std::uint32_t slot = next_ % kSlots;
#if __CUDA_ARCH__ >= 900
    wait_for_bytes(barriers_ + slot * 8, next_ / kSlots % 2);
#else
    delay_here();
    asm volatile("cp.async.wait_group %0;" ::"n"(kSlots - 1) : "memory");
    delay_here();
#endif
    warp_barrier();
#pragma unroll
    for (int i = 0; i < planes; ++i) {
      if (i >= count) break;
      asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];"
                   : "=r"(stage[i].x), "=r"(stage[i].y)
                   : "r"(slots_ + slot * (planes * kTileWordBytes) + threadIdx.x % 32 * 8 + i * kTileWordBytes)
                   : "memory");
    }
#if __CUDA_ARCH__ >= 900
    empty_ = zero_when_read(stage, count);
#endif
    warp_barrier();
    ++next_;
    return slot;
  }

 private:
  // 0, known when every lane has its words. A bulk copy is not ordered behind loads that were issued before
  // it, so that it must wait for their data: a fence that says so waits for stores and other loads too. The
  // vote is no barrier of the memory model: take() has one behind it.
  // Written so that no compiler sees that it is 0: at most 32 lanes vote.
  __device__ static std::uint32_t zero_when_read(const uint2 (&stage)[planes], int count) {
    std::uint32_t all = 0;
#pragma unroll
    for (int i = 0; i < planes; ++i) {
      if (i < count) all ^= stage[i].x ^ stage[i].y;
    }
    std::uint32_t zero = 0;
    const std::uint32_t votes = __ballot_sync(~0u, all != 0);
    asm volatile("{\n .reg .b32 count;\n popc.b32 count, %1;\n shr.u32 %0, count, 6;\n}" : "=r"(zero) : "r"(votes));
    return zero;
  }

  std::uint32_t slots_, barriers_;
  std::uint32_t next_ = 0;   // stages taken
  std::uint32_t empty_ = 0;  // 0, and what is computed from it comes after the last loads
};

// Adds `count` tables of a stage from its table `first` on; `words` [planes] hold the stage's codes of two keys.
// stage_begin is a shared-memory address, which the instruction adds that takes a half out of its byte, and what is
// known of a table's place is part of the load.
template <int planes, class Lanes, int first, int count>
__device__ void add_span(const uint2 (&words)[planes], std::uint32_t stage_begin, Lanes (&keys)[kLaneKeys]) {
  constexpr int low_bits = low_planes(planes);
  constexpr int high_bits = high_planes(planes);
  constexpr int pair_bytes = half_table_entries(planes) * 4;
  constexpr int table_bytes = pair_bytes * Lanes::words_per_entry;
  static_assert(kChainTables == kQuadTables && first % kQuadTables == 0 && count % kQuadTables == 0);
  const auto add = [&](const auto& word_of, int quad, Lanes& key) {
    const int slice = quad * planes;
    const std::uint32_t lows = quad_halves(word_of, slice, low_bits);
    const std::uint32_t highs = quad_halves(word_of, slice + low_bits, high_bits);
#pragma unroll
    for (int i = 0; i < kQuadTables; ++i) {
      const int high = (quad * kQuadTables + i) * table_bytes;
      const int low = high + (4 << high_bits);
      const std::uint32_t high_at = half_offset(highs, i, high_bits, stage_begin);
      const std::uint32_t low_at = half_offset(lows, i, low_bits, stage_begin);
      if (i == 0) {
        key.template add<true>(high_at, high, low_at, low, pair_bytes);
      } else {
        key.template add<false>(high_at, high, low_at, low, pair_bytes);
      }
    }
    key.end_chain();
  };
#pragma unroll
  for (int quad = first / kQuadTables; quad < (first + count) / kQuadTables; ++quad) {
    add([&](int i) { return words[i].x; }, quad, keys[0]);
    add([&](int i) { return words[i].y; }, quad, keys[1]);
  }
}

// The first `tables` of the stage's tables from `first` on, by spans of 32, 16, 8 and 4 with as few branches as the
// number allows: a branch ends what the compiler can overlap.
template <int planes, class Lanes, int first = 0, int span = kStageTables>
__device__ void add_tables(const uint2 (&words)[planes], std::uint32_t stage_begin, int tables,
                           Lanes (&keys)[kLaneKeys]) {
  if (tables >= first + span) {
    add_span<planes, Lanes, first, span>(words, stage_begin, keys);
  } else if constexpr (span == kQuadTables) {
    if (tables > first) add_span<planes, Lanes, first, span>(words, stage_begin, keys);
  } else {
    add_tables<planes, Lanes, first, span / 2>(words, stage_begin, tables, keys);
    if (tables <= first + span / 2) return;
    add_tables<planes, Lanes, first + span / 2, span / 2>(words, stage_begin, tables, keys);
  }
}

}  // namespace skt::gpu
