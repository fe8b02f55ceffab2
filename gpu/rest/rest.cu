// What does each list leave out? A sample of the rest, drawn and read behind the attention of a step.
//
// CPU twin: of weights, probabilities and drawn keys twin_rest() in gpu/check/references/rest.hpp, in every bit.
// Functors: gpu/functors/rest_sample.hpp says what is drawn, estimators/residual/fixed_bet.hpp what it proves.
// Method: a cluster to a list. Its warps read the scores twice, a share of gpu/functors/rest_sample.hpp each: once for the
// sum of the weights of the rest and the largest norm in it, once to draw. A block reads the keys that it has drawn, a warp
// to a key, for all heads of the list.
// Arithmetic: fp32; f = 2^(logit - log-sum-exp of the list), so that the list weighs 1. A logit sums dim / 32 products to a
// lane, then a butterfly. Sums run over the keys of a warp in order, then over warps and over blocks, of numbers in pairs and
// of vectors one by one: the same bits on every run of one device; with another number of blocks to a list in another order.
// Ceilings: docs/bounds/residual.md, 16(b). In octaves, with a(q) the largest |projection| of the query and s the logit scale,
//   logit <= estimate + largest norm (log2(e) s |q| radius + weight_scale bits a(q) (1/254 + 2^-10)) + rounding of the score,
// the 1/254 of weights of 8 bits, 2^-10 of the norm's fp16; `radius` takes in what fp32 adds to the estimate.
// Error of the results: gpu/check/references/rest.hpp.
// Bytes: scores twice, mostly from L2, norms once, 2 * dim * element to a drawn key where the output is asked for, else half.
#include <cuda_runtime.h>

#include <cmath>
#include <cstddef>
#include <numbers>

#include "gpu/decode/decode_stages.hpp"
#include "gpu/decode/row_progress.cuh"
#include "gpu/device/barrier.cuh"
#include "gpu/device/cluster.cuh"
#include "gpu/device/launch.cuh"
#include "gpu/functors/fixed_weights.hpp"
#include "gpu/functors/rest_sample.hpp"
#include "gpu/rest/drawn.cuh"
#include "gpu/rest/shares.cuh"

namespace skt::gpu {
namespace {

constexpr int kEntriesAtOnce = 10;  // of the list, to a thread: all are waited for together

// Grid: [cluster, lists].
template <class Element, int dim, bool corrects>
__global__ void __launch_bounds__(kRestThreads, 1) rest_kernel(RestArguments kernel) {
  launch_next_kernel();
  extern __shared__ __align__(16) std::byte memory[];
  auto& shared = *reinterpret_cast<RestShared<dim>*>(memory);
  const skt_rest& rest = kernel.rest;
  const skt_sparse_attention_args& attention = kernel.attention;
  const int samples = to_int(rest.rest_samples);
  const int room = rest_room(samples);
  auto* const unsorted = reinterpret_cast<DrawnKey*>(memory + sizeof(RestShared<dim>));
  DrawnKey* const drawn = unsorted + room;
  const int thread = static_cast<int>(threadIdx.x);
  const int warp = thread / 32;
  // In a step the draws begin when the list is there, as the attention does, and only their weights wait for its end.
  wait_for_row(kernel.listed, blockIdx.y, kWholeRow);
  const ListRow row(kernel);
  const std::int32_t* const list = attention.selected + row.list * attention.list;
  // A sequence that is attended to whole, or has no keys, has no scores and perhaps no list: nothing is drawn.
  const int count = row.length == 0 ? 0 : attention.counts[row.list];

  // The queries; the least score of the listed candidates.
  for (int i = thread; i < row.heads * dim; i += kRestThreads) {
    const std::int64_t at = std::int64_t{row.first} * dim + i;
    shared.queries[i / dim][i % dim] = to_float(static_cast<const Element*>(attention.queries)[at]);
  }
  if (thread == 0) shared.drawn = 0;
  const std::int64_t scores_begin = row.list * attention.shape.capacity;
  float least = INFINITY;
  for (int first = thread; first < count; first += kEntriesAtOnce * kRestThreads) {
    int keys[kEntriesAtOnce];
#pragma unroll
    for (int i = 0; i < kEntriesAtOnce; ++i) {
      keys[i] = first + i * kRestThreads < count ? list[first + i * kRestThreads] : -1;
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
  for (int w = 0; w < kRestWarps; ++w) least = fminf(least, shared.least[w]);
  const float steps = kernel.weight_scale * kOctaveSteps;
  const RestWeights weights = {steps, finite_normaliser(least * steps), kernel.normalisers != nullptr};

  // The sum over the rest, exchanged by the cluster.
  const int cluster = cluster_size();
  for (int share = cluster_rank() * kRestWarps + warp; share < kRestShares; share += cluster * kRestWarps) {
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
  for (int share = cluster_rank() * kRestWarps + warp; share < kRestShares; share += cluster * kRestWarps) {
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
  for (int i = thread; i < here; i += kRestThreads) {
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
    const RestSums sums = sum_of_lanes(lane < kRestWarps ? shared.warp_sums[lane][warp] : RestSums{}, kRestWarps);
    if (lane == 0) shared.sums[warp] = sums;
  }
  cluster_barrier();

  // The results, of the cluster's first block; where each block's drawn keys go, of all.
  const std::uint32_t of_rank = lane < cluster ? *shared_of(&shared.drawn, lane) : 0;
  const std::uint32_t all = __reduce_add_sync(~0u, of_rank);
  const std::uint32_t before = __reduce_add_sync(~0u, lane < cluster_rank() ? of_rank : 0);
  if (rest.rest_keys != nullptr) {
    std::int32_t* const keys = rest.rest_keys + std::int64_t{row.list} * room;
    for (int i = thread; i < here && before + i < static_cast<std::uint32_t>(room); i += kRestThreads) {
      keys[before + i] = drawn[i].key;
    }
    for (std::int64_t i = all + cluster_rank() * kRestThreads + thread; i < room; i += cluster * kRestThreads)
      keys[i] = -1;
  }
  if (cluster_rank() == 0) {
    const bool has_room = all <= static_cast<std::uint32_t>(room);
    if (warp < row.heads) {
      const RestSums sums =
          sum_of_lanes(lane < cluster ? *shared_of(&shared.sums[warp], lane) : RestSums{}, kMostRestBlocks);
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
      for (int i = thread; i < row.heads * dim; i += kRestThreads) {
        const std::int64_t at = std::int64_t{row.first} * dim + i;
        float sum = attention.output[at];
#pragma unroll
        for (int rank = 0; rank < kMostRestBlocks; ++rank) {
          if (rank < cluster) sum += *shared_of(&shared.vectors[i / dim][i % dim], rank);
        }
        rest.rest_output[at] = has_room ? sum / (1 + shared.warp_sums[0][i / dim].all) : attention.output[at];
      }
    }
  }
  cluster_barrier();  // no block leaves while another reads its shared memory
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
  while (device.has_clusters && shape.cluster < kMostRestBlocks &&
         2 * shape.cluster * lists <= device.multiprocessors) {
    shape.cluster *= 2;
  }
  shape.grid = grid_of(shape.cluster, lists);
  shape.threads = kRestThreads;
  shape.shared_bytes =
      sizeof(RestShared<dim>) + std::size_t{2} * rest_room(to_int(stage.rest.rest_samples)) * sizeof(DrawnKey);
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
