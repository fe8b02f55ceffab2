// The query's probability of each bucket (paper, Algorithm 2), as a full list or as half-tables.
//
// CPU twin: estimators/soft_buckets.hpp. Functor: gpu/functors/half_table.hpp.
// Arithmetic, all fp32: each lane sums its coordinates in order, the 32 sums by a butterfly; tanh, exp and the products
// over planes in plane order; a bucket is the product high * low, rounded to its type. With corners of the caller's
// own, a bucket's logit sums u_p * corner_p / temperature in plane order, and the softmax over all buckets takes the
// largest logit off first; its sum is in a fixed order of lanes.
// Error of one probability, relative, to first order, u = 2^-24: with A = max_p sum_d |w_pd q_d| and c = 2 scale /
// temperature, a projection is off by (dim/32 + 5) u A and tanh by 2 ulp, so a logit x by c ((dim/32 + 5) A + 4) u + 2
// |x| u, and sigma by the same relatively, plus 2 ulp of exp and 2 roundings; times planes, plus one rounding for each
// product.
#pragma once

#include <cuda_runtime.h>

#include "gpu/decode/decode_stages.hpp"
#include "gpu/device/barrier.cuh"
#include "gpu/device/element.cuh"
#include "gpu/device/launch.cuh"
#include "gpu/functors/half_table.hpp"
#include "gpu/rest/largest_norms.cuh"
#include "gpu/scores/projections.cuh"

namespace skt::gpu {

constexpr int kBucketWarps = 4;  // heads to a block: its table's hyperplanes come from L2 once

struct BucketArguments {
  const void* queries;  // and so on, as skt_soft_buckets_args has them
  const float* hyperplanes;
  void* probabilities;
  const float* corners;
  std::int64_t rows, dim, tables, planes;  // rows: batch * query rows * heads
  float scale, temperature;
  std::int32_t form, probability_type;
  std::uint32_t* cleared;  // or null
  std::int64_t cleared_words;
  RestArguments rest;  // of a step, or none
};

// Half a plane's logit is u / temperature, so that a corner of {-1, +1} gives what the half-tables give.
__device__ inline float corner_logit(const float* corner, const float* logits, int planes) {
  float sum = 0;
  for (int p = 0; p < planes; ++p) sum = fmaf(0.5f * logits[p], corner[p], sum);
  return sum;
}

// All buckets of one table, from `first` on, by the softmax over the caller's corners.
__device__ inline void softmax_over_corners(const BucketArguments& args, const float* logits, int planes,
                                            std::int64_t first) {
  const int lane = threadIdx.x % 32;
  float max = -INFINITY;
  for (int code = lane; code < 1 << planes; code += 32) {
    max = fmaxf(max, corner_logit(args.corners + code * planes, logits, planes));
  }
  for (int lanes = 16; lanes > 0; lanes /= 2) max = fmaxf(max, __shfl_xor_sync(~0u, max, lanes));
  float sum = 0;
  for (int code = lane; code < 1 << planes; code += 32) {
    sum += expf(corner_logit(args.corners + code * planes, logits, planes) - max);
  }
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_xor_sync(~0u, sum, lanes);
  for (int code = lane; code < 1 << planes; code += 32) {
    store_as(args.probability_type, args.probabilities, first + code,
             expf(corner_logit(args.corners + code * planes, logits, planes) - max) / sum);
  }
}

__device__ inline void clear_words(std::uint32_t* words, std::int64_t count) {
  if (words == nullptr) return;
  const std::int64_t block = blockIdx.y * gridDim.x + blockIdx.x;
  const std::int64_t step = std::int64_t{gridDim.x} * gridDim.y * blockDim.x;
#pragma unroll 1
  for (std::int64_t i = block * blockDim.x + threadIdx.x; i < count / 4; i += step) {
    reinterpret_cast<uint4*>(words)[i] = {0, 0, 0, 0};
  }
}

// Brings to L2 what the block will read, whoever may still write it: L2 is where writes meet. A step before this one
// has driven it out.
__device__ inline void prefetch(const void* begin, std::int64_t bytes) {
#if __CUDA_ARCH__ >= 900
  constexpr int kLineBytes = 128;
#pragma unroll 1
  for (std::int64_t at = threadIdx.x * kLineBytes; at < bytes; at += 32 * kBucketWarps * kLineBytes) {
    asm volatile("prefetch.global.L2 [%0];" ::"l"(static_cast<const char*>(begin) + at));
  }
#endif
}

// Grid: [tables, ceil(rows / kBucketWarps)]; one warp to a table of a head. With a rest more blocks along y, a warp to a share of
// norms.
template <class Element, bool has_rest>
__global__ void __launch_bounds__(32 * kBucketWarps) soft_buckets_kernel(BucketArguments args) {
  const int planes = to_int(args.planes);
  const int dim = to_int(args.dim);
  const std::int64_t table = blockIdx.x;
  const std::int64_t rows = args.rows;
  const std::int64_t first_row = std::int64_t{blockIdx.y} * kBucketWarps;
  const float* hyperplanes = args.hyperplanes + table * planes * dim;
  const auto* queries = static_cast<const Element*>(args.queries) + first_row * dim;
  prefetch(hyperplanes, planes * dim * std::int64_t{sizeof(float)});
  prefetch(queries, min(rows - first_row, std::int64_t{kBucketWarps}) * dim * std::int64_t{sizeof(Element)});
  const std::int64_t norm_block = (blockIdx.y - ceil_div(rows, kBucketWarps)) * args.tables + table;
  const int norm_share = to_int(norm_block) * kBucketWarps + static_cast<int>(threadIdx.x) / 32;
  const bool has_norms = has_rest && norm_block >= 0 && norm_share < args.rest.kv_rows * args.rest.norm_shares;
  if (has_norms) prefetch_norms(args.rest, norm_share);
  wait_for_previous_kernel();
  launch_next_kernel();  // after the wait, so that the scores' kernel finds all before this one done
  clear_words(args.cleared, args.cleared_words);
  if constexpr (has_rest) {
    if (has_norms) find_largest_norm(args.rest, norm_share);
    if (norm_block >= 0) return;
  }
  __shared__ float logits[kBucketWarps][kPlanesPadded];
  __shared__ float of_planes[kBucketWarps][2 * kPlanesPadded];                      // joined_entry's contributions
  __shared__ float halves[kBucketWarps][half_table_entries(kMostPublishedPlanes)];  // of SKT_BUCKETS
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  if (first_row + warp >= rows) return;
  const float wq = projections(queries + warp * dim, hyperplanes, planes, dim);
  const bool sums = args.form == SKT_HALF_SUMS;
  const bool set = lane % 2 == 1;
  const float logit = sums ? args.scale * wq : plane_logit(wq, args.scale, args.temperature);
  const float signed_logit = set ? logit : -logit;
  of_planes[warp][lane] = sums ? signed_logit : sigmoid(signed_logit);
  if (set) logits[warp][lane / 2] = logit;
  warp_barrier();
  const int entries = half_table_entries(planes);
  const std::int64_t row = (first_row + warp) * args.tables + table;
  if (args.corners != nullptr) return softmax_over_corners(args, logits[warp], planes, row << planes);
  float* half_row = args.form == SKT_BUCKETS ? halves[warp] : static_cast<float*>(args.probabilities) + row * entries;
  for (int i = lane; i < entries; i += 32) {
    half_row[i] = sums ? joined_entry(of_planes[warp], planes, i, 0.0f, [](float a, float b) { return a + b; })
                       : joined_entry(of_planes[warp], planes, i, 1.0f, [](float a, float b) { return a * b; });
  }
  if (args.form != SKT_BUCKETS) return;
  warp_barrier();
  const int low = low_planes(planes);
  const int high_entries = 1 << high_planes(planes);
  for (int code = lane; code < 1 << planes; code += 32) {
    store_as(args.probability_type, args.probabilities, (row << planes) + code,
             half_row[code >> low] * half_row[high_entries + (code & ((1 << low) - 1))]);
  }
}

}  // namespace skt::gpu
