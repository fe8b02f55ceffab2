// The projections of a query on the planes of one table, by one warp: fp32, each lane sums its coordinates in order,
// the 32 sums by a butterfly.
#pragma once

#include <cuda_runtime.h>

#include "gpu/device/element.cuh"
#include "gpu/device/validate.hpp"

namespace skt::gpu {

constexpr int kPlanesPadded = 16;
static_assert(kMostPackedPlanes <= kPlanesPadded);
constexpr int kPlanesAtOnce = 10;  // a lane's loads in flight, times 4 coordinates: one round up to 10 planes

// Sums each of `count` numbers over the lanes, by the pairs of a butterfly: distances 16, 8, 4, 2, 1 from count = 16
// on. Of two numbers a lane passes on the one that its partner keeps, so that 16 exchanges do for 16 numbers. Lanes 2 i
// and 2 i + 1 return sum i.
template <int count>
__device__ float sums_over_lanes(const float (&number)[count]) {
  if constexpr (count == 1) {
    return number[0] + __shfl_xor_sync(~0u, number[0], 1);
  } else {
    const bool upper = threadIdx.x & count;
    float kept[count / 2];
#pragma unroll
    for (int i = 0; i < count / 2; ++i) {
      const float passed = upper ? number[i] : number[i + count / 2];
      kept[i] = upper ? number[i + count / 2] : number[i];
      kept[i] += __shfl_xor_sync(~0u, passed, count);
    }
    return sums_over_lanes(kept);
  }
}

// Adds to sum[i] the lane's part of the projection on plane first + i; behind the planes, on the last once more.
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

}  // namespace skt::gpu
