// What do the drawn keys of a list weigh for its heads? Blocks of the attention's kernel say so, beside those of the list.
//
// Arithmetic: fp32. Such a block draws from its part of the row (gpu/attention/draw_rest.cuh) and attends to what it drew
// by the instructions that attend to a list, with weights over probabilities in place of weights. Behind it the logits
// become the sums that limits need. Warps and parts are added in a fixed order: the same bits on every run.
// Ceilings of the weights: gpu/attention/rest_ceilings.cuh.
// Error: gpu/check/references/rest.hpp.
// Bytes: 2 * dim * element to a drawn key.
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>

#include "gpu/attention/arguments.cuh"
#include "gpu/attention/draw_rest.cuh"
#include "gpu/attention/parts.cuh"
#include "gpu/attention/rest_ceilings.cuh"
#include "gpu/decode/row_progress.cuh"
#include "gpu/device/barrier.cuh"
#include "gpu/functors/packed_codes.hpp"
#include "gpu/rest/arguments.hpp"

namespace skt::gpu {

// Weights of a round of a list (SoftmaxWeights in gpu/attention/average.cuh), or of drawn keys.
struct RestWeights {
  int left;              // keys of the round that count
  const float* factors;  // of its drawn keys, 0 for what is listed; null: of a list
  float* logits;         // of its keys, for the lane's head; or null

  __device__ float logit(int key, float any) const {
    const bool counts = key < left;
    if (factors == nullptr) return counts ? any : -INFINITY;
    if (counts && logits != nullptr) logits[key] = any;
    return counts && factors[key] != 0 ? any : -INFINITY;
  }
  __device__ float scaled(int key, float weight) const {
    return factors == nullptr || key >= left ? weight : weight * factors[key];
  }
};

template <int most_heads>
struct RestBlock {
  QueryNumbers of_query[most_heads];
  RestSums of_warps[kAttentionWarps];
  DrawnRow row;
};

template <class Average>
__device__ void measure_queries(const RestArguments& kernel, const Target& target, int heads, const void* queries,
                                QueryNumbers (&of_query)[Average::heads]) {
  const int warp = static_cast<int>(threadIdx.x) / 32;
  if (static_cast<int>(threadIdx.x) < heads) of_query[threadIdx.x] = {};
  block_barrier();
  // As many warps to each head.
  const int parts = max(kAttentionWarps / heads, 1);
  for (int i = warp; i < heads * parts; i += kAttentionWarps) {
    const int head = i % heads, part = i / heads;
    const float square = square_of_query<typename Average::Element, Average::dim>(queries, target.first + head);
    // Bits of numbers that are not negative rise with them.
    const std::uint32_t largest =
        __reduce_max_sync(~0u, __float_as_uint(largest_projection(kernel, target.first + head, part, parts)));
    const float length = sqrtf(warp_sum(square));
    if (threadIdx.x % 32 != 0) continue;
    atomicMax(reinterpret_cast<std::uint32_t*>(&of_query[head].projection), largest);
    of_query[head].length = length;  // of every part the same
  }
}

// Of all threads of a block: draws from a part of a row, slot `slot` of [lists, passes, kMostRestParts]. `whole`: the sequence
// is attended to whole, and there is no rest.
template <class Average>
__device__ DrawnList draw_part(const AttentionArguments& a, const Target& target, int slot, bool whole,
                               DrawShared& shared, RestBlock<Average::heads>& block) {
  static_assert(Average::heads == 1 || Average::heads == kRestHeads);
  const RestArguments& kernel = a.rest;
  DrawnList list = {kernel.drawn.of_slot(slot, kernel.room), 0, {}};
  if (kernel.scored == nullptr) wait_for_previous_kernel();
  if (!whole) {
    if (threadIdx.x == 0) shared.norm = shared.drawn = 0;
    // Where rows are counted the sums of half-tables, which the scores' kernel waited for, are there before the scores are.
    measure_queries<Average>(kernel, target, min(target.heads, Average::heads), a.args.queries, block.of_query);
    const ScoreRow of_list(kernel, target.list);
    if (kernel.scored == nullptr) {
      block_barrier();
    } else {
      wait_for_row(kernel.scored, target.list, ceil_div(of_list.length, to_int(kTileKeys)));
    }
    const DrawnRow row = draw_rest(kernel, of_list, slot, shared);
    if (threadIdx.x == 0) block.row = row;
    list.count = to_int(min(row.drawn, static_cast<std::uint32_t>(kernel.room)));
  }
  return list;
}

// Of all threads, while the keys are on their way: `factors` [room], one over the probability of a drawn key, or 0 where
// it is listed.
__device__ inline void settle_drawn(const AttentionArguments& a, const Target& target, bool whole, DrawnList& drawn,
                                    float* factors) {
  if (a.listed != nullptr) wait_for_row(a.listed, target.list, kWholeRow);
  if (!whole) drawn.end = a.rest.ends[target.list];
#pragma unroll 1
  for (int i = static_cast<int>(threadIdx.x); i < drawn.count; i += kAttentionThreads) {
    factors[i] = drawn.is_rest(i) ? 1 / rest_probability<float>(drawn.drawn.last[i]) : 0;
  }
  block_barrier();
}

// Of all threads: the sums of part `part`, relative to its exponent, from the logits of `heads` heads. `softmax`: [heads,
// warps], in shared memory.
template <int most_heads>
__device__ void sum_drawn(const RestArguments& kernel, const Target& target, int part, int heads, bool whole,
                          const DrawnList& list, const Part* softmax, const float* factors,
                          RestBlock<most_heads>& block) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int to_head = kAttentionWarps / heads;  // warps
  const int head = warp / to_head;
  RestSums sums = {};
  if (head < heads && !whole) {
    const float exponent =
        warp_max(lane < kAttentionWarps ? softmax[head * kAttentionWarps + lane].exponent : Part{}.exponent);
    const float* const logits = kernel.logits_of(target.first + head, part);
    sums.octaves = octaves_of(kernel, target.first + head, block.of_query[head], block.row);
    const float ceiling = ceiling_of(0, 0, block.row.rate);
#pragma unroll 1
    for (int i = warp % to_head * 32 + lane; i < list.count; i += 32 * to_head) {
      const float factor = factors[i];
      if (factor == 0) continue;
      const float weight = exp2f(logits[i] - exponent) * factor;
      if (list.drawn.last[i] == kCertain) {
        sums.certain += weight;
        continue;
      }
      const float share = exp2f(logits[i] - sums.octaves) * factor / ceiling;
      sums.square += weight * weight * (1 - rest_probability<float>(list.drawn.last[i]));
#pragma unroll
      for (int bet = 0; bet < kFixedBets; ++bet) sums.lost[bet] += bet_lost(bet, fminf(share, 1));
      sums.broken += share <= 1 ? 0 : 1;
    }
    sums.certain = warp_sum(sums.certain);
    sums.square = warp_sum(sums.square);
    for (float& lost : sums.lost) lost = warp_sum(lost);
    sums.broken = __reduce_add_sync(~0u, sums.broken);
  }
  if (lane == 0) block.of_warps[warp] = sums;
  block_barrier();
  if (static_cast<int>(threadIdx.x) >= heads) return;
  const int mine = static_cast<int>(threadIdx.x);
  sums = block.of_warps[mine * to_head];
  for (int i = 1; i < to_head; ++i) {
    const RestSums& other = block.of_warps[mine * to_head + i];
    sums.certain += other.certain;
    sums.square += other.square;
    for (int bet = 0; bet < kFixedBets; ++bet) sums.lost[bet] += other.lost[bet];
    sums.broken += other.broken;
  }
  kernel.sums[std::int64_t{target.first + mine} * kMostRestParts + part] = sums;
}

}  // namespace skt::gpu
