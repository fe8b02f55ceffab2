// The query's probability of each bucket (paper, Algorithm 2), as a full list or as half-tables.
//
// CPU twin: estimators/soft_buckets.hpp. Functor: gpu/functors/half_table.hpp.
// Arithmetic, all fp32: each lane sums its coordinates in order, the 32 sums by a butterfly; tanh, exp and
// the products over planes in plane order; a bucket is the product high * low, rounded to its type. With
// corners of the caller's own, a bucket's logit sums u_p * corner_p / temperature in plane order, and the
// softmax over all buckets takes the largest logit off first; its sum is in a fixed order of lanes. Error of
// one probability, relative, to first order, u = 2^-24: with A = max_p sum_d |w_pd q_d| and c = 2 scale /
// temperature, a projection is off by (dim/32 + 5) u A and tanh by 2 ulp, so a logit x by c ((dim/32 + 5) A +
// 4) u + 2 |x| u, and sigma by the same relatively, plus 2 ulp of exp and 2 roundings; times planes, plus one
// rounding for each product.
#include <cuda_runtime.h>

#include "gpu/decode/decode_stages.hpp"
#include "gpu/device/element.cuh"
#include "gpu/device/launch.cuh"
#include "gpu/functors/half_table.hpp"

namespace skt::gpu {
namespace {

constexpr int kWarps = 4;  // heads to a block: its table's hyperplanes come from L2 once
constexpr std::uint32_t kWholeWarp = ~0u;
constexpr int kPlanesPadded = 16;
static_assert(kMostPackedPlanes <= kPlanesPadded);
constexpr int kPlanesAtOnce = 10;  // a lane's loads in flight, times 4 coordinates: one round up to 10 planes

// Sums each of `count` numbers over the lanes, by the pairs of a butterfly: distances 16, 8, 4, 2, 1 from
// count = 16 on. Of two numbers a lane passes on the one that its partner keeps, so that 16 exchanges do for
// 16 numbers. Lanes 2 i and 2 i + 1 return sum i.
template <int count>
__device__ float sums_over_lanes(const float (&number)[count]) {
  if constexpr (count == 1) {
    return number[0] + __shfl_xor_sync(kWholeWarp, number[0], 1);
  } else {
    const bool upper = threadIdx.x & count;
    float kept[count / 2];
#pragma unroll
    for (int i = 0; i < count / 2; ++i) {
      const float passed = upper ? number[i] : number[i + count / 2];
      kept[i] = upper ? number[i + count / 2] : number[i];
      kept[i] += __shfl_xor_sync(kWholeWarp, passed, count);
    }
    return sums_over_lanes(kept);
  }
}

// Adds to sum[i] the lane's part of the projection on plane first + i; behind the planes, on the last once
// more.
template <int first, int count, class Element>
__device__ void add_projections(const Element* query, const float* hyperplanes, int planes, int dim,
                                float (&sum)[kPlanesPadded]) {
  const float* plane[count];
#pragma unroll
  for (int i = 0; i < count; ++i) plane[i] = hyperplanes + min(first + i, planes - 1) * dim;
  int d = threadIdx.x % 32;
#pragma unroll 1
  for (; d + 96 < dim; d += 128) {
    float w[count][4];
#pragma unroll
    for (int chunk = 0; chunk < 4; ++chunk) {
#pragma unroll
      for (int i = 0; i < count; ++i) w[i][chunk] = plane[i][d + 32 * chunk];
    }
#pragma unroll
    for (int chunk = 0; chunk < 4; ++chunk) {
      const float q = to_float(query[d + 32 * chunk]);
#pragma unroll
      for (int i = 0; i < count; ++i) sum[first + i] = fmaf(q, w[i][chunk], sum[first + i]);
    }
  }
#pragma unroll 1
  for (; d < dim; d += 32) {
    const float q = to_float(query[d]);
#pragma unroll
    for (int i = 0; i < count; ++i) sum[first + i] = fmaf(q, plane[i][d], sum[first + i]);
  }
}

// Lanes 2 p and 2 p + 1 return the projection of the query on plane p; those behind the planes, any number.
template <class Element>
__device__ float projections(const Element* query, const float* hyperplanes, int planes, int dim) {
  float sum[kPlanesPadded] = {};
  add_projections<0, kPlanesAtOnce>(query, hyperplanes, planes, dim, sum);
  if (planes > kPlanesAtOnce) {
    add_projections<kPlanesAtOnce, kPlanesPadded - kPlanesAtOnce>(query, hyperplanes, planes, dim, sum);
  }
  return sums_over_lanes(sum);
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
  std::uint32_t* cleared;  // or null
  std::int64_t cleared_words;
};

__device__ void clear(std::uint32_t* words, std::int64_t count) {
  if (words == nullptr) return;
  const std::int64_t threads = static_cast<std::int64_t>(gridDim.x) * gridDim.y * blockDim.x;
  const std::int64_t block = blockIdx.y * gridDim.x + blockIdx.x;
#pragma unroll 1
  for (std::int64_t i = block * blockDim.x + threadIdx.x; i < count / 4; i += threads) {
    reinterpret_cast<uint4*>(words)[i] = {0, 0, 0, 0};
  }
}

// Brings to L2 what the block will read, whoever may still write it: L2 is where writes meet. A step before
// this one has driven it out.
__device__ void prefetch(const void* begin, std::int64_t bytes) {
#if __CUDA_ARCH__ >= 900
  constexpr int line = 128;
#pragma unroll 1
  for (std::int64_t at = threadIdx.x * line; at < bytes; at += 32 * kWarps * line) {
    asm volatile("prefetch.global.L2 [%0];" ::"l"(static_cast<const char*>(begin) + at));
  }
#endif
}

// Grid: [tables, ceil(batch * heads / kWarps)]; one warp to a table of a head.
template <class Element>
__global__ void __launch_bounds__(32 * kWarps) soft_buckets_kernel(KernelArguments kernel) {
  const skt_soft_buckets_args& args = kernel.args;
  const int planes = static_cast<int>(args.planes);
  const int dim = static_cast<int>(args.dim);
  const std::int64_t table = blockIdx.x;
  const std::int64_t rows = args.batch * args.heads;
  const std::int64_t first_row = static_cast<std::int64_t>(blockIdx.y) * kWarps;
  const float* hyperplanes = args.hyperplanes + table * planes * dim;
  const auto* queries = static_cast<const Element*>(args.queries) + first_row * dim;
  prefetch(hyperplanes, planes * dim * static_cast<std::int64_t>(sizeof(float)));
  prefetch(queries, min(rows - first_row, std::int64_t{kWarps}) * dim * static_cast<std::int64_t>(sizeof(Element)));
  wait_for_previous_kernel();
  launch_next_kernel();  // after the wait, so that the scores' kernel finds all before this one done
  clear(kernel.cleared, kernel.cleared_words);
  __shared__ float logits[kWarps][kPlanesPadded];
  __shared__ float of_planes[kWarps][2 * kPlanesPadded];                      // joined_entry's contributions
  __shared__ float halves[kWarps][half_table_entries(kMostPublishedPlanes)];  // of SKT_BUCKETS
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
  __syncwarp();
  const int entries = half_table_entries(planes);
  const std::int64_t row = (first_row + warp) * args.tables + table;
  if (args.corners != nullptr) return softmax_over_corners(args, logits[warp], planes, row << planes);
  float* half_row = args.form == SKT_BUCKETS ? halves[warp] : static_cast<float*>(args.probabilities) + row * entries;
  for (int i = lane; i < entries; i += 32) {
    half_row[i] = sums ? joined_entry(of_planes[warp], planes, i, 0.0f, [](float a, float b) { return a + b; })
                       : joined_entry(of_planes[warp], planes, i, 1.0f, [](float a, float b) { return a * b; });
  }
  if (args.form != SKT_BUCKETS) return;
  __syncwarp();
  const int low = low_planes(planes);
  const int high_entries = 1 << high_planes(planes);
  for (int code = lane; code < 1 << planes; code += 32) {
    store(args, (row << planes) + code, half_row[code >> low] * half_row[high_entries + (code & ((1 << low) - 1))]);
  }
}

Validation validate(const skt_soft_buckets_args& args, skt_error* error) {
  Validation check(error);
  check.heads(args.batch, args.heads, 1);
  check.vector_dim(args.dim);
  check.hash(args.tables, args.planes, 1, args.form == SKT_BUCKETS ? kMostPublishedPlanes : kMostPackedPlanes);
  check.positive("scale", args.scale);
  check.positive("temperature", args.temperature);
  check.type("query_type", args.query_type);
  check.in_range("form", args.form, SKT_BUCKETS, SKT_HALF_SUMS);
  check.in_range("probability_type", args.probability_type, SKT_F32, args.form == SKT_BUCKETS ? SKT_BF16 : SKT_F32);
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

int check_soft_buckets(const skt_soft_buckets_args& args, skt_error* error) {
  return validate(args, error).code();
}

int launch_soft_buckets(const skt_soft_buckets_args& args, std::uint32_t* cleared, std::int64_t words,
                        CUstream_st* stream, skt_error* error) {
  const Validation check = validate(args, error);
  if (check.failed()) return check.code();
  Launch shape;
  shape.grid =
      dim3(static_cast<unsigned>(args.tables), static_cast<unsigned>((args.batch * args.heads + kWarps - 1) / kWarps));
  shape.carveout = cudaSharedmemCarveoutMaxShared;
  shape.threads = 32 * kWarps;
  return with_element(args.query_type, [&]<class Element>(const Element*) {
    return launch(soft_buckets_kernel<Element>, shape, stream, {args, cleared, words}, error);
  });
}

}  // namespace skt::gpu

int skt_soft_buckets(const skt_soft_buckets_args* args, CUstream_st* stream, skt_error* error) {
  return skt::gpu::launch_soft_buckets(*args, nullptr, 0, stream, error);
}
