// Which keys of a block's share does a threshold select, and which does it leave open?
//
// Two bits to a key, by comparing scores: "selected whatever becomes of the threshold" and "in the threshold's
// interval". The keys in it are gathered, few as they are, to settle the threshold. It would be wrong if a comparison
// of scores differed from one of their ordered keys: tests/gpu/functors/ordered_key_test.cpp.
#pragma once

#include "gpu/selection/row.cuh"
#include "gpu/selection/threshold.cuh"

namespace skt::gpu {

// How many keys are selected whatever the ties do, and how many tie with the threshold or may.
struct Place {
  std::uint32_t certain;
  std::uint32_t tied;

  __device__ std::uint32_t selected(std::uint32_t need) const { return certain + min(tied, need); }
};

// 32 keys, the lowest index in the lowest bit; no key has both bits.
struct alignas(8) Word {
  std::uint32_t certain;
  std::uint32_t tied;
};

// The bits of a block's share of the row, in order of the index.
struct KeyBits {
  Word* word;
  int words;
  int first_key;
};

struct MarksShared {
  Place here;                              // of this block; where keys are gathered, `tied` of them
  std::uint32_t gathered[kGatheredKeys];   // keys of this block in the threshold's interval, in any order
  std::uint32_t positions[kGatheredKeys];  // and where they stand in the block's share
};

// Where a key is neither forced nor behind the end, its bits are two comparisons of its score.
template <class Score>
__device__ void mark_share(const Share<Score>& share, const Batch<Score>& first_batch, const Threshold& threshold,
                           const KeyBits& bits) {
  const float open_from = reached_by(threshold.base);
  const float certain_from = reached_by(threshold.base + threshold.span + 1);
  const int lane = threadIdx.x % 32;
  const bool writes = lane == 0;
  share.for_each_batch(first_batch, [&](int first, const Batch<Score>& batch) {
    Word* word = bits.word + (first - bits.first_key) / 32;
    if (share.is_plain(first)) {
#pragma unroll
      for (int i = 0; i < kBatch; ++i) {
        const std::uint32_t certain = __ballot_sync(~0u, batch.score(i) >= certain_from);
        const std::uint32_t reached = __ballot_sync(~0u, batch.score(i) >= open_from);
        if (writes) word[i] = {certain, reached & ~certain};
      }
      return;
    }
#pragma unroll
    for (int i = 0; i < kBatch; ++i) {
      const int key = first + 32 * i + lane;
      const bool forced = share.is_forced(key) && batch.score(i) > -INFINITY;
      const bool is_certain = forced || batch.score(i) >= certain_from;
      const bool is_tied = !share.is_forced(key) && !is_certain && batch.score(i) >= open_from;
      const std::uint32_t certain = __ballot_sync(~0u, is_certain);
      const std::uint32_t tied = __ballot_sync(~0u, is_tied);
      if (writes && first + 32 * i < share.end) word[i] = {certain, tied};
    }
  });
  warp_barrier();
}

// Counts the bits of a warp's share and, if its tied keys are still open, gathers them: their positions first, so that
// the reads of their scores overlap.
template <class Score>
__device__ void count_and_gather(const Share<Score>& share, bool gathers, const KeyBits& bits, MarksShared& shared) {
  if (share.begin >= share.end) return;
  const int lane = threadIdx.x % 32;
  const int words_begin = (share.begin - bits.first_key) / 32 + lane;
  const int words_end = (share.end - bits.first_key + 31) / 32;
  Place mine = {0, 0};
  for (int i = words_begin; i < words_end; i += 32) {
    mine.certain += __popc(bits.word[i].certain);
    mine.tied += __popc(bits.word[i].tied);
  }
  Place of_warp = {__reduce_add_sync(~0u, mine.certain), 0};
  std::uint32_t slot = scan_warp(mine.tied, of_warp.tied);
  std::uint32_t first_slot = 0;
  if (lane == 0) {
    atomicAdd(&shared.here.certain, of_warp.certain);
    first_slot = atomicAdd(&shared.here.tied, of_warp.tied);
  }
  if (!gathers) return;
  first_slot = __shfl_sync(~0u, first_slot, 0);
  slot += first_slot;
  for (int i = words_begin; i < words_end; i += 32) {
    for (std::uint32_t left = bits.word[i].tied; left != 0; left &= left - 1) {
      shared.positions[slot++] = 32 * i + __ffs(left) - 1;
    }
  }
  warp_barrier();
#pragma unroll 1
  for (std::uint32_t i = first_slot + lane; i < first_slot + of_warp.tied; i += 32) {
    shared.gathered[i] = ordered_key(score_of(score_at(share.scores + bits.first_key + shared.positions[i])));
  }
}

}  // namespace skt::gpu
