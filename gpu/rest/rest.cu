// What does each list leave out? A sample of the rest, drawn and read behind the attention of a step.
//
// CPU twin: of weights, probabilities and drawn keys twin_rest() in gpu/check/references/rest.hpp, in every bit.
// Functors: gpu/functors/rest_sample.hpp says what is drawn, estimators/residual/fixed_bet.hpp what it proves.
// Method: a cluster to a list. Its warps read the scores twice, a share of gpu/functors/rest_sample.hpp each: once for the
// sum of the weights of the rest and the largest norm in it, once to draw. A block reads the keys that it has drawn, a warp
// to a key, for all heads of the list.
// Arithmetic: fp32; f = 2^(logit - log-sum-exp of the list), so that the list weighs 1. A logit sums dim / 32 products to a
// lane, then a butterfly. Sums run over the keys of a warp in order, then over warps and over blocks in pairs: the same bits on every run
// of one device, with another number of blocks to a list sums of another order.
// Ceilings: docs/bounds/residual.md, 16(b). In octaves, with a(q) the largest |projection| of the query and s the logit scale,
//   logit <= estimate + largest norm (log2(e) s |q| radius + weight_scale bits a(q) (1/254 + 2^-10)) + rounding of the score,
// the 1/254 of weights of 8 bits, 2^-10 of the norm's fp16; `radius` takes in what fp32 adds to the estimate.
// Error of the results: gpu/check/references/rest.hpp.
// Bytes: scores twice, mostly from L2, norms once, 2 * dim * element to a drawn key where the output is asked for, else half.
#include <cuda_runtime.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "estimators/residual/fixed_bet.hpp"
#include "gpu/attention/rows.cuh"
#include "gpu/decode/decode_stages.hpp"
#include "gpu/decode/row_progress.cuh"
#include "gpu/device/barrier.cuh"
#include "gpu/device/cluster.cuh"
#include "gpu/device/element.cuh"
#include "gpu/device/launch.cuh"
#include "gpu/functors/fixed_weights.hpp"
#include "gpu/functors/index_pages.hpp"
#include "gpu/functors/lengths.hpp"
#include "gpu/functors/rest_sample.hpp"

namespace skt::gpu {
namespace {

constexpr int kWarps = 16;
constexpr int kThreads = 32 * kWarps;
constexpr int kLargestCluster = 8;
constexpr int kEntriesAtOnce = 10;  // of the list, to a thread: all are waited for together
constexpr int kChunksAhead = 3;     // of scores, to a warp
static_assert(kRestShares == kWarps * kLargestCluster);
constexpr float kLog2e = std::numbers::log2e_v<float>;
constexpr float kMostNorm = 65504;

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

struct HeadNumbers {
  float length, projection;  // of the query, and its largest
  float log_sum;             // of the list, to base 2
  float largest;             // that a drawn weight over its probability may be
};

struct Sums {
  float all, certain, square;
  float lost[kFixedBets];
  std::uint32_t broken;  // drawn keys above their ceiling

  __device__ void add(const Sums& other) {
    all += other.all;
    certain += other.certain;
    square += other.square;
    for (int bet = 0; bet < kFixedBets; ++bet) lost[bet] += other.lost[bet];
    broken += other.broken;
  }
  // Those of the lane so many away.
  __device__ Sums of_lane(int away) const {
    Sums other;
    other.all = __shfl_xor_sync(~0u, all, away);
    other.certain = __shfl_xor_sync(~0u, certain, away);
    other.square = __shfl_xor_sync(~0u, square, away);
    for (int bet = 0; bet < kFixedBets; ++bet) other.lost[bet] = __shfl_xor_sync(~0u, lost[bet], away);
    other.broken = __shfl_xor_sync(~0u, broken, away);
    return other;
  }
};

struct Drawn {
  std::int32_t key;
  std::uint32_t last;  // word that draws it
};

template <int dim>
struct alignas(16) RestShared {
  float queries[kMostSharingHeads][dim];
  float vectors[kMostSharingHeads][dim];  // of the block's drawn keys
  float warp_vectors[kWarps][dim];
  ShareOfRest shares[kRestShares];  // those of the block's warps
  ShareOfRest row;
  HeadNumbers heads[kMostSharingHeads];
  Sums warp_sums[kWarps][kMostSharingHeads];
  Sums sums[kMostSharingHeads];
  float least[kWarps];
  std::uint32_t drawn;
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
// Of the first `lanes` lanes, a power of two; of all lanes.
__device__ inline Sums sum_of_lanes(Sums mine, int lanes) {
  for (int away = lanes / 2; away > 0; away /= 2) mine.add(mine.of_lane(away));
  return mine;
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
struct Weights {
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

__device__ inline ShareOfRest rest_of_share(const RestArguments& kernel, const ListRow& row, const Weights& weights,
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

// Of the row, from the shares of all blocks of the cluster; of the lanes of a warp.
template <int dim>
__device__ ShareOfRest rest_of_row(RestShared<dim>& shared) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  ShareOfRest of = {0, 0, 0, 0};
  for (int share = lane; share < kRestShares; share += 32) {
    const ShareOfRest part = *shared_of(&shared.shares[share], share / kWarps % cluster_size());
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
                                      const HeadNumbers& numbers, const Weights& weights, const ShareOfRest& rest,
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

// Of the drawn keys of this warp: sums, of head h in lane h, and vectors, of all heads in all lanes.
template <class Element, int dim, bool corrects>
__device__ void read_drawn(const RestArguments& kernel, const ListRow& row, const Rows& rows, const Drawn* drawn,
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
  Sums sums = {};
  float vectors[corrects ? kMostSharingHeads : 1][per_lane] = {};
  const auto key_at = [&](int i) { return i < count ? piece_of(rows.keys, rows.row_of(drawn[i].key)) : Piece{}; };
  Piece next = key_at(warp);
  for (int i = warp; i < count; i += kWarps) {
    const Piece key = next;
    next = key_at(i + kWarps);
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
      for (int d = threadIdx.x; d < dim; d += kThreads) {
        float sum = 0;
        for (int w = 0; w < kWarps; ++w) sum += shared.warp_vectors[w][d];
        shared.vectors[head][d] = sum;
      }
    }
  }
}

struct RestResult {
  float weight, limit, nominal;
  std::int32_t flags;
};

__device__ inline RestResult result_of(const RestArguments& kernel, const Sums& sums, const HeadNumbers& numbers,
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

// Grid: [cluster, lists].
template <class Element, int dim, bool corrects>
__global__ void __launch_bounds__(kThreads, 1) rest_kernel(RestArguments kernel) {
  launch_next_kernel();
  extern __shared__ __align__(16) std::byte memory[];
  auto& shared = *reinterpret_cast<RestShared<dim>*>(memory);
  const skt_rest& rest = kernel.rest;
  const skt_sparse_attention_args& attention = kernel.attention;
  const int samples = to_int(rest.rest_samples);
  const int room = rest_room(samples);
  auto* const unsorted = reinterpret_cast<Drawn*>(memory + sizeof(RestShared<dim>));
  Drawn* const drawn = unsorted + room;
  const int thread = static_cast<int>(threadIdx.x);
  const int warp = thread / 32;
  // In a step the draws begin when the list is there, as the attention does, and only their weights wait for its end.
  wait_for_row(kernel.listed, blockIdx.y, kWholeRow);
  const ListRow row(kernel);
  const std::int32_t* const list = attention.selected + row.list * attention.list;
  // A sequence that is attended to whole, or has no keys, has no scores and perhaps no list: nothing is drawn.
  const int count = row.length == 0 ? 0 : attention.counts[row.list];

  // The queries; the least score of the listed candidates.
  for (int i = thread; i < row.heads * dim; i += kThreads) {
    const std::int64_t at = std::int64_t{row.first} * dim + i;
    shared.queries[i / dim][i % dim] = to_float(static_cast<const Element*>(attention.queries)[at]);
  }
  if (thread == 0) shared.drawn = 0;
  const std::int64_t scores_begin = row.list * attention.shape.capacity;
  float least = INFINITY;
  for (int first = thread; first < count; first += kEntriesAtOnce * kThreads) {
    int keys[kEntriesAtOnce];
#pragma unroll
    for (int i = 0; i < kEntriesAtOnce; ++i) {
      keys[i] = first + i * kThreads < count ? list[first + i * kThreads] : -1;
    }
    float scores[kEntriesAtOnce];
#pragma unroll
    for (int i = 0; i < kEntriesAtOnce; ++i) {
      const bool is_open = keys[i] >= 0 && keys[i] >= row.sink && keys[i] < row.window_begin;
      scores[i] = is_open ? score_of_key(kernel, scores_begin + keys[i]) : INFINITY;
    }
#pragma unroll
    for (int i = 0; i < kEntriesAtOnce; ++i) least = fminf(least, scores[i]);
  }
  least = -warp_most(-least);
  if (thread % 32 == 0) shared.least[warp] = least;
  block_barrier();
  for (int w = 0; w < kWarps; ++w) least = fminf(least, shared.least[w]);
  const float steps = kernel.weight_scale * kOctaveSteps;
  const Weights weights = {steps, finite_normaliser(least * steps), kernel.normalisers != nullptr};

  // The sum over the rest, exchanged by the cluster.
  const int cluster = cluster_size();
  for (int share = cluster_rank() * kWarps + warp; share < kRestShares; share += cluster * kWarps) {
    const ShareOfRest of_share = rest_of_share(kernel, row, weights, least, share);
    if (thread % 32 == 0) shared.shares[share] = of_share;
  }
  cluster_barrier();
  if (warp == 0) {
    const ShareOfRest of_row = rest_of_row<dim>(shared);
    if (thread == 0) shared.row = of_row;
  } else if (warp <= row.heads) {
    measure_query<dim>(kernel, row, warp - 1, shared);
  }
  block_barrier();
  const ShareOfRest of_row = shared.row;
  const float rate = rest_rate(of_row.weight, of_row.keys, samples);

  // Draws, in any order; they are sorted behind it.
  const std::uint32_t step = rest.rest_step == nullptr ? 0 : *rest.rest_step;
  for (int share = cluster_rank() * kWarps + warp; share < kRestShares; share += cluster * kWarps) {
    for_each_of_share<false>(kernel, row, share, [&](const EightKeys<false>& eight) {
#pragma unroll
      for (int four = 0; four < kRestLaneKeys; four += 4) {
        const RestWords words =
            rest_words(rest.rest_seed, row.list, step, static_cast<unsigned>(eight.first + four) / 4);
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          const int key = eight.first + four + i;
          const float score = eight.scores[four + i];
          const std::uint32_t last = last_word(weights.of(score), rate);
          if (words.of_key[i] > last || !row.is_candidate(key, score) || !may_be_rest(score, least)) continue;
          if (score == least && is_listed(list, count, key)) continue;
          const std::uint32_t place = atomicAdd(&shared.drawn, 1u);
          if (place < static_cast<std::uint32_t>(room)) unsorted[place] = {key, last};
        }
      }
    });
  }
  block_barrier();
  const int here = min(static_cast<int>(min(shared.drawn, 0x7fffffffu)), room);
  for (int i = thread; i < here; i += kThreads) {
    int place = 0;
    for (int other = 0; other < here; ++other) place += unsorted[other].key < unsorted[i].key ? 1 : 0;
    drawn[place] = unsorted[i];
  }
  wait_for_previous_kernel();
  if (thread < row.heads) {
    HeadNumbers& numbers = shared.heads[thread];
    numbers.log_sum = attention.log_sum_exp[row.first + thread] * kLog2e;
    numbers.largest = largest_drawn(kernel, row, thread, numbers, weights, of_row, rate);
  }
  block_barrier();

  read_drawn<Element, dim, corrects>(kernel, row,
                                     cache_rows_of(attention, row.sequence, row.kv_head, dim * int{sizeof(Element)}),
                                     drawn, here, shared);
  block_barrier();
  const int lane = thread % 32;
  if (warp < row.heads) {
    const Sums sums = sum_of_lanes(lane < kWarps ? shared.warp_sums[lane][warp] : Sums{}, kWarps);
    if (lane == 0) shared.sums[warp] = sums;
  }
  cluster_barrier();

  // The results, of the cluster's first block; where each block's drawn keys go, of all.
  const std::uint32_t of_rank = lane < cluster ? *shared_of(&shared.drawn, lane) : 0;
  const std::uint32_t all = __reduce_add_sync(~0u, of_rank);
  const std::uint32_t before = __reduce_add_sync(~0u, lane < cluster_rank() ? of_rank : 0);
  if (rest.rest_keys != nullptr) {
    std::int32_t* const keys = rest.rest_keys + std::int64_t{row.list} * room;
    for (int i = thread; i < here && before + i < static_cast<std::uint32_t>(room); i += kThreads) {
      keys[before + i] = drawn[i].key;
    }
    for (std::int64_t i = all + cluster_rank() * kThreads + thread; i < room; i += cluster * kThreads) keys[i] = -1;
  }
  if (cluster_rank() == 0) {
    const bool has_room = all <= static_cast<std::uint32_t>(room);
    if (warp < row.heads) {
      const Sums sums = sum_of_lanes(lane < cluster ? *shared_of(&shared.sums[warp], lane) : Sums{}, kLargestCluster);
      const bool is_whole = of_row.keys <= static_cast<std::uint32_t>(samples);
      if (lane == 0) {
        shared.warp_sums[0][warp] = sums;
        write_result(rest, row.first + warp,
                     result_of(kernel, sums, shared.heads[warp], of_row.keys, is_whole, has_room));
      }
    }
    if (thread == 0 && rest.rest_drawn != nullptr) {
      rest.rest_drawn[row.list] = static_cast<std::int32_t>(min(all, 0x7fffffffu));
    }
    if constexpr (corrects) {
      block_barrier();
      for (int i = thread; i < row.heads * dim; i += kThreads) {
        const std::int64_t at = std::int64_t{row.first} * dim + i;
        float sum = attention.output[at];
#pragma unroll
        for (int rank = 0; rank < kLargestCluster; ++rank) {
          if (rank < cluster) sum += *shared_of(&shared.vectors[i / dim][i % dim], rank);
        }
        rest.rest_output[at] = has_room ? sum / (1 + shared.warp_sums[0][i / dim].all) : attention.output[at];
      }
    }
  }
  block_barrier();
  cluster_arrive();
  cluster_wait();  // no block leaves while another reads its shared memory
}

// x with P(normal > x) = delta.
float normal_quantile(double delta) {
  double low = -40, high = 40;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(middle / std::numbers::sqrt2) / 2 > delta ? low : high) = middle;
  }
  return static_cast<float>(high);
}

// What fp32 and half sums add to the error of an estimated cosine, of rows at most 2 sqrt(dim) long.
double rounding_of_cosine(const skt_shape& shape) {
  const double dim = static_cast<double>(shape.dim), half = high_planes(to_int(shape.planes));
  const double roundings = dim / 32 + 13 + static_cast<double>(shape.planes + shape.tables) + half * half;
  return roundings * 0x1p-24 * 2 * std::sqrt(dim) * std::sqrt(std::numbers::pi / 2);
}

std::int64_t lists_of(const RestStage& stage) {
  const skt_shape& shape = stage.attention.shape;
  return shape.batch * (stage.normalisers != nullptr ? shape.kv_heads : shape.heads);
}

RestArguments arguments_of(const RestStage& stage, const RowProgress& progress) {
  const skt_score_packed_args& score = stage.score;
  const skt_shape& shape = stage.attention.shape;
  const bool grouped = shape.heads > shape.kv_heads;
  const double bits = static_cast<double>(shape.tables * shape.planes);
  RestArguments kernel = {.rest = stage.rest,
                          .attention = stage.attention,
                          .pages = index_pages(score),
                          .scores = score.scores,
                          .norms = score.norms,
                          .half_sums = score.half_tables,
                          .normalisers = stage.normalisers,
                          .listed = progress.selected,
                          .list = stage.list,
                          .score_type = score.score_type,
                          .weight_scale = score.weight_scale};
  const double length = std::numbers::log2e * stage.attention.logit_scale;
  kernel.octaves_of_length = static_cast<float>(length * (stage.rest.rest_radius + rounding_of_cosine(shape)));
  const double of_weight = (grouped ? 1.01 / (2 * kMostWeight) : 0) + 0x1p-10;
  kernel.octaves_of_projection = static_cast<float>(score.weight_scale * bits * of_weight);
  kernel.octaves_of_score = score.weight_scale * (grouped ? 0x1p-8f : 0x1p-22f);
  kernel.normal_quantile = normal_quantile(stage.rest.rest_delta);
  return kernel;
}

template <class Element, int dim, bool corrects>
int launch_for(const RestStage& stage, const RowProgress& progress, CUstream_st* stream, skt_error* error) {
  Device device;
  const cudaError_t status = query_device(device);
  if (status != cudaSuccess) return cuda_failure(status, error);
  const std::int64_t lists = lists_of(stage);
  Launch shape;
  while (device.has_clusters && shape.cluster < kLargestCluster &&
         2 * shape.cluster * lists <= device.multiprocessors) {
    shape.cluster *= 2;
  }
  shape.grid = grid_of(shape.cluster, lists);
  shape.threads = kThreads;
  shape.shared_bytes =
      sizeof(RestShared<dim>) + std::size_t{2} * rest_room(to_int(stage.rest.rest_samples)) * sizeof(Drawn);
  shape.carveout = cudaSharedmemCarveoutMaxShared;
  return launch(rest_kernel<Element, dim, corrects>, shape, stream, arguments_of(stage, progress), error);
}

}  // namespace

int check_rest(const RestStage& stage, skt_error* error) {
  Validation check(error);
  const skt_rest& rest = stage.rest;
  check.in_range("rest_samples", rest.rest_samples, 0, kMostRestSamples);
  if (rest.rest_samples == 0) return check.code();
  check.in_range("rule, beside rest_samples,", stage.score.rule, SKT_SIGNED_PROJECTION, SKT_SIGNED_PROJECTION);
  check.one_query_row(stage.attention.shape, "query_rows, beside rest_samples,");
  check.in_range("cache_form, beside rest_samples,", stage.attention.cache.cache_form, SKT_CACHE_OF_TYPE,
                 SKT_CACHE_OF_TYPE);
  check.optional_pointer("rest_step", rest.rest_step, 4);
  check.share("rest_delta", rest.rest_delta, false);
  check.positive("rest_radius", rest.rest_radius);
  check.share("rest_target", rest.rest_target, true);
  check.pointer("rest_weight", rest.rest_weight, 4);
  check.pointer("rest_limit", rest.rest_limit, 4);
  check.pointer("rest_nominal", rest.rest_nominal, 4);
  check.pointer("rest_flags", rest.rest_flags, 4);
  check.optional_pointer("rest_flagged", rest.rest_flagged, 4);
  check.optional_pointer("rest_output", rest.rest_output);
  check.optional_pointer("rest_drawn", rest.rest_drawn, 4);
  check.optional_pointer("rest_keys", rest.rest_keys, 4);
  return check.code();
}

int launch_rest(const RestStage& stage, const RowProgress& progress, CUstream_st* stream, skt_error* error) {
  return with_element(stage.attention.type, [&]<class Element>(const Element*) {
    return with_dim(stage.attention.shape.dim, [&]<int dim>() {
      return stage.rest.rest_output != nullptr ? launch_for<Element, dim, true>(stage, progress, stream, error)
                                               : launch_for<Element, dim, false>(stage, progress, stream, error);
    });
  });
}

}  // namespace skt::gpu
