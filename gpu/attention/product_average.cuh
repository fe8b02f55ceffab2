// What does a warp make of its rounds of bf16 keys and values for four query heads that share a list? Their softmax averages,
// on the tensor cores: the heads are rows of one product with the keys, and columns of one with the values.
//
// Arithmetic: a logit is the sum of two products' fp32 sums, of coordinates 0 .. 3 of each 8 and of 4 .. 7. A weight is two
// numbers of bf16, itself rounded and what that leaves, together off by at most 2^-17 of it: rows 4 .. 7 of the first product
// are the heads once more, whose lanes make the second number, and columns 4 .. 7 of the second take it. The sum of weights is
// of fp32 weights. Error: gpu/attention/attention.cu.
//
// Lane 4 g + t has, of each 8 keys of a round, keys 2 t and 2 t + 1 of head g % 4, and reads what the products want of them
// (gpu/device/matrix_product.cuh): coordinates may be summed in any order, and a row of the second product may be any
// coordinate, so that each lane takes neighbouring ones.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "gpu/attention/average.cuh"
#include "gpu/attention/parts.cuh"
#include "gpu/attention/rows.cuh"
#include "gpu/device/matrix_product.cuh"

namespace skt::gpu {

template <int dim_>
class ProductAverage {
 public:
  using Element = __nv_bfloat16;
  using Layout = RowLayout<Element, dim_, 12288, true>;  // as many bytes as GroupAverage has
  static constexpr int dim = dim_;
  static constexpr int heads = 4;

  // The first of `left` queries is at place `at` of an array of bf16. Heads that there are not have queries of 0.
  __device__ ProductAverage(int /*type*/, const void* queries, std::int64_t at, int left, float logit_scale)
      : scale_(logit_scale * 1.44269504f) {
    if (head() >= left) return;
    const auto* query = static_cast<const Element*>(queries) + at + head() * dim + kPiece * in_row();
#pragma unroll
    for (int i = 0; i < kPieces; ++i) query_[i] = *reinterpret_cast<const uint4*>(query + 4 * kPiece * i);
  }
  // The head of which the lane has the logits.
  __device__ static int head() { return row() % heads; }
  // Adds a round.
  template <class Weights>
  __device__ void add(const std::byte* round, const Weights& weights) {
    float logits[kEights][2];
    float largest = -INFINITY;
#pragma unroll
    for (int eight = 0; eight < kEights; ++eight) {
      float sums[2][4] = {};
      const std::byte* key = round + (8 * eight + row()) * Layout::bytes;
#pragma unroll
      for (int i = 0; i < kPieces; ++i) {
        const int in_key = 16 * in_row() + 64 * i;
        const uint4 piece = *reinterpret_cast<const uint4*>(key + (in_key ^ Layout::of_key(row())));
        multiply_add(sums[0], {query_[i].x, 0, query_[i].y, 0}, piece.x, piece.y, kType);
        multiply_add(sums[1], {query_[i].z, 0, query_[i].w, 0}, piece.z, piece.w, kType);
      }
#pragma unroll
      for (int of_two = 0; of_two < 2; ++of_two) {
        float& logit = logits[eight][of_two];
        logit = weights.logit(first_key(eight) + of_two, (sums[0][of_two] + sums[1][of_two]) * scale_);
        largest = fmaxf(largest, logit);
      }
    }
    if (__any_sync(~0u, largest > part_.exponent)) raise(largest);
    std::uint32_t powers[kEights];
#pragma unroll
    for (int eight = 0; eight < kEights; ++eight) {
      float two[2];
#pragma unroll
      for (int of_two = 0; of_two < 2; ++of_two) {
        two[of_two] =
            weights.scaled(first_key(eight) + of_two, exp2_approximately(logits[eight][of_two] - part_.exponent));
        part_.sum += two[of_two];
      }
      const __nv_bfloat162 rounded = __floats2bfloat162_rn(two[0], two[1]);
      const float2 back = __bfloat1622float2(rounded);
      const __nv_bfloat162 rest = __floats2bfloat162_rn(two[0] - back.x, two[1] - back.y);
      powers[eight] = bits_of(row() < heads ? rounded : rest);
    }
    add_values(round + Layout::round_bytes, powers);
  }
  // Over all lanes, to shared memory: the vectors of head h at vectors + h * stride, and parts[h * part_stride].
  __device__ void write(float* vectors, int stride, Part* parts, int part_stride) {
    part_.sum += __shfl_xor_sync(~0u, part_.sum, 1);
    part_.sum += __shfl_xor_sync(~0u, part_.sum, 2);
    if (in_row() == 0 && row() < heads) parts[row() * part_stride] = part_;
    // A lane ends with half of the coordinates of two heads, and its neighbour with the other.
    const bool upper = in_row() >= 2;
#pragma unroll
    for (int of_two = 0; of_two < 2; ++of_two) {
      float* to = vectors + (2 * (in_row() % 2) + of_two) * stride + (upper ? dim / 2 : 0) + kOfLane * row();
#pragma unroll
      for (int i = 0; i < kOfLane; ++i) {
        const float first = vectors_[i][of_two], second = vectors_[i][2 + of_two];
        to[i] = (upper ? second : first) + __shfl_xor_sync(~0u, upper ? first : second, 2);
      }
    }
  }

 private:
  static constexpr int kPiece = 8;                  // coordinates of 16 bytes
  static constexpr int kPieces = dim / 32;          // of a key, to a lane
  static constexpr int kEights = Layout::keys / 8;  // of keys, to a round
  static constexpr int kOfLane = dim / 16;          // coordinates of each half of a value, to a lane
  static constexpr const Element* kType = nullptr;
  static_assert(kPieces * 32 == dim && kEights * 8 == Layout::keys && kOfLane % 2 == 0);

  __device__ static int row() { return threadIdx.x % 32 / 4; }
  __device__ static int in_row() { return threadIdx.x % 4; }
  __device__ static int first_key(int eight) { return 8 * eight + 2 * in_row(); }
  __device__ static std::uint32_t bits_of(const __nv_bfloat162& two) {
    return *reinterpret_cast<const std::uint32_t*>(&two);
  }

  struct alignas(2 * kOfLane) Coordinates {
    std::uint32_t two[kOfLane / 2];
  };
  // Of keys 2 t and 2 t + 1 of eight, the lane's coordinates of one half, side by side.
  struct TwoKeys {
    Coordinates first, second;

    __device__ std::uint32_t at(int i) const {
      return __byte_perm(first.two[i / 2], second.two[i / 2], i % 2 == 0 ? 0x5410 : 0x7632);
    }
  };
  __device__ static TwoKeys two_keys(const std::byte* values, int eight, int half) {
    const int in_value = half * dim + 2 * kOfLane * row();
    const std::byte* at = values + first_key(eight) * Layout::bytes + (in_value ^ Layout::of_value(first_key(0)));
    return {*reinterpret_cast<const Coordinates*>(at), *reinterpret_cast<const Coordinates*>(at + Layout::bytes)};
  }
  __device__ void add_values(const std::byte* values, const std::uint32_t (&powers)[kEights]) {
#pragma unroll
    for (int eight = 0; eight < kEights; eight += 2) {
      const TwoKeys lower[2] = {two_keys(values, eight, 0), two_keys(values, eight, 1)};
      TwoKeys upper[2] = {};
      std::uint32_t of_upper = 0;
      if constexpr (kEights > 1) {
        for (int half = 0; half < 2; ++half) upper[half] = two_keys(values, eight + 1, half);
        of_upper = powers[eight + 1];
      }
#pragma unroll
      for (int i = 0; i < kOfLane; ++i) {
        multiply_add(vectors_[i], {lower[0].at(i), lower[1].at(i), upper[0].at(i), upper[1].at(i)}, powers[eight],
                     of_upper, kType);
      }
    }
  }
  __device__ void raise(float largest) {
    largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, 1));
    largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, 2));
    const float exponent = fmaxf(part_.exponent, ceilf(largest));
    const float factor = rescale_factor(part_.exponent, exponent);
    part_ = {exponent, part_.sum * factor};
    const float of_columns[2] = {__shfl_sync(~0u, factor, 8 * in_row()), __shfl_sync(~0u, factor, 8 * in_row() + 4)};
#pragma unroll
    for (int i = 0; i < kOfLane; ++i) {
#pragma unroll
      for (int j = 0; j < 4; ++j) vectors_[i][j] *= of_columns[j % 2];
    }
  }

  float scale_;
  uint4 query_[kPieces] = {};
  Part part_;  // of the lane's head
  float vectors_[kOfLane][4] = {};
};

}  // namespace skt::gpu
