// The query's probability of each bucket (paper, Algorithm 2), as a full list or as half-tables.
//
// CPU twin: estimators/soft_buckets.hpp. Functor: gpu/half_table.hpp.
// Arithmetic, all fp32: each lane sums its coordinates in order, the 32 sums by a butterfly; tanh, exp and
// the products over planes in plane order; a bucket is the product high * low, rounded to its type. With
// corners of the caller's own, a bucket's logit sums u_p * corner_p / temperature in plane order, and the
// softmax over all buckets takes the largest logit off first; its sum is in a fixed order of lanes. Error of
// one probability, relative, to first order, u = 2^-24: with A = max_p sum_d |w_pd q_d| and c = 2 scale /
// temperature, a projection is off by (dim/32 + 5) u A and tanh by 2 ulp, so a logit x by c ((dim/32 + 5) A +
// 4) u + 2 |x| u, and sigma by the same relatively, plus 2 ulp of exp and 2 roundings; times planes, plus one
// rounding for each product.
#include <cuda_runtime.h>

#include "gpu/decode_stages.hpp"
#include "gpu/element.cuh"
#include "gpu/half_table.hpp"
#include "gpu/launch.cuh"
#include "gpu/score_bins.hpp"

namespace skt::gpu {
namespace {

constexpr int kWarps = 4;
constexpr std::uint32_t kWholeWarp = ~0u;
constexpr int kMaxPlanes = 15;
constexpr int kPlanesAtOnce = 5;  // projections in flight: 3 rounds for the most planes, 2 for 10

// Lane p of the warp returns the projection of the query on plane p of its table; other lanes return 0.
template <class Element>
__device__ float projections(const Element* query, const float* hyperplanes, int planes, int dim) {
  const int lane = threadIdx.x % 32;
  float mine = 0;
  for (int first = 0; first < planes; first += kPlanesAtOnce) {
    float sum[kPlanesAtOnce] = {};
#pragma unroll 4
    for (int d = lane; d < dim; d += 32) {
      const float q = to_float(query[d]);
#pragma unroll
      for (int i = 0; i < kPlanesAtOnce; ++i) {
        sum[i] = fmaf(q, hyperplanes[min(first + i, planes - 1) * dim + d], sum[i]);
      }
    }
#pragma unroll
    for (int i = 0; i < kPlanesAtOnce; ++i) {
      for (int lanes = 16; lanes > 0; lanes /= 2) sum[i] += __shfl_xor_sync(~0u, sum[i], lanes);
      if (lane == first + i) mine = sum[i];
    }
  }
  return mine;
}

__device__ void store(const skt_soft_buckets_args& args, std::int64_t at, float probability) {
  if (args.probability_type == SKT_F16) {
    static_cast<__half*>(args.probabilities)[at] = __float2half_rn(probability);
  } else if (args.probability_type == SKT_BF16) {
    static_cast<__nv_bfloat16*>(args.probabilities)[at] = __float2bfloat16_rn(probability);
  } else {
    static_cast<float*>(args.probabilities)[at] = probability;
  }
}

// Half a plane's logit is u / temperature, so that a corner of {-1, +1} gives what the half-tables give.
__device__ float corner_logit(const float* corner, const float* logits, int planes) {
  float sum = 0;
  for (int p = 0; p < planes; ++p) sum = fmaf(0.5f * logits[p], corner[p], sum);
  return sum;
}

// All buckets of one table, from `first` on, by the softmax over the caller's corners.
__device__ void softmax_over_corners(const skt_soft_buckets_args& args, const float* logits, int planes,
                                     std::int64_t first) {
  const int lane = threadIdx.x % 32;
  float max = -INFINITY;
  for (int code = lane; code < 1 << planes; code += 32) {
    max = fmaxf(max, corner_logit(args.corners + code * planes, logits, planes));
  }
  for (int lanes = 16; lanes > 0; lanes /= 2) max = fmaxf(max, __shfl_xor_sync(kWholeWarp, max, lanes));
  float sum = 0;
  for (int code = lane; code < 1 << planes; code += 32) {
    sum += expf(corner_logit(args.corners + code * planes, logits, planes) - max);
  }
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_xor_sync(kWholeWarp, sum, lanes);
  for (int code = lane; code < 1 << planes; code += 32) {
    store(args, first + code, expf(corner_logit(args.corners + code * planes, logits, planes) - max) / sum);
  }
}

struct KernelArguments {
  skt_soft_buckets_args args;
  std::uint32_t* cleared;  // bins of gpu/score_bins.hpp, [batch * heads, kScoreBins]; or null
};

__device__ void clear_bins(std::uint32_t* bins) {
  if (bins == nullptr) return;
  std::uint32_t* row = bins + static_cast<std::int64_t>(blockIdx.y) * kScoreBins;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < kScoreBins; i += gridDim.x * blockDim.x) {
    row[i] = 0;
  }
}

// Grid: [ceil(tables / kWarps), batch * heads]; one warp to a table of a head.
template <class Element>
__global__ void __launch_bounds__(32 * kWarps) soft_buckets_kernel(KernelArguments kernel) {
  wait_for_previous_kernel();
  launch_next_kernel();  // after the wait, so that the scores' kernel finds all before this one done
  const skt_soft_buckets_args& args = kernel.args;
  clear_bins(kernel.cleared);
  __shared__ float logits[kWarps][kMaxPlanes];
  __shared__ float halves[kWarps][1 << (kMaxPlanes / 2 + 2)];  // 2^8 + 2^7 entries at 15 planes
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const std::int64_t table = static_cast<std::int64_t>(blockIdx.x) * kWarps + warp;
  if (table >= args.tables) return;
  const int planes = static_cast<int>(args.planes);
  const auto* query =
      static_cast<const Element*>(args.queries) + static_cast<std::int64_t>(blockIdx.y) * args.dim;
  const float wq =
      projections(query, args.hyperplanes + table * planes * args.dim, planes, static_cast<int>(args.dim));
  const bool sums = args.form == SKT_HALF_SUMS;
  if (lane < planes) logits[warp][lane] = sums ? args.scale * wq : plane_logit(wq, args.scale, args.temperature);
  __syncwarp();
  const int entries = half_table_entries(planes);
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.y) * args.tables + table;
  if (args.corners != nullptr) return softmax_over_corners(args, logits[warp], planes, row << planes);
  float* half_row =
      args.form == SKT_BUCKETS ? halves[warp] : static_cast<float*>(args.probabilities) + row * entries;
  for (int i = lane; i < entries; i += 32) {
    half_row[i] = sums ? half_sums_entry(logits[warp], planes, i) : half_tables_entry(logits[warp], planes, i);
  }
  if (args.form != SKT_BUCKETS) return;
  __syncwarp();
  const int low = low_planes(planes);
  const int high_entries = 1 << high_planes(planes);
  for (int code = lane; code < 1 << planes; code += 32) {
    store(args, (row << planes) + code,
          half_row[code >> low] * half_row[high_entries + (code & ((1 << low) - 1))]);
  }
}

Validation validate(const skt_soft_buckets_args& args, skt_error* error) {
  Validation check(error);
  check.heads(args.batch, args.heads, 1);
  check.vector_dim(args.dim);
  check.hash(args.tables, args.planes, 1);
  check.positive("scale", args.scale);
  check.positive("temperature", args.temperature);
  check.type("query_type", args.query_type);
  check.in_range("form", args.form, SKT_BUCKETS, SKT_HALF_SUMS);
  check.in_range("probability_type", args.probability_type, SKT_F32,
                 args.form == SKT_BUCKETS ? SKT_BF16 : SKT_F32);
  if (args.form != SKT_BUCKETS && args.corners != nullptr) {
    check.refuse(SKT_BAD_ARGUMENT, "corners without SKT_BUCKETS", 1, "NULL");
  }
  check.optional_pointer("corners", args.corners);
  check.pointer("queries", args.queries);
  check.pointer("hyperplanes", args.hyperplanes);
  check.pointer("probabilities", args.probabilities);
  return check;
}

}  // namespace

int launch_soft_buckets(const skt_soft_buckets_args& args, const RowBins& cleared, CUstream_st* stream,
                        skt_error* error) {
  const Validation check = validate(args, error);
  if (check.failed()) return check.code();
  Launch shape;
  shape.grid = dim3(static_cast<unsigned>((args.tables + kWarps - 1) / kWarps),
                    static_cast<unsigned>(args.batch * args.heads));
  shape.carveout = cudaSharedmemCarveoutMaxShared;
  shape.threads = 32 * kWarps;
  return with_element(args.query_type, [&]<class Element>(const Element*) {
    return launch(soft_buckets_kernel<Element>, shape, stream, {args, cleared.counts}, error);
  });
}

}  // namespace skt::gpu

int skt_soft_buckets(const skt_soft_buckets_args* args, CUstream_st* stream, skt_error* error) {
  return skt::gpu::launch_soft_buckets(*args, {}, stream, error);
}
