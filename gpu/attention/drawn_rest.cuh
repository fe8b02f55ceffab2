// What do the drawn keys of a list weigh for its heads? Blocks of the attention's kernel say so, beside those of the list.
//
// Arithmetic: fp32. A warp takes 16 of the drawn keys at a time. Two lanes share a key: each adds half of its coordinates to
// the logits of all heads, and then takes every second head. Sums of a warp are relative to 2^e, with an integer e that rises
// when a logit passes it, so that rescaling is exact; warps are added by a butterfly: the same bits on every run.
// Ceilings of the weights: gpu/attention/rest_ceilings.cuh.
// Error: gpu/check/references/rest.hpp.
// Bytes: 2 * dim * element to a drawn key where the output is asked for, else half.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "gpu/attention/rest_ceilings.cuh"
#include "gpu/attention/rows.cuh"
#include "gpu/decode/row_progress.cuh"
#include "gpu/device/barrier.cuh"
#include "gpu/functors/group_weights.hpp"
#include "gpu/functors/softmax_merge.hpp"
#include "gpu/rest/arguments.hpp"

namespace skt::gpu {

constexpr int kHalf = 16;                 // keys of a warp at a time
constexpr float kMostExponent = 0x1p24f;  // beyond it logits are no numbers to go by

__device__ inline float over_half(float mine, auto&& join) {
#pragma unroll
  for (int lanes = kHalf / 2; lanes > 0; lanes /= 2) mine = join(mine, __shfl_xor_sync(~0u, mine, lanes));
  return mine;
}
__device__ inline float half_sum(float mine) {
  return over_half(mine, [](float a, float b) { return a + b; });
}

// Of a head, in 16 lanes.
struct HeadSums {
  float exponent = -kMostExponent;
  RestSums sums = {};

  // Adds a key of each lane that has one; of all lanes. Returns its weight, and the factor of what was added before.
  __device__ float add(bool has_key, float logit, std::uint32_t last, float octaves, float rate, float& factor) {
    const float most = over_half(has_key ? logit : -INFINITY, [](float a, float b) { return fmaxf(a, b); });
    const float raised = fminf(fmaxf(exponent, ceilf(most)), kMostExponent);
    factor = rescale_factor(exponent, raised);
    exponent = raised;
    const float probability = rest_probability<float>(last);
    const float weight = has_key ? exp2f(logit - exponent) / probability : 0;
    const bool is_drawn = has_key && last != kCertain;
    const float share = is_drawn ? exp2f(logit - octaves) / probability / ceiling_of(0, 0, rate) : 0;
    sums.all = sums.all * factor + half_sum(weight);
    sums.certain = sums.certain * factor + half_sum(is_drawn ? 0 : weight);
    sums.square = sums.square * factor * factor + half_sum(is_drawn ? weight * weight * (1 - probability) : 0);
#pragma unroll
    for (int bet = 0; bet < kFixedBets; ++bet) sums.lost[bet] += half_sum(bet_lost(bet, fminf(share, 1)));
    const unsigned broken = __ballot_sync(~0u, !(share <= 1));
    sums.broken += __popc(threadIdx.x % 32 < kHalf ? broken & 0xffffu : broken >> 16);
    return weight;
  }
};

// The list of a block, and its first query head.
struct RestOfList {
  int list, first, heads;
  int part;    // of kRestParts
  bool whole;  // attended to whole: there is no rest
};

template <class Element_, int dim_, int warps_, int most_heads_>
struct alignas(16) RestShared {
  using Element = Element_;
  static constexpr int dim = dim_, warps = warps_, most_heads = most_heads_, threads = 32 * warps;

  float queries[most_heads][dim];
  float vectors[warps][most_heads][dim];
  QueryNumbers of_query[most_heads];
  float octaves[most_heads];
  float logits[warps][most_heads][kHalf];   // of a warp's keys, to base 2,
  float weights[warps][most_heads][kHalf];  // and their weights, relative to 2^exponent
  float factors[warps][most_heads];         // of what was added before
  HeadSums sums[warps][most_heads];
  std::uint32_t rest_keys[warps];  // how many of a warp's are not listed
};

// A key of the lane's warp: a key of two lanes, kHalf apart.
struct LaneKey {
  DrawnKey drawn;
  bool is_rest;  // there is one, and it is not listed
  int row;       // of keys and values
};

template <class Shared>
__device__ void measure_queries(const RestArguments& kernel, const RestOfList& of, const void* queries,
                                Shared& shared) {
  using Element = typename Shared::Element;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  for (int i = static_cast<int>(threadIdx.x); i < of.heads * Shared::dim; i += Shared::threads) {
    shared.queries[i / Shared::dim][i % Shared::dim] =
        to_float(static_cast<const Element*>(queries)[std::int64_t{of.first} * Shared::dim + i]);
  }
  if (static_cast<int>(threadIdx.x) < of.heads) shared.of_query[threadIdx.x] = {};
  block_barrier();
  // As many warps to each head, of which the first measures its length too.
  const int parts = max(Shared::warps / of.heads, 1);
  for (int i = warp; i < of.heads * parts; i += Shared::warps) {
    const int head = i % of.heads, part = i / of.heads;
    // Bits of numbers that are not negative rise with them.
    atomicMax(reinterpret_cast<std::uint32_t*>(&shared.of_query[head].projection),
              __float_as_uint(largest_projection(kernel, of.first + head, part, parts)));
    if (part != 0) continue;
    const float length = length_of_query<Shared::dim>(shared.queries[head]);
    if (threadIdx.x % 32 == 0) shared.of_query[head].length = length;
  }
}

// The logits of a warp's keys for all heads, to base 2.
template <class Shared>
__device__ void make_logits(const LaneKey& own, const Rows& rows, int heads, float scale, Shared& shared) {
  using Element = typename Shared::Element;
  constexpr int elements = kPerLoad<Element>, half_dim = Shared::dim / 2;
  constexpr int chunks = std::min(4, half_dim / elements);  // that are on their way
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int begin = lane / kHalf * half_dim;
  const auto* const key = reinterpret_cast<const Element*>(rows.keys) + std::int64_t{own.row} * Shared::dim + begin;
  float logits[Shared::most_heads] = {};
  Chunk<Element> ahead[chunks];
#pragma unroll
  for (int i = 0; i < chunks; ++i) ahead[i] = load_chunk(key + i * elements);
#pragma unroll 1
  for (int first = 0; first < half_dim; first += chunks * elements) {
    Chunk<Element> now[chunks];
    const int next = min(first + chunks * elements, half_dim - chunks * elements);
#pragma unroll
    for (int i = 0; i < chunks; ++i) {
      now[i] = ahead[i];
      ahead[i] = load_chunk(key + next + i * elements);
    }
    const float* const queries = &shared.queries[0][begin + first];
#pragma unroll
    for (int i = 0; i < chunks; ++i) {
      float numbers[elements];
      to_floats(now[i], numbers);
#pragma unroll
      for (int head = 0; head < Shared::most_heads; ++head) {
        if (head >= heads) continue;
#pragma unroll
        for (int e = 0; e < elements; ++e) {
          logits[head] = fmaf(queries[head * Shared::dim + i * elements + e], numbers[e], logits[head]);
        }
      }
    }
  }
#pragma unroll
  for (int head = 0; head < Shared::most_heads; ++head) {
    const float logit = logits[head] + __shfl_xor_sync(~0u, logits[head], kHalf);
    if (lane < kHalf) shared.logits[warp][head][lane] = logit * scale;
  }
  warp_barrier();
}

// Adds what they weigh, half of the lanes for every second head.
template <class Shared>
__device__ void add_weights(const LaneKey& own, int heads, float rate, Shared& shared) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
#pragma unroll 1
  for (int two = 0; two < heads; two += 2) {
    const int wanted = two + lane / kHalf;
    const int head = min(wanted, Shared::most_heads - 1);  // behind the last one nobody reads what is added
    HeadSums sums = shared.sums[warp][head];
    float factor = 1;
    const float weight = sums.add(own.is_rest, shared.logits[warp][head][lane % kHalf], own.drawn.last,
                                  shared.octaves[head], rate, factor);
    warp_barrier();
    if (wanted >= heads) continue;
    shared.weights[warp][head][lane % kHalf] = weight;
    if (lane % kHalf == 0) {
      shared.sums[warp][head] = sums;
      shared.factors[warp][head] = factor;
    }
  }
  warp_barrier();
}

// Adds their values, times weights: a lane has coordinates of all of them.
template <class Shared>
__device__ void add_values(const LaneKey& own, const Rows& rows, int heads, Shared& shared) {
  using Element = typename Shared::Element;
  constexpr int per_lane = Shared::dim / 32;
  constexpr int at_once = per_lane * sizeof(Element) <= 8 ? 8 : 2;
  struct alignas(per_lane * sizeof(Element) < 16 ? per_lane * sizeof(Element) : 16) Piece {
    Element element[per_lane];
  };
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  float vectors[Shared::most_heads][per_lane];
#pragma unroll
  for (int head = 0; head < Shared::most_heads; ++head) {
    if (head >= heads) continue;
#pragma unroll
    for (int e = 0; e < per_lane; ++e) {
      vectors[head][e] = shared.vectors[warp][head][lane * per_lane + e] * shared.factors[warp][head];
    }
  }
  for (unsigned left = __ballot_sync(~0u, own.is_rest && lane < kHalf); left != 0;) {
    Piece values[at_once];
    unsigned ahead = left;
#pragma unroll
    for (int i = 0; i < at_once; ++i) {
      const std::int64_t row = __shfl_sync(~0u, own.row, ahead != 0 ? __ffs(ahead) - 1 : 0);
      if (ahead != 0) values[i] = reinterpret_cast<const Piece*>(rows.values)[row * 32 + lane];
      ahead &= ahead - 1;
    }
#pragma unroll
    for (int i = 0; i < at_once; ++i) {
      if (left == 0) continue;
      const int from = __ffs(left) - 1;
      left &= left - 1;
#pragma unroll
      for (int head = 0; head < Shared::most_heads; ++head) {
        if (head >= heads) continue;
        const float weight = shared.weights[warp][head][from];
#pragma unroll
        for (int e = 0; e < per_lane; ++e) {
          vectors[head][e] = fmaf(weight, to_float(values[i].element[e]), vectors[head][e]);
        }
      }
    }
  }
#pragma unroll
  for (int head = 0; head < Shared::most_heads; ++head) {
    if (head >= heads) continue;
#pragma unroll
    for (int e = 0; e < per_lane; ++e) shared.vectors[warp][head][lane * per_lane + e] = vectors[head][e];
  }
  warp_barrier();
}

// The part of this block, from the sums of its warps: a warp to a head, a lane to what a warp added.
template <class Shared>
__device__ void join_warps(const RestArguments& kernel, const RestOfList& of, const DrawnRow& row, bool has_room,
                           bool corrects, Shared& shared) {
  constexpr int dim = Shared::dim, warps = Shared::warps;
  static_assert(warps <= kHalf);
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  for (int head = warp; head < of.heads; head += warps) {
    HeadSums mine;
    if (lane < warps) mine = shared.sums[lane][head];
    const float exponent = over_half(mine.exponent, [](float a, float b) { return fmaxf(a, b); });
    const float factor = rescale_factor(mine.exponent, exponent);
    if (lane < warps) shared.factors[lane][head] = factor;
    RestPart part = {exponent, {}, shared.octaves[head], row.rate, row.keys, has_room};
    part.sums.all = half_sum(mine.sums.all * factor);
    part.sums.certain = half_sum(mine.sums.certain * factor);
    part.sums.square = half_sum(mine.sums.square * factor * factor);
    for (int bet = 0; bet < kFixedBets; ++bet) part.sums.lost[bet] = half_sum(mine.sums.lost[bet]);
    part.sums.broken = __reduce_add_sync(~0u, mine.sums.broken);
    if (lane == 0) kernel.parts[std::int64_t{of.first + head} * kRestParts + of.part] = part;
  }
  if (!corrects) return;
  block_barrier();
  for (int i = static_cast<int>(threadIdx.x); i < of.heads * dim; i += Shared::threads) {
    const int head = i / dim, d = i % dim;
    float sum = 0;
    for (int w = 0; w < warps; ++w) sum = fmaf(shared.vectors[w][head][d], shared.factors[w][head], sum);
    kernel.vectors[(std::int64_t{of.first + head} * kRestParts + of.part) * dim + d] = sum;
  }
}

// Tells the caller which keys were drawn for a list and are not in it, in order.
template <int warps>
__device__ void tell_keys(const RestArguments& kernel, int list, const DrawnRow& row, const ListEnd& end, int count,
                          std::uint32_t (&of_warps)[warps]) {
  if (kernel.rest.rest_keys == nullptr && kernel.rest.rest_drawn == nullptr) return;
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread % 32, warp = thread / 32;
  const DrawnKey* drawn = kernel.drawn + std::int64_t{list} * kernel.room;
  std::int32_t* const keys =
      kernel.rest.rest_keys == nullptr ? nullptr : kernel.rest.rest_keys + std::int64_t{list} * kernel.room;
  int told = 0;
  for (int begin = 0; begin < count; begin += 32 * warps) {
    const int i = begin + thread;
    const bool is_rest = i < count && !end.has(drawn[i].ordered, drawn[i].key);
    const unsigned of_warp = __ballot_sync(~0u, is_rest);
    if (lane == 0) of_warps[warp] = __popc(of_warp);
    block_barrier();
    int place = told + __popc(of_warp & ((1u << lane) - 1));
    for (int w = 0; w < warps; ++w) {
      if (w < warp) place += of_warps[w];
      told += of_warps[w];
    }
    if (is_rest && keys != nullptr) keys[place] = drawn[i].key;
    block_barrier();
  }
  for (int i = told + thread; keys != nullptr && i < kernel.room; i += 32 * warps) keys[i] = -1;
  if (thread == 0 && kernel.rest.rest_drawn != nullptr) {
    kernel.rest.rest_drawn[list] =
        row.drawn > static_cast<std::uint32_t>(kernel.room) ? to_int(min(row.drawn, 0x7fffffffu)) : told;
  }
}

// Of all threads of a block; `listed` counts the lists' progress, or is null.
template <class Shared>
__device__ void read_drawn(const RestArguments& kernel, const RestOfList& of, const void* queries, const Rows& rows,
                           float logit_scale, const std::uint32_t* listed, Shared& shared) {
  constexpr int warps = Shared::warps;
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread % 32, warp = thread / 32;
  const bool corrects = kernel.rest.rest_output != nullptr;
  // Where rows are counted the sums of half-tables, which the scores' kernel waited for, are there before the list is.
  if (kernel.progress == nullptr) wait_for_row(listed, of.list, kWholeRow);
  if (!of.whole) measure_queries(kernel, of, queries, shared);
  if (kernel.progress != nullptr) {
    wait_for_row(kernel.progress, of.list, kWholeRow);
    wait_for_row(listed, of.list, kWholeRow);
  }
  DrawnRow row = {};
  ListEnd end = {};
  if (!of.whole) {
    row = kernel.rows[of.list];
    end = kernel.ends[of.list];
  }
  const bool has_room = row.drawn <= static_cast<std::uint32_t>(kernel.room);
  const int count = has_room ? static_cast<int>(row.drawn) : 0;
  const DrawnKey* const drawn = kernel.drawn + std::int64_t{of.list} * kernel.room;
  block_barrier();
  if (thread < of.heads) {
    shared.octaves[thread] = octaves_of(kernel, of.first + thread, shared.of_query[thread], row);
  }
  if (lane < of.heads) shared.sums[warp][lane] = {};
  for (int i = lane; corrects && i < of.heads * Shared::dim; i += 32) {
    shared.vectors[warp][i / Shared::dim][i % Shared::dim] = 0;
  }
  block_barrier();
  for (int begin = kHalf * (warp + warps * of.part); begin < count; begin += kHalf * warps * kRestParts) {
    const int place = begin + lane % kHalf;
    LaneKey own = {place < count ? drawn[place] : DrawnKey{-1, kCertain, 0}, false, 0};
    own.is_rest = own.drawn.key >= 0 && !end.has(own.drawn.ordered, own.drawn.key);
    if (own.is_rest) own.row = rows.row_of(own.drawn.key);
    make_logits(own, rows, of.heads, logit_scale * kLog2e, shared);
    add_weights(own, of.heads, row.rate, shared);
    if (corrects) add_values(own, rows, of.heads, shared);
  }
  block_barrier();
  join_warps(kernel, of, row, has_room, corrects, shared);
  if (of.part == 0) tell_keys<warps>(kernel, of.list, row, end, count, shared.rest_keys);
}

}  // namespace skt::gpu
