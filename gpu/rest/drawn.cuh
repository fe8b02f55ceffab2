// What do the drawn keys of a list weigh, and what does that say of all that it leaves out?
//
// Symbols, arithmetic and ceilings: gpu/rest/rest.cu.
#pragma once

#include <cuda_runtime.h>

#include <cfloat>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "estimators/residual/fixed_bet.hpp"
#include "gpu/attention/rows.cuh"
#include "gpu/device/barrier.cuh"
#include "gpu/device/cluster.cuh"
#include "gpu/functors/fixed_weights.hpp"
#include "gpu/functors/half_table.hpp"
#include "gpu/rest/shares.cuh"

namespace skt::gpu {

constexpr float kLog2e = std::numbers::log2e_v<float>;
constexpr float kMostNorm = 65504;  // the largest of fp16

struct HeadNumbers {
  float length, projection;  // of the query, and its largest
  float log_sum;             // of the list, to base 2
  float largest;             // that a drawn weight over its probability may be
};

struct RestSums {
  float all, certain, square;
  float lost[kFixedBets];
  std::uint32_t broken;  // drawn keys above their ceiling

  __device__ void add(const RestSums& other) {
    all += other.all;
    certain += other.certain;
    square += other.square;
    for (int bet = 0; bet < kFixedBets; ++bet) lost[bet] += other.lost[bet];
    broken += other.broken;
  }
  // Those of the lane so many away.
  __device__ RestSums of_lane(int away) const {
    RestSums other;
    other.all = __shfl_xor_sync(~0u, all, away);
    other.certain = __shfl_xor_sync(~0u, certain, away);
    other.square = __shfl_xor_sync(~0u, square, away);
    for (int bet = 0; bet < kFixedBets; ++bet) other.lost[bet] = __shfl_xor_sync(~0u, lost[bet], away);
    other.broken = __shfl_xor_sync(~0u, broken, away);
    return other;
  }
};

struct DrawnKey {
  std::int32_t key;
  std::uint32_t last;  // word that draws it
};

template <int dim>
struct alignas(16) RestShared {
  float queries[kMostSharingHeads][dim];
  float vectors[kMostSharingHeads][dim];  // of the block's drawn keys
  float warp_vectors[kRestWarps][dim];
  ShareOfRest shares[kRestShares];  // those of the block's warps
  ShareOfRest row;
  HeadNumbers heads[kMostSharingHeads];
  RestSums warp_sums[kRestWarps][kMostSharingHeads];
  RestSums sums[kMostSharingHeads];
  float least[kRestWarps];
  std::uint32_t drawn;
};

// Of the first `lanes` lanes, a power of two; of all lanes.
__device__ inline RestSums sum_of_lanes(RestSums mine, int lanes) {
  for (int away = lanes / 2; away > 0; away /= 2) mine.add(mine.of_lane(away));
  return mine;
}
// Of the row, from the shares of all blocks of the cluster; of the lanes of a warp.
template <int dim>
__device__ ShareOfRest rest_of_row(RestShared<dim>& shared) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  ShareOfRest of = {0, 0, 0, 0};
  for (int share = lane; share < kRestShares; share += 32) {
    const ShareOfRest part = *shared_of(&shared.shares[share], share / kRestWarps % cluster_size());
    of = {of.weight + part.weight, of.keys + part.keys, fmaxf(of.norm, part.norm), fmaxf(of.score, part.score)};
  }
  return {warp_sum(of.weight), __reduce_add_sync(~0u, of.keys), warp_most(of.norm), warp_most(of.score)};
}

// Of a warp: the length of a head's query and its largest projection.
template <int dim>
__device__ void measure_query(const RestArguments& kernel, const ListRow& row, int head, RestShared<dim>& shared) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const skt_shape& shape = kernel.attention.shape;
  const int planes = to_int(shape.planes), tables = to_int(shape.tables);
  float square = 0, largest = 0;
  for (int d = lane; d < dim; d += 32) square += shared.queries[head][d] * shared.queries[head][d];
  const int entries = half_table_entries(planes);
  const float* half_sums = kernel.half_sums + std::int64_t{row.first + head} * tables * entries;
  for (int table = lane; table < tables; table += 32) {
    for (int bit = 0; bit < planes; ++bit) {
      largest = fmaxf(largest, known(fabsf(projection_of(half_sums + table * entries, bit, planes))));
    }
  }
  square = warp_sum(square);
  largest = warp_most(largest);
  if (lane == 0) shared.heads[head] = {sqrtf(square), largest, 0, 0};
}

// The most that f over its probability is, of keys that are not certain.
__device__ inline float largest_drawn(const RestArguments& kernel, const ListRow& row, int head,
                                      const HeadNumbers& numbers, const RestWeights& weights, const ShareOfRest& rest,
                                      float rate) {
  if (!(rest.norm < kMostNorm)) return INFINITY;
  const float norm = rest.norm * (1 + 0x1p-10f) + 0x1p-24f;
  float octaves =
      norm * (kernel.octaves_of_length * numbers.length + kernel.octaves_of_projection * numbers.projection);
  const bool shared = kernel.normalisers != nullptr;
  const float normaliser = shared ? kernel.normalisers[row.first + head] : weights.normaliser;
  if (!(fabsf(normaliser) < kMostNormaliser)) return INFINITY;
  octaves += normaliser / kOctaveSteps;
  if (!shared) octaves += kernel.octaves_of_score * rest.score;
  octaves -= numbers.log_sum;
  return exp2f(octaves) / rate * static_cast<float>(kRestRounding * 1.0001);
}

// Of the drawn keys of this warp: sums, of head h in lane h, and vectors, of all heads in all lanes.
template <class Element, int dim, bool corrects>
__device__ void read_drawn(const RestArguments& kernel, const ListRow& row, const Rows& rows, const DrawnKey* drawn,
                           int count, RestShared<dim>& shared) {
  constexpr int per_lane = dim / 32;
  struct alignas(per_lane * sizeof(Element) < 16 ? per_lane * sizeof(Element) : 16) Piece {
    Element element[per_lane];
  };
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const float scale = kernel.attention.logit_scale * kLog2e;
  const auto piece_of = [&](const std::byte* first, std::int64_t at) {
    return reinterpret_cast<const Piece*>(first)[at * 32 + lane];
  };
  const HeadNumbers own = shared.heads[lane < row.heads ? lane : 0];
  RestSums sums = {};
  float vectors[corrects ? kMostSharingHeads : 1][per_lane] = {};
  const auto key_at = [&](int i) { return i < count ? piece_of(rows.keys, rows.row_of(drawn[i].key)) : Piece{}; };
  Piece next = key_at(warp);
  for (int i = warp; i < count; i += kRestWarps) {
    const Piece key = next;
    next = key_at(i + kRestWarps);
    Piece value = {};
    if constexpr (corrects) value = piece_of(rows.values, rows.row_of(drawn[i].key));
    float logit = 0;  // of the lane's head
#pragma unroll
    for (int head = 0; head < kMostSharingHeads; ++head) {
      if (head >= row.heads) continue;
      float product = 0;
#pragma unroll
      for (int e = 0; e < per_lane; ++e) {
        product = fmaf(shared.queries[head][lane * per_lane + e], to_float(key.element[e]), product);
      }
      product = warp_sum(product);
      if (lane == head) logit = product * scale;
    }
    const bool is_certain = drawn[i].last == kCertain;
    const float probability = rest_probability<float>(drawn[i].last);
    const float weight = exp2f(logit - own.log_sum) / probability;
    if constexpr (corrects) {
#pragma unroll
      for (int head = 0; head < kMostSharingHeads; ++head) {
        if (head >= row.heads) continue;
        const float of_head = __shfl_sync(~0u, weight, head);
#pragma unroll
        for (int e = 0; e < per_lane; ++e) {
          vectors[head][e] = fmaf(of_head, to_float(value.element[e]), vectors[head][e]);
        }
      }
    }
    sums.all += weight;
    if (is_certain) {
      sums.certain += weight;
      continue;
    }
    sums.square += weight * weight * (1 - probability);
    const float share = weight / own.largest;
    if (!(share <= 1)) ++sums.broken;
#pragma unroll
    for (int bet = 0; bet < kFixedBets; ++bet) sums.lost[bet] += bet_lost(bet, fminf(share, 1));
  }
  if (lane < kMostSharingHeads) shared.warp_sums[warp][lane] = sums;
  if constexpr (corrects) {
#pragma unroll
    for (int head = 0; head < kMostSharingHeads; ++head) {
      if (head >= row.heads) continue;
      block_barrier();
#pragma unroll
      for (int e = 0; e < per_lane; ++e) shared.warp_vectors[warp][lane * per_lane + e] = vectors[head][e];
      block_barrier();
      for (int d = threadIdx.x; d < dim; d += kRestThreads) {
        float sum = 0;
        for (int w = 0; w < kRestWarps; ++w) sum += shared.warp_vectors[w][d];
        shared.vectors[head][d] = sum;
      }
    }
  }
}

struct RestResult {
  float weight, limit, nominal;
  std::int32_t flags;
};

__device__ inline RestResult result_of(const RestArguments& kernel, const RestSums& sums, const HeadNumbers& numbers,
                                       std::uint32_t keys, bool is_whole, bool has_room) {
  if (keys == 0) return {0, 0, 0, 0};                  // no rest
  const bool is_empty = numbers.log_sum == -INFINITY;  // the list
  RestResult result = {sums.all / (1 + sums.all), 1, 1, 0};
  if (is_empty || sums.all == INFINITY) result.weight = 1;
  if (!has_room || numbers.log_sum != numbers.log_sum) result.weight = NAN;
  float limit = sums.certain;
  if (!is_whole) limit += fixed_bet_limit(sums.lost, numbers.largest, kernel.rest.rest_delta);
  const bool is_finite = has_room && fabsf(numbers.log_sum) <= FLT_MAX && sums.all <= FLT_MAX;
  const bool is_known = is_finite && sums.broken == 0 && limit <= FLT_MAX;
  if (is_known) result.limit = limit / (1 + limit);
  const float nominal = sums.all + kernel.normal_quantile * sqrtf(sums.square);
  if (is_finite && nominal <= FLT_MAX) result.nominal = nominal / (1 + nominal);
  if (!(result.limit <= kernel.rest.rest_target)) result.flags |= SKT_REST_ABOVE;
  if (!(result.nominal <= kernel.rest.rest_target)) result.flags |= SKT_REST_NOMINAL_ABOVE;
  if (!is_known) result.flags |= SKT_REST_UNKNOWN;
  return result;
}

__device__ inline void write_result(const skt_rest& rest, int head, const RestResult& result) {
  rest.rest_weight[head] = result.weight;
  rest.rest_limit[head] = result.limit;
  rest.rest_nominal[head] = result.nominal;
  rest.rest_flags[head] = result.flags;
  if (rest.rest_flagged == nullptr) return;
  for (int bit = 0; bit < 3; ++bit) {
    if (result.flags >> bit & 1) atomicAdd(&rest.rest_flagged[bit], 1);
  }
}

}  // namespace skt::gpu
