// How do the warps' sums of a row become its output? The warps of a block make one part in the workspace, in order of
// warps; a second kernel merges the parts of a row, in their order.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "gpu/device/barrier.cuh"
#include "gpu/functors/softmax_merge.hpp"

namespace skt::gpu {

using Part = SoftmaxPart<float>;

constexpr int kMergedAtOnce = 32;  // parts of a row

// The workspace: every part's vector [rows, stride, dim], its exponent and sum [rows, stride].
struct Parts {
  float* vectors;
  Part* softmax;
  int stride;
  int parts;       // at most, of this row
  int block_keys;  // of a block at a time: a row has no more parts than its list fills

  // How many parts a row of `count` keys has; an empty row has one.
  __device__ int used(int count) const { return min(max((count + block_keys - 1) / block_keys, 1), parts); }
};

__device__ inline float warp_max(float x) {
#pragma unroll
  for (int lanes = 16; lanes > 0; lanes /= 2) x = fmaxf(x, __shfl_xor_sync(~0u, x, lanes));
  return x;
}

// vectors: [warps][dim] and softmax: [warps], in shared memory; by `group` threads, whole warps, of which this is number
// `thread`.
template <int warps, int dim, int group>
__device__ void write_part(const Parts& parts, std::int64_t slot, const float* vectors, const Part* softmax,
                           int thread) {
  const int lane = threadIdx.x % 32;
  const Part mine = lane < warps ? softmax[lane] : Part{};
  const float exponent = warp_max(mine.exponent);
  const float my_factor = rescale_factor(mine.exponent, exponent);
  float factors[warps];
#pragma unroll
  for (int w = 0; w < warps; ++w) factors[w] = __shfl_sync(~0u, my_factor, w);
  for (int d = thread; d < dim; d += group) {
    float vector = 0;
#pragma unroll
    for (int w = 0; w < warps; ++w) vector = fmaf(vectors[w * dim + d], factors[w], vector);
    __stcg(&parts.vectors[slot * dim + d], vector);
  }
  if (thread == 0) {
    float total = 0;
#pragma unroll
    for (int w = 0; w < warps; ++w) total = fmaf(softmax[w].sum, factors[w], total);
    parts.softmax[slot] = {exponent, total};
  }
}

// The parts of a row by all threads of a block: `groups` of dim threads, each takes every groups-th part. Calls
// put(d, coordinate d of the vector, part) in the threads of one group.
template <int threads, int dim, class Put>
__device__ void merge_parts(const Parts& parts, std::int64_t row, int used, const Put& put) {
  constexpr int groups = threads / dim;
  constexpr int at_once = kMergedAtOnce / groups;  // to a group
  static_assert(groups * dim == threads);
  const Part* softmax = parts.softmax + row * parts.stride;
  const float* vectors = parts.vectors + row * parts.stride * dim;
  const int d = threadIdx.x % dim;
  const int group = threadIdx.x / dim;
  const int lane = threadIdx.x % 32;
  Part total;
  float vector = 0;
  for (int first = 0; first < used; first += kMergedAtOnce) {
    Part mine;
    if (first + lane < used) mine = {__ldcg(&softmax[first + lane].exponent), __ldcg(&softmax[first + lane].sum)};
    float held[at_once];
#pragma unroll
    for (int i = 0; i < at_once; ++i) {
      const int part = first + i * groups + group;
      held[i] = part < used ? __ldcg(&vectors[part * dim + d]) : 0;
    }
    const float exponent = fmaxf(total.exponent, warp_max(mine.exponent));
    const float before = rescale_factor(total.exponent, exponent);
    const float factor = rescale_factor(mine.exponent, exponent);
    total = {exponent, total.sum * before};
    vector *= before;
#pragma unroll
    for (int i = 0; i < at_once; ++i) {
      const float scaled = __shfl_sync(~0u, factor, i * groups + group);
      total.sum = fmaf(__shfl_sync(~0u, mine.sum, i * groups + group), scaled, total.sum);
      vector = fmaf(held[i], scaled, vector);
    }
  }
  __shared__ float group_vectors[groups][dim];
  __shared__ float group_sums[groups];
  group_vectors[group][d] = vector;
  if (d == 0) group_sums[group] = total.sum;
  block_barrier();
  if (group != 0) return;
  for (int g = 1; g < groups; ++g) {
    vector += group_vectors[g][d];
    total.sum += group_sums[g];
  }
  put(d, vector, total);
}

}  // namespace skt::gpu
