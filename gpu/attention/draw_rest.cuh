// Which keys of the rest of a list are read? Blocks of the attention's kernel say so, while others wait for the list.
//
// CPU twin: twin_rest() in gpu/check/references/rest.hpp, in every bit.
// Functor: gpu/functors/rest_sample.hpp says what is drawn.
// Method: a block has a part of the row. The scores' counts in bins give the bin of the least listed candidate and the
// sum W, and so the largest word that may draw a key. The high bits of words say of 32 keys at once which may have one so
// small; those wait in a queue of the warp, so that all lanes have as many to look up. Which keys are listed need not be
// known yet: of the least one's bin a listed key may be drawn too, and is left out when the list is there (ListEnd).
// Such blocks are few, and their instructions are in no cache yet: short code matters more than unrolled loops.
// Bytes: counts and some scores, from L2.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "gpu/attention/arguments.cuh"
#include "gpu/device/barrier.cuh"
#include "gpu/device/warp_scan.cuh"
#include "gpu/functors/lengths.hpp"
#include "gpu/rest/arguments.hpp"

namespace skt::gpu {

constexpr int kMostRoom = rest_room(kMostRestSamples);
constexpr int kQueue =
    16384;  // words, as many to each warp: the memory of the rings, which is free until keys are copied
constexpr int kBinsOfThread = kScoreBins / kAttentionThreads;
static_assert(kBinsOfThread == 8);

// Of the row, in units of W; `heavy` keys score NaN and are drawn for certain.
struct RestCount {
  std::uint64_t units;
  std::uint32_t keys, heavy;
};

struct DrawShared {
  std::uint32_t warp_totals[kAttentionWarps];
  RestCount of_warps[kAttentionWarps];
  std::int32_t least;  // the bin of the least listed candidate
  std::uint32_t norm;  // bits of the largest one, in fp16: not negative, they rise with it, NaN above all
  std::int32_t drawn;
  // The high bits of words and, in the low ones, which keys they are of. Before, counts of scores.
  alignas(16) std::uint32_t queue[kQueue];
  std::int32_t keys[kMostRoom];  // drawn, in any order
  std::uint32_t last[kMostRoom], ordered[kMostRoom];
};

// A row of scores, of which keys are drawn.
struct ScoreRow {
  int list;
  int length, sink, window_begin;
  const void* scores;
  bool is_bf16;
  int scored;  // of the length: keys behind have no scores yet

  __device__ ScoreRow(const RestArguments& kernel, int of_list)
      : list(of_list),
        length(scored_length(kernel.sequences, of_list / kernel.lists_to_sequence)),
        sink(min(to_int(kernel.list.sink), length)),
        window_begin(gpu::window_begin(length, to_int(kernel.list.window))),
        scores(static_cast<const std::byte*>(kernel.scores) +
               of_list * kernel.capacity * (kernel.score_type == SKT_BF16 ? 2 : 4)),
        is_bf16(kernel.score_type == SKT_BF16),
        scored(length - kernel.unscored) {}
  __device__ bool is_open(int key) const { return key >= sink && key < window_begin; }
  __device__ int open_keys() const { return max(0, window_begin - sink); }
  __device__ float score(int key) const {
    return is_bf16 ? __bfloat162float(static_cast<const __nv_bfloat16*>(scores)[key])
                   : static_cast<const float*>(scores)[key];
  }
  // How many keys score NaN, of those that the thread looks at: of sink and window, or of all.
  __device__ std::uint32_t count_nan(bool of_all) const {
    const int begin = of_all ? 0 : max(sink, window_begin) - sink;  // what is passed over behind the sink
    std::uint32_t count = 0;
#pragma unroll 8
    for (int i = static_cast<int>(threadIdx.x); i < scored - begin; i += kAttentionThreads) {
      const float of_key = score(i < sink ? i : i + begin);
      count += of_key != of_key ? 1 : 0;
    }
    return count;
  }
};

// Counts the row's scores where none were counted when made; returns where the counts are.
__device__ inline const std::uint32_t* bins_of_row(const RestArguments& kernel, const ScoreRow& row,
                                                   DrawShared& shared) {
  if (kernel.counts != nullptr) return kernel.counts + std::int64_t{row.list} * kScoreBins;
  for (int bin = threadIdx.x; bin < kScoreBins; bin += kAttentionThreads) shared.queue[bin] = 0;
  block_barrier();
#pragma unroll 4
  for (int key = row.sink + static_cast<int>(threadIdx.x); key < row.window_begin; key += kAttentionThreads) {
    const float score = row.score(key);
    if (may_be_selected(score)) atomicAdd(&shared.queue[bin_of_score(score, kernel.lowest)], 1u);
  }
  block_barrier();
  return shared.queue;
}

// Of all warps; of all threads.
__device__ inline RestCount over_block(const RestCount& mine, RestCount (&of_warps)[kAttentionWarps]) {
  // In two words, as a warp adds no more than 32 bits at once.
  constexpr int kLowUnits = 20;
  const std::uint32_t low = __reduce_add_sync(~0u, static_cast<std::uint32_t>(mine.units) & ((1u << kLowUnits) - 1));
  const std::uint32_t high = __reduce_add_sync(~0u, static_cast<std::uint32_t>(mine.units >> kLowUnits));
  const RestCount of_warp = {(std::uint64_t{high} << kLowUnits) + low, __reduce_add_sync(~0u, mine.keys),
                             __reduce_add_sync(~0u, mine.heavy)};
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = of_warp;
  block_barrier();
  RestCount sum = {};
  for (const RestCount& warp : of_warps) {
    sum = {sum.units + warp.units, sum.keys + warp.keys, sum.heavy + warp.heavy};
  }
  return sum;
}

// The bin of the need-th key from above, of `total` in bins, of which a thread has kBinsOfThread, the first one the highest.
__device__ inline int bin_that_holds(const std::uint32_t* bins, std::uint32_t need, std::uint32_t& total,
                                     DrawShared& shared) {
  const int first = kBinsOfThread * (kAttentionThreads - 1 - static_cast<int>(threadIdx.x));
  const uint4 high = *reinterpret_cast<const uint4*>(bins + first + 4),
              low = *reinterpret_cast<const uint4*>(bins + first);
  const std::uint32_t falling[kBinsOfThread] = {high.w, high.z, high.y, high.x, low.w, low.z, low.y, low.x};
  std::uint32_t mine = 0, of_warp = 0;
  for (const std::uint32_t count : falling) mine += count;
  std::uint32_t above = scan_warp(mine, of_warp);
  if (threadIdx.x % 32 == 0) shared.warp_totals[threadIdx.x / 32] = of_warp;
  if (threadIdx.x == 0) shared.least = 0;
  block_barrier();
  total = 0;
  for (int warp = 0; warp < kAttentionWarps; ++warp) {
    if (warp < static_cast<int>(threadIdx.x) / 32) above += shared.warp_totals[warp];
    total += shared.warp_totals[warp];
  }
  need = min(need, total);
#pragma unroll
  for (int i = 0; i < kBinsOfThread; ++i) {
    if (above < need && need - above <= falling[i]) shared.least = first + kBinsOfThread - 1 - i;
    above += falling[i];
  }
  block_barrier();
  return shared.least;
}

// Of the bins up to `least`, whose keys count as the lowest score of theirs, and `heavy` keys beside them.
__device__ inline RestCount count_rest(const std::uint32_t* bins, int least, std::uint32_t lowest,
                                       const RestScale& scale, std::uint32_t heavy, DrawShared& shared) {
  RestCount mine = {0, heavy, heavy};
#pragma unroll 1
  for (int bin = static_cast<int>(threadIdx.x); bin <= least; bin += kAttentionThreads) {
    mine.keys += bins[bin];
    mine.units += std::uint64_t{bins[bin]} * scale.units_of(scale.weight(lowest_score_of(bin, lowest)));
  }
  return over_block(mine, shared.of_warps);
}

// Draws from the keys of a part of the row, in any order; none with a word above `most` need be looked at.
__device__ inline void draw_keys(const RestArguments& kernel, const ScoreRow& row, int part, const RestScale& scale,
                                 float rate, std::uint32_t most, DrawShared& shared) {
  constexpr int kAtOnce = 32 * 32;  // keys to a warp
  constexpr int kOfWarp = kQueue / kAttentionWarps;
  static_assert(kOfWarp >= 2 * kAtOnce);
  const RestStream stream = {static_cast<std::uint64_t>(kernel.rest.rest_seed), static_cast<std::uint32_t>(row.list),
                             kernel.rest.rest_step == nullptr ? 0 : static_cast<std::uint32_t>(*kernel.rest.rest_step)};
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int each = ceil_div(ceil_div(row.length, kernel.parts * kAttentionWarps), 32) * 32;
  const int begin = min((part * kAttentionWarps + warp) * each, row.length), end = min(begin + each, row.length);
  std::uint32_t* const queue = shared.queue + warp * kOfWarp;
  int base = begin, queued = 0;  // of the keys in the queue
#pragma unroll 1
  for (int first = begin; first < end; first += kAtOnce) {
    const int group = first + 32 * lane;
    const HighBits bits = high_bits(stream, group / 32);
    std::uint32_t keys = bits.at_most(most >> kLowBits);
    if (group >= end) keys = 0;  // what stands behind the row's end is not open
    std::uint32_t found = 0;
    int place = queued + static_cast<int>(scan_warp(__popc(keys), found));
    queued += static_cast<int>(found);
#pragma unroll 1
    for (; keys != 0; keys &= keys - 1) {
      const int i = __ffs(keys) - 1;
      queue[place++] = bits.of_key(i) << kLowBits | static_cast<std::uint32_t>(group + i - base);
    }
    const bool is_full = queued > kOfWarp - kAtOnce || first + 2 * kAtOnce - base > 1 << kLowBits;
    if (!is_full && first + kAtOnce < end) continue;
    warp_barrier();
#pragma unroll 1
    for (int i = lane; i < queued; i += 32) {
      const std::uint32_t high = queue[i] >> kLowBits << kLowBits;
      const int key = base + static_cast<int>(queue[i] - high);
      const float score = row.score(key);
      const std::uint32_t last = last_word(scale.weight(score), rate);
      const bool may_be =
          (score != score && key < row.scored) || (row.is_open(key) && score > -INFINITY && scale.may_be_rest(score));
      if ((high | low_bits(stream, key)) > last || !may_be) continue;
      const int drawn = atomicAdd(&shared.drawn, 1);
      if (drawn >= kernel.room) continue;
      shared.keys[drawn] = key;
      shared.last[drawn] = last;
      shared.ordered[drawn] = ordered_key(score);
    }
    warp_barrier();
    base = first + kAtOnce;
    queued = 0;
  }
  block_barrier();
}

// Puts what is drawn in order of the keys.
__device__ inline void put_drawn(const DrawnKeys& drawn, int count, const DrawShared& shared) {
#pragma unroll 1
  for (int i = static_cast<int>(threadIdx.x); i < count; i += kAttentionThreads) {
    const int key = shared.keys[i];
    int place = 0;
#pragma unroll 4
    for (int other = 0; other < count; ++other) place += shared.keys[other] < key ? 1 : 0;
    drawn.key[place] = key;
    drawn.last[place] = shared.last[i];
    drawn.ordered[place] = shared.ordered[i];
  }
}

// Of all threads, the first of which has cleared `norm` and `drawn` before a barrier: draws from a part of the row's keys
// to slot `slot` of [lists, passes, kMostRestParts], and says what there is to say of the row. Its scores are there.
__device__ inline DrawnRow draw_rest(const RestArguments& kernel, const ScoreRow& row, int slot, DrawShared& shared) {
  if (threadIdx.x < kMostNormShares) {
    const std::uint32_t* const norms = kernel.largest_norms + row.list / kernel.lists_to_kv_head * kernel.norm_shares;
    const int share = static_cast<int>(threadIdx.x);
    const std::uint32_t norm = __reduce_max_sync(~0u, share < kernel.norm_shares ? __ldcg(norms + share) : 0);
    if (share % 32 == 0) atomicMax(&shared.norm, norm);
  }
  const std::uint32_t budget = budget_of(row.length, to_int(kernel.list.budget), to_int(kernel.list.sparsity));
  std::uint32_t total = 0;
  const std::uint32_t* const bins = bins_of_row(kernel, row, shared);
  const int least = bin_that_holds(bins, max(budget, 1u), total, shared);
  // Scores of NaN are in no bin. Of sink and window what scores so is not listed either.
  const std::uint32_t heavy = row.count_nan(total != static_cast<std::uint32_t>(row.open_keys()));
  const RestScale scale = rest_scale(least, kernel.lowest, kernel.weight_scale, kernel.normalisers != nullptr);
  const RestCount of_row = count_rest(bins, least, kernel.lowest, scale, heavy, shared);
  const float rate = rest_rate(scale, of_row.units, of_row.keys, to_int(kernel.rest.rest_samples));
  // No key weighs more than one at the edge would.
  const std::uint32_t most = of_row.heavy != 0 ? kCertain : last_word(scale.weight(scale.edge), rate);
  draw_keys(kernel, row, slot % kMostRestParts, scale, rate, most, shared);
  put_drawn(kernel.drawn.of_slot(slot, kernel.room), min(shared.drawn, kernel.room), shared);
  const float norm = known(__half2float(__ushort_as_half(static_cast<unsigned short>(shared.norm))));
  const DrawnRow drawn = {
      static_cast<std::uint32_t>(shared.drawn), of_row.keys, rate, scale.normaliser, norm, known(scale.edge)};
  if (threadIdx.x == 0) kernel.rows[slot] = drawn;
  block_barrier();
  return drawn;
}

}  // namespace skt::gpu
