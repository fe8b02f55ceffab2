// What does a warp make of its rounds of keys and values? Their softmax average.
//
// For logits `key_lanes` lanes hold a key, 64 bytes each, of e4m3 32; for values a lane holds one piece of every row, `value_lanes`
// lanes to a row. Each weight is taken to all lanes of its row by a shuffle.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "gpu/attention/parts.cuh"
#include "gpu/attention/rows.cuh"
#include "gpu/device/element.cuh"

namespace skt::gpu {

__device__ inline float exp2_approximately(float x) {
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}

// What the keys of a round weigh: the first `left` the power of their logit, relative to 2^exponent.
struct SoftmaxWeights {
  int left;

  __device__ float logit(int key, float any) const { return key < left ? any : -INFINITY; }
  __device__ float scaled(int /*key*/, float weight) const { return weight; }
};

template <class Element_, int dim_>
class WarpAverage {
 public:
  using Element = Element_;
  using Layout = RowLayout<Element, dim_, 8192>;
  static constexpr int dim = dim_;
  static constexpr int heads = 1;
  static constexpr int kPieces = Layout::lane_pieces;
  static constexpr int per_piece = kPerLoad<Element>;
  static constexpr int key_lanes = 32 / Layout::keys;
  static constexpr int value_lanes = Layout::pieces < 32 ? Layout::pieces : 32;
  static constexpr int value_pieces = Layout::pieces / value_lanes;
  static constexpr int groups = 32 / value_lanes;

  // The query at place `at` of an array of the keys' type; with keys of e4m3 of the type that `type` names.
  __device__ WarpAverage(int type, const void* queries, std::int64_t at, int /*left*/, float logit_scale)
      : scale_(logit_scale * 1.44269504f) {
#pragma unroll
    for (int i = 0; i < kPieces; ++i) load_query<Element>(type, queries, at + key_piece(i) * per_piece, query_[i]);
  }
  // The head of which the lane has the logits.
  __device__ static int head() { return 0; }
  // Adds a round.
  template <class Weights>
  __device__ void add(const std::byte* round, const Weights& weights) {
    const int key = lane() / key_lanes;
    const float mine = weights.logit(key, logit(round));
    if (__any_sync(~0u, mine > part_.exponent)) raise(mine);
    const float weight = weights.scaled(key, exp2_approximately(mine - part_.exponent));
    part_.sum += weight;
    const std::byte* values = round + Layout::round_bytes + lane() * 16;
#pragma unroll
    for (int i = 0; i < kPieces; ++i) {
      const int row = i / value_pieces * groups + lane() / value_lanes;
      const float shared = __shfl_sync(~0u, weight, row * key_lanes);
      float value[per_piece];
      to_floats(load_chunk(reinterpret_cast<const Element*>(values + i * 512)), value);
#pragma unroll
      for (int e = 0; e < per_piece; ++e) {
        float& x = vector_[i % value_pieces][e];
        x = fmaf(shared, value[e], x);
      }
    }
  }
  // Over all lanes, to shared memory: vector [dim] and part. Strides between heads are of no use here.
  __device__ void write(float* vector, int /*stride*/, Part* part, int /*part_stride*/) {
#pragma unroll
    for (int lanes = key_lanes; lanes < 32; lanes *= 2) {
      part_.sum += __shfl_xor_sync(~0u, part_.sum, lanes);
    }
    if (lane() == 0) *part = part_;
#pragma unroll
    for (int i = 0; i < value_pieces; ++i) {
#pragma unroll
      for (int e = 0; e < per_piece; ++e) {
        float x = vector_[i][e];
#pragma unroll
        for (int lanes = value_lanes; lanes < 32; lanes *= 2) x += __shfl_xor_sync(~0u, x, lanes);
        if (lane() < value_lanes) vector[(i * value_lanes + lane()) * per_piece + e] = x;
      }
    }
  }

 private:
  __device__ static int lane() { return threadIdx.x % 32; }
  // Which piece of its key a lane reads i-th: in an order that keeps eight neighbouring lanes on all banks.
  __device__ static int key_piece(int i) {
    const int key = lane() / key_lanes;
    constexpr int keys_on_all_banks = Layout::pieces < 8 ? 8 / Layout::pieces : 1;
    const int turn = key_lanes >= 8 ? 0 : key / keys_on_all_banks % kPieces;
    return (i ^ turn) * key_lanes + lane() % key_lanes;
  }
  __device__ float logit(const std::byte* round) const {
    const std::byte* key = round + lane() / key_lanes * Layout::bytes;
    float sums[4] = {};  // of coordinates that follow one another in the lane
#pragma unroll
    for (int i = 0; i < kPieces; ++i) {
      float piece[per_piece];
      to_floats(load_chunk(reinterpret_cast<const Element*>(key + key_piece(i) * 16)), piece);
#pragma unroll
      for (int e = 0; e < per_piece; ++e) {
        float& sum = sums[(i * per_piece + e) / (kPieces * per_piece / 4)];
        sum = fmaf(query_[i][e], piece[e], sum);
      }
    }
    float sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
#pragma unroll
    for (int lanes = key_lanes / 2; lanes > 0; lanes /= 2) sum += __shfl_xor_sync(~0u, sum, lanes);
    return sum * scale_;
  }
  __device__ void raise(float logit) {
    const float exponent = fmaxf(part_.exponent, ceilf(warp_max(logit)));
    const float factor = rescale_factor(part_.exponent, exponent);
    part_ = {exponent, part_.sum * factor};
#pragma unroll
    for (int i = 0; i < value_pieces; ++i) {
#pragma unroll
      for (int e = 0; e < per_piece; ++e) vector_[i][e] *= factor;
    }
  }

  float scale_;
  float query_[kPieces][per_piece];
  Part part_;
  float vector_[value_pieces][per_piece] = {};
};

}  // namespace skt::gpu
