// How much may a drawn key weigh at most, for each head of its list?
//
// Ceilings: docs/bounds/residual.md, 16(b). In octaves, with a(q) the largest |projection| of the query and s the logit scale,
//   logit <= estimate + largest norm (log2(e) s |q| radius + weight_scale bits a(q) (1/254 + 2^-10)) + rounding of the score,
// the 1/254 of weights of 8 bits, 2^-10 of the norm's fp16; `radius` takes in what fp32 adds to the estimate. The score's
// rounding is relative to its size, which the edge (RestScale) bounds: what is larger is negative, and is drawn as the floor is.
// Wrong if a drawn key's weight over its probability could pass it unseen: RestSums::broken counts those that do.
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <numbers>

#include "gpu/device/element.cuh"
#include "gpu/functors/fixed_weights.hpp"
#include "gpu/functors/group_weights.hpp"
#include "gpu/functors/half_table.hpp"
#include "gpu/rest/arguments.hpp"

namespace skt::gpu {

constexpr float kLog2e = std::numbers::log2e_v<float>;
constexpr float kMostNorm = 65504;  // the largest of fp16

// A step reads them before its wait, so from L2: an L1 might hold those of the step before.
struct HalfSums {
  const float* at;

  __device__ HalfSums operator+(int entries) const { return {at + entries}; }
  __device__ float operator[](int entry) const { return __ldcg(at + entry); }
};

struct QueryNumbers {
  float length, projection;  // of the query, and its largest
};

__device__ inline float warp_sum(float mine) {
#pragma unroll
  for (int lanes = 16; lanes > 0; lanes /= 2) mine += __shfl_xor_sync(~0u, mine, lanes);
  return mine;
}

// Of the coordinates that a lane looks at, of query `head` of [heads, dim].
template <class Element, int dim>
__device__ float square_of_query(const void* queries, int head) {
  const Element* const query = static_cast<const Element*>(queries) + std::int64_t{head} * dim;
  float square = 0;
#pragma unroll
  for (int i = 0; i < dim / 32; ++i) {
    const float coordinate = to_float(query[32 * i + static_cast<int>(threadIdx.x) % 32]);
    square += coordinate * coordinate;
  }
  return square;
}

// Of those that a lane looks at, of warp `part` of `parts` that share the query.
__device__ inline float largest_projection(const RestArguments& kernel, int head, int part, int parts) {
  const int entries = half_table_entries(kernel.planes);
  const HalfSums half_sums = {kernel.half_sums + std::int64_t{head} * kernel.tables * entries};
  float largest = 0;
#pragma unroll 4
  for (int i = 32 * part + static_cast<int>(threadIdx.x) % 32; i < kernel.tables * kernel.planes; i += 32 * parts) {
    const int table = i / kernel.planes, bit = i % kernel.planes;
    largest = fmaxf(largest, known(fabsf(projection_of(half_sums + table * entries, bit, kernel.planes))));
  }
  return largest;
}

// Of a head, by what the weight of a key that is drawn may be; infinite where nothing is known of it.
__device__ inline float octaves_of(const RestArguments& kernel, int head, const QueryNumbers& query,
                                   const DrawnRow& row) {
  if (!(row.norm < kMostNorm)) return INFINITY;
  const float norm = row.norm * (1 + 0x1p-10f) + 0x1p-24f;
  const bool shared = kernel.normalisers != nullptr;
  const float normaliser = shared ? kernel.normalisers[head] : row.normaliser;
  if (!(fabsf(normaliser) < kMostNormaliser)) return INFINITY;
  const float octaves =
      norm * (kernel.octaves_of_length * query.length + kernel.octaves_of_projection * query.projection) +
      normaliser / kOctaveSteps;
  return shared ? octaves : octaves + kernel.octaves_of_score * row.score;
}
// What the largest weight over its probability is, relative to 2^base.
__device__ inline float ceiling_of(float octaves, float base, float rate) {
  return exp2f(octaves - base) / rate * static_cast<float>(kRestRounding * 1.0001);
}

}  // namespace skt::gpu
