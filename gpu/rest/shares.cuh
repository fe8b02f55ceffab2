// What does a row have outside its list, by its scores alone: how many keys, of which weight in all, the longest of which norm?
//
// Symbols and method: gpu/rest/rest.cu.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cfloat>
#include <cmath>
#include <cstdint>

#include "gpu/device/element.cuh"
#include "gpu/functors/index_pages.hpp"
#include "gpu/functors/lengths.hpp"
#include "gpu/functors/packed_codes.hpp"
#include "gpu/functors/rest_sample.hpp"
#include "gpu/functors/whole_numbers.hpp"
#include "gpu/socketlab_gpu.h"

namespace skt::gpu {

constexpr int kRestWarps = 16;
constexpr int kRestThreads = 32 * kRestWarps;
constexpr int kMostRestBlocks = 8;
constexpr int kChunksAhead = 3;  // of scores, to a warp
static_assert(kRestShares == kRestWarps * kMostRestBlocks);

struct RestArguments {
  skt_rest rest;
  skt_sparse_attention_args attention;
  IndexPages pages;  // of the norms
  const void* scores;
  const void* norms;
  const float* half_sums;
  const float* normalisers;     // in steps; null: lists of one head
  const std::uint32_t* listed;  // counters of the lists' progress; or null
  skt_list list;
  std::int32_t score_type;
  float weight_scale;
  float octaves_of_length;      // of the ceilings, to |q| |k|,
  float octaves_of_projection;  // to the largest projection times |k|,
  float octaves_of_score;       // and to the largest score
  float normal_quantile;        // of 1 - delta
};

// The list of a cluster.
struct ListRow {
  int list, first, heads;  // its first query head of [batch, heads], and how many share it
  int kv_row, sequence, kv_head;
  int length;  // keys that are scored
  int sink, window_begin;

  __device__ explicit ListRow(const RestArguments& kernel) : list(static_cast<int>(blockIdx.y)) {
    const skt_shape& shape = kernel.attention.shape;
    const int kv_heads = to_int(shape.kv_heads);
    const int group = to_int(shape.heads) / kv_heads;
    heads = kernel.normalisers != nullptr ? group : 1;
    first = list * heads;
    kv_row = first / group;
    sequence = kv_row / kv_heads;
    kv_head = kv_row % kv_heads;
    length = scored_length(kernel.attention.sequences, sequence);
    sink = to_int(kernel.list.sink);
    window_begin = skt::gpu::window_begin(length, to_int(kernel.list.window));
  }
  // Of sink and window what scores NaN is not listed either.
  __device__ bool is_candidate(int key, float score) const {
    return score != -INFINITY && ((key >= sink && key < window_begin) || score != score);
  }
};

// What a share of a row's keys has of the rest.
struct ShareOfRest {
  float weight;
  std::uint32_t keys;
  float norm;   // the largest; infinite where one is none that is known
  float score;  // the largest absolute
};

__device__ inline float over_warp(float mine, auto&& join) {
#pragma unroll
  for (int lanes = 16; lanes > 0; lanes /= 2) mine = join(mine, __shfl_xor_sync(~0u, mine, lanes));
  return mine;
}
__device__ inline float warp_sum(float mine) {
  return over_warp(mine, [](float a, float b) { return a + b; });
}
__device__ inline float warp_most(float mine) {
  return over_warp(mine, [](float a, float b) { return fmaxf(a, b); });
}
// What is not finite counts as infinite.
__device__ inline float known(float number) {
  return number <= FLT_MAX ? number : INFINITY;
}

__device__ inline float score_of_key(const RestArguments& kernel, std::int64_t at) {
  return kernel.score_type == SKT_BF16 ? to_float(static_cast<const __nv_bfloat16*>(kernel.scores)[at])
                                       : static_cast<const float*>(kernel.scores)[at];
}

// Turns a score of the list's row into a weight.
struct RestWeights {
  float steps, normaliser;  // of lists of one head: to a score of 1, and of the least listed candidate
  bool of_score;

  __device__ float of(float score) const {
    return of_score ? score : rest_weight(score, steps, weight_offset(normaliser));
  }
};

// Eight keys of a lane: scores, -infinity behind the last, and where they are asked for norms.
template <bool with_norms>
struct EightKeys {
  int first;
  float scores[kRestLaneKeys];
  float norms[with_norms ? kRestLaneKeys : 1];

  // Those of the lane in a chunk of the row.
  __device__ void load(const RestArguments& kernel, const ListRow& row, std::int64_t chunk) {
    const std::int64_t behind = chunk * kRestChunk + threadIdx.x % 32 * kRestLaneKeys;
    first = static_cast<int>(min(behind, std::int64_t{row.length}));
    const std::int64_t at = row.list * kernel.attention.shape.capacity + first;
    if (first + kRestLaneKeys <= row.length && kernel.score_type == SKT_BF16) {
      load_floats<__nv_bfloat16>(kernel.scores, at, scores);
    } else if (first + kRestLaneKeys <= row.length) {
      load_floats<float>(kernel.scores, at, scores);
    } else {
#pragma unroll
      for (int i = 0; i < kRestLaneKeys; ++i) {
        scores[i] = first + i < row.length ? score_of_key(kernel, at + i) : -INFINITY;
      }
    }
    if (with_norms && first < row.length) {
      const unsigned tile = static_cast<unsigned>(first) / kTileKeys;
      const std::int64_t place = kernel.pages.place_of(row.kv_row, tile);
      load_floats<__half>(kernel.norms, place * kTileKeys + first % kTileKeys, norms);
    }
  }
};

// Calls visit(eight keys) for those of each lane in the chunks of share `share`, in order; the next chunks are loaded before.
template <bool with_norms, class Visit>
__device__ void for_each_of_share(const RestArguments& kernel, const ListRow& row, int share, Visit&& visit) {
  EightKeys<with_norms> ahead[kChunksAhead];
#pragma unroll
  for (int i = 0; i < kChunksAhead; ++i) ahead[i].load(kernel, row, share + std::int64_t{i} * kRestShares);
#pragma unroll 1
  for (std::int64_t chunk = share; chunk * kRestChunk < row.length; chunk += kRestShares) {
    const EightKeys<with_norms> now = ahead[0];
#pragma unroll
    for (int i = 1; i < kChunksAhead; ++i) ahead[i - 1] = ahead[i];
    ahead[kChunksAhead - 1].load(kernel, row, chunk + std::int64_t{kChunksAhead} * kRestShares);
    visit(now);
  }
}

__device__ inline ShareOfRest rest_of_share(const RestArguments& kernel, const ListRow& row, const RestWeights& weights,
                                            float least, int share) {
  ShareOfRest of = {0, 0, 0, 0};
  for_each_of_share<true>(kernel, row, share, [&](const EightKeys<true>& eight) {
#pragma unroll
    for (int i = 0; i < kRestLaneKeys; ++i) {
      const float score = eight.scores[i];
      if (!row.is_candidate(eight.first + i, score) || !may_be_rest(score, least)) continue;
      of.weight += weight_in_sum(weights.of(score));
      ++of.keys;
      of.norm = fmaxf(of.norm, known(eight.norms[i]));
      of.score = fmaxf(of.score, known(fabsf(score)));
    }
  });
  return {warp_sum(of.weight), __reduce_add_sync(~0u, of.keys), warp_most(of.norm), warp_most(of.score)};
}

// Whether a list, whose keys rise, has the key.
__device__ inline bool is_listed(const std::int32_t* list, int count, int key) {
  int begin = 0;
  for (int end = count; begin < end;) {
    const int middle = (begin + end) / 2;
    if (list[middle] < key) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin < count && list[begin] == key;
}

}  // namespace skt::gpu
