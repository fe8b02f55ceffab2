// What does a warp make of its rounds of keys and values for four query heads that share a list? Their softmax averages,
// from keys and values read once.
//
// A lane holds 8 coordinates of a row, `row_lanes` lanes to a row, of keys and of values alike, and of all four queries and
// vectors: few enough for its registers in every type. The logits of a key are summed over its lanes by exchanges that
// halve what each lane is left with: it ends with the logit of one head, and gives its weight to the others of the row.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "gpu/attention/average.cuh"
#include "gpu/attention/parts.cuh"
#include "gpu/attention/rows.cuh"
#include "gpu/device/element.cuh"

namespace skt::gpu {

// The lane's coordinates of a row of `row_lanes` lanes: 8 that follow one another, of fp32 twice 4.
template <class Element, int row_lanes>
__device__ inline void load_coordinates(const std::byte* row, int lane, float (&numbers)[8]) {
  const auto* elements = reinterpret_cast<const Element*>(row);
  if constexpr (sizeof(Element) == 1) {
    std::uint16_t pairs[4];
    const auto words = *reinterpret_cast<const std::uint64_t*>(elements + 8 * lane);
    memcpy(pairs, &words, sizeof pairs);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float2 pair = e4m3_pair(pairs[i]);
      numbers[2 * i] = pair.x;
      numbers[2 * i + 1] = pair.y;
    }
  } else if constexpr (sizeof(Element) == 2) {
    to_floats(load_chunk(elements + 8 * lane), numbers);
  } else {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float four[4];
      to_floats(load_chunk(elements + 4 * (half * row_lanes + lane)), four);
#pragma unroll
      for (int i = 0; i < 4; ++i) numbers[4 * half + i] = four[i];
    }
  }
}

template <class Element_, int dim_>
class GroupAverage {
 public:
  using Element = Element_;
  using Layout = RowLayout<Element, dim_, 12288>;  // rows are few, and so rounds to a warp: more of them on their way
  static constexpr int dim = dim_;
  static constexpr int heads = 4;
  static constexpr int row_lanes = dim / 8;
  static constexpr int rows = 32 / row_lanes;        // that a warp has at a time
  static constexpr int steps = Layout::keys / rows;  // of a round
  static_assert(steps * rows == Layout::keys);

  // The first of `left` queries is at place `at` of an array of the keys' type; with keys of e4m3 of the type that `type`
  // names. Heads that there are not have queries of 0.
  __device__ GroupAverage(int type, const void* queries, std::int64_t at, int left, float logit_scale)
      : scale_(logit_scale * 1.44269504f) {
#pragma unroll
    for (int head = 0; head < heads; ++head) {
      if (head >= left) continue;
      if constexpr (sizeof(Element) == 4) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          float four[4];
          load_query<Element>(type, queries, at + head * dim + 4 * (half * row_lanes + row_lane()), four);
#pragma unroll
          for (int i = 0; i < 4; ++i) query_[head][4 * half + i] = four[i];
        }
      } else {
        load_eight(type, queries, at + head * dim + 8 * row_lane(), query_[head]);
      }
    }
  }
  // The head of which the lane has the logits.
  __device__ static int head() { return (lane() & row_lanes / 2 ? 2 : 0) + (lane() & row_lanes / 4 ? 1 : 0); }
  // Adds a round.
  template <class Weights>
  __device__ void add(const std::byte* round, const Weights& weights) {
    float logits[steps];
    float largest = -INFINITY;
#pragma unroll
    for (int step = 0; step < steps; ++step) {
      const int row = step * rows + lane() / row_lanes;
      logits[step] = weights.logit(row, logit(round + row * Layout::bytes));
      largest = fmaxf(largest, logits[step]);
    }
    if (__any_sync(~0u, largest > part_.exponent)) raise(largest);
    const std::byte* values = round + Layout::round_bytes + lane() / row_lanes * Layout::bytes;
#pragma unroll
    for (int step = 0; step < steps; ++step) {
      const float weight =
          weights.scaled(step * rows + lane() / row_lanes, exp2_approximately(logits[step] - part_.exponent));
      part_.sum += weight;
      float value[8];
      load_coordinates<Element, row_lanes>(values + step * rows * Layout::bytes, row_lane(), value);
#pragma unroll
      for (int head = 0; head < heads; ++head) {
        const float shared = __shfl_sync(~0u, weight, lane() / row_lanes * row_lanes + lane_of(head));
#pragma unroll
        for (int e = 0; e < 8; ++e) vectors_[head][e] = fmaf(shared, value[e], vectors_[head][e]);
      }
    }
  }
  // Over all lanes, to shared memory: the vectors of head h at vectors + h * stride, and parts[h * part_stride].
  __device__ void write(float* vectors, int stride, Part* parts, int part_stride) {
#pragma unroll
    for (int lanes = row_lanes; lanes < 32; lanes *= 2) part_.sum += __shfl_xor_sync(~0u, part_.sum, lanes);
#pragma unroll
    for (int head = 0; head < heads; ++head) {
      if (lane() == lane_of(head)) parts[head * part_stride] = part_;
#pragma unroll
      for (int e = 0; e < 8; ++e) {
        float x = vectors_[head][e];
#pragma unroll
        for (int lanes = row_lanes; lanes < 32; lanes *= 2) x += __shfl_xor_sync(~0u, x, lanes);
        if (lane() < row_lanes) vectors[head * stride + coordinate(e)] = x;
      }
    }
  }

 private:
  __device__ static int lane() { return threadIdx.x % 32; }
  __device__ static int row_lane() { return lane() % row_lanes; }
  __device__ static int coordinate(int e) {
    return sizeof(Element) == 4 ? 4 * (e / 4 * row_lanes + row_lane()) + e % 4 : 8 * row_lane() + e;
  }
  // The first lane of a row that ends with the head's logit.
  __device__ static constexpr int lane_of(int head) { return head / 2 * (row_lanes / 2) + head % 2 * (row_lanes / 4); }
  // Eight numbers of a query, of 16 bits, or beside e4m3 of any type.
  __device__ static void load_eight(int type, const void* queries, std::int64_t at, float (&numbers)[8]) {
    if constexpr (sizeof(Element) == 1) {
      if (type == SKT_F16) return load_floats<__half>(queries, at, numbers);
      if (type == SKT_BF16) return load_floats<__nv_bfloat16>(queries, at, numbers);
      load_floats<float>(queries, at, numbers);
    } else {
      load_floats<Element>(queries, at, numbers);
    }
  }
  // Of the lane's row and head.
  __device__ float logit(const std::byte* row) const {
    float key[8];
    load_coordinates<Element, row_lanes>(row, row_lane(), key);
    float sums[heads] = {};
#pragma unroll
    for (int head = 0; head < heads; ++head) {
#pragma unroll
      for (int e = 0; e < 8; ++e) sums[head] = fmaf(query_[head][e], key[e], sums[head]);
    }
    const bool second_pair = lane() & row_lanes / 2;
    float pair[2];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const float given = __shfl_xor_sync(~0u, second_pair ? sums[i] : sums[2 + i], row_lanes / 2);
      pair[i] = (second_pair ? sums[2 + i] : sums[i]) + given;
    }
    const bool second = lane() & row_lanes / 4;
    float sum = (second ? pair[1] : pair[0]) + __shfl_xor_sync(~0u, second ? pair[0] : pair[1], row_lanes / 4);
#pragma unroll
    for (int lanes = row_lanes / 8; lanes > 0; lanes /= 2) sum += __shfl_xor_sync(~0u, sum, lanes);
    return sum * scale_;
  }
  __device__ void raise(float largest) {
#pragma unroll
    for (int lanes = row_lanes; lanes < 32; lanes *= 2) {
      largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, lanes));
    }
    const float exponent = fmaxf(part_.exponent, ceilf(largest));
    const float factor = rescale_factor(part_.exponent, exponent);
    part_ = {exponent, part_.sum * factor};
#pragma unroll
    for (int head = 0; head < heads; ++head) {
      const float of_head = __shfl_sync(~0u, factor, lane_of(head));
#pragma unroll
      for (int e = 0; e < 8; ++e) vectors_[head][e] *= of_head;
    }
  }

  float scale_;
  float query_[heads][8] = {};
  Part part_;  // of the lane's head
  float vectors_[heads][8] = {};
};

}  // namespace skt::gpu
