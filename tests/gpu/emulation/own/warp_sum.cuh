// A header beside the source: the sum over a warp, in lane 0.
#pragma once

template <class Number, int Lanes>
__device__ Number warp_sum(Number value) {
  for (int distance = Lanes / 2; distance > 0; distance /= 2) value += __shfl_down_sync(~0u, value, distance);
  return value;
}
