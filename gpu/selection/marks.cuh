// Which keys of a block's share does a threshold select, and which does it leave open?
//
// Two bits to a key, by comparing scores: "selected whatever becomes of the threshold" and "in the threshold's
// interval". The keys in it are gathered, few as they are, to settle the threshold. It would be wrong if a comparison
// of scores differed from one of their ordered keys: tests/gpu/functors/ordered_key_test.cpp.
#pragma once

#include <cuda_bf16.h>

#include <cstddef>
#include <cstdint>

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
__device__ inline void mark_batch(const Share<float>& share, int first, const Batch<float>& batch, float open_from,
                                  float certain_from, const KeyBits& bits) {
  const int lane = threadIdx.x % 32;
  const bool writes = lane == 0;
  Word* word = bits.word + (first - bits.first_key) / 32;
  if (share.is_plain(first, Batch<float>::kKeys)) {
#pragma unroll
    for (int i = 0; i < Batch<float>::kReads; ++i) {
      const std::uint32_t certain = __ballot_sync(~0u, batch.scores[i] >= certain_from);
      const std::uint32_t reached = __ballot_sync(~0u, batch.scores[i] >= open_from);
      if (writes) word[i] = {certain, reached & ~certain};
    }
    return;
  }
#pragma unroll
  for (int i = 0; i < Batch<float>::kReads; ++i) {
    const int key = first + 32 * i + lane;
    const bool unscored = key >= share.unscored_begin && key < share.end;
    const bool forced = share.is_forced(key) && (batch.scores[i] > -INFINITY || unscored);
    const bool is_certain = forced || batch.scores[i] >= certain_from;
    const bool is_tied = !share.is_forced(key) && !is_certain && batch.scores[i] >= open_from;
    const std::uint32_t certain = __ballot_sync(~0u, is_certain);
    const std::uint32_t tied = __ballot_sync(~0u, is_tied);
    if (writes && first + 32 * i < share.end) word[i] = {certain, tied};
  }
}

// A bit for each of eight scores that compare(pair of scores) has ones for.
template <class Compare>
__device__ inline std::uint32_t bits_of_eight(const EightScores& scores, Compare&& compare) {
  std::uint32_t bits = 0;  // of the even scores in the lower half, of the odd ones in the upper
#pragma unroll
  for (int pair = 0; pair < kEight / 2; ++pair) {
    bits |= compare(scores.pairs[pair]) & ((1u << (2 * pair)) | (1u << (16 + 2 * pair + 1)));
  }
  return (bits | bits >> 16) & 0xffu;
}
// Of eight keys from `key` on: those before `end`.
__device__ inline std::uint32_t bits_before(int key, int end) {
  return (1u << min(max(end - key, 0), kEight)) - 1u;
}

// The same of bf16, whose lanes have eight keys each: their bits are a byte of `certain` and one of `tied`, and what stands
// behind the end is 0 to the end of its word.
__device__ inline void mark_batch(const Share<std::uint16_t>& share, int first, const Batch<std::uint16_t>& batch,
                                  float open_from, float certain_from, const KeyBits& bits) {
  // The lowest bf16 number that reaches them, as they may lie between two.
  const __nv_bfloat162 open = __bfloat162bfloat162(__float2bfloat16_ru(open_from));
  const __nv_bfloat162 above = __bfloat162bfloat162(__float2bfloat16_ru(certain_from));
#pragma unroll
  for (int i = 0; i < Batch<std::uint16_t>::kReads; ++i) {
    const EightScores& eight = batch.scores[i];
    const bool plain = share.is_plain(first + 32 * kEight * i, 32 * kEight);
    const int key = Batch<std::uint16_t>::key(first, i);
    std::uint32_t certain = bits_of_eight(eight, [&](__nv_bfloat162 pair) { return __hge2_mask(pair, above); });
    std::uint32_t tied = bits_of_eight(eight, [&](__nv_bfloat162 pair) { return __hge2_mask(pair, open); }) & ~certain;
    if (!plain) {
      if (key >= (share.end + 31) / 32 * 32) return;
      const __nv_bfloat162 never = __bfloat162bfloat162(__float2bfloat16_rn(-INFINITY));
      const std::uint32_t there = bits_before(key, share.end);
      const std::uint32_t forced = there & (bits_before(key, share.sink) | ~bits_before(key, share.window_begin));
      const std::uint32_t may_be = bits_of_eight(eight, [&](__nv_bfloat162 pair) { return __hgt2_mask(pair, never); });
      certain = there & (certain | (forced & (may_be | ~bits_before(key, share.unscored_begin))));
      tied &= there & ~forced;
    }
    auto* word = reinterpret_cast<std::uint8_t*>(bits.word + (key - bits.first_key) / 32);
    const int byte = (key - bits.first_key) / kEight % 4;
    word[offsetof(Word, certain) + byte] = static_cast<std::uint8_t>(certain);
    word[offsetof(Word, tied) + byte] = static_cast<std::uint8_t>(tied);
  }
}

template <class Score>
__device__ void mark_share(const Share<Score>& share, const Batch<Score>& first_batch, const Threshold& threshold,
                           const KeyBits& bits) {
  const float open_from = reached_by(threshold.base);
  const float certain_from = reached_by(threshold.base + threshold.span + 1);
  share.for_each_batch(first_batch, [&](int first, const Batch<Score>& batch) {
    mark_batch(share, first, batch, open_from, certain_from, bits);
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
