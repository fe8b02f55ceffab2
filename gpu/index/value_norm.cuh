// The norm of one value row, for skt_value_norms and skt_build_index: fp32 sum of squares by fused multiply-add in
// order of the coordinate, correctly rounded square root. gpu/index/value_norms.cu has the error.
#pragma once

#include "gpu/device/element.cuh"

namespace skt::gpu {

template <class Element>
__device__ inline float row_norm(const Element* row, int dim) {
  float sum = 0;
  for (int d = 0; d < dim; d += kPerLoad<Element>) {
    const Chunk<Element> chunk = load_chunk(row + d);
    for (int i = 0; i < kPerLoad<Element>; ++i) {
      const float x = to_float(chunk.element[i]);
      sum = fmaf(x, x, sum);
    }
  }
  return __fsqrt_rn(sum);
}

// A norm above the largest fp16 number is kept as that instead of becoming infinite.
__device__ inline __half saturated_half(float norm) {
  constexpr float kLargestHalf = 65504;
  return __float2half_rn(norm > kLargestHalf ? kLargestHalf : norm);
}

}  // namespace skt::gpu
