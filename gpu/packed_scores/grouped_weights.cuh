// How do the half sums of query heads that share a kv head become the bits that the tensor cores multiply?
//
// Every block does it for the rows that it scores. A weight of 16 bits (gpu/functors/fixed_weights.hpp) is 16 columns of
// a product, one to each of its bits; a set of four heads is eight column tiles. Of a row in shared memory, in the order
// in which the lanes read them: second operands of mma.m16n8k256 b1 [steps of 8 words, sets, pairs of column tiles, 32
// lanes, 2 tiles, 2 words], and a scale to each head.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "gpu/device/barrier.cuh"
#include "gpu/functors/fixed_weights.hpp"
#include "gpu/functors/packed_codes.hpp"
#include "gpu/functors/whole_numbers.hpp"
#include "gpu/socketlab_gpu.h"

namespace skt::gpu {

constexpr int kSetHeads = 4;   // whose columns lie side by side, a pair of each head in every tile
constexpr int kStepWords = 8;  // of a key in one product
constexpr int kHalfStepWords = kStepWords / 2;
constexpr int kColumnTiles = kWeightBits / 2;  // of a set
constexpr int kLaneBytes = 16;                 // of one load
constexpr int kTilePairBytes = 32 * kLaneBytes;
constexpr int kSetBytes = kColumnTiles / 2 * kTilePairBytes;  // of a step

struct HeadScale {
  std::uint32_t largest;  // the bits of the largest |projection|; as whole numbers they rise with it, NaN last
  float unit;
  int all;  // the sum of the weights
};

// Where the weights of one row lie.
template <int sets>
struct RowWeights {
  static constexpr int kHeads = sets * kSetHeads;
  static constexpr int kStepBytes = sets * kSetBytes;
  std::byte* begin;
  HeadScale* scales;

  __device__ RowWeights(std::byte* memory, int words)
      : begin(memory), scales(reinterpret_cast<HeadScale*>(memory + steps(words) * kStepBytes)) {}
  __host__ __device__ static int steps(int words) { return (words + kStepWords - 1) / kStepWords; }
  __host__ __device__ static int bytes(int words) {
    return steps(words) * kStepBytes + kHeads * int{sizeof(HeadScale)};
  }
  // Bit `bit` of head `head`'s weights for the 32 bits of word `word` of a key.
  __device__ std::uint32_t& plane(int head, int word, int bit) const {
    const int set = word / kStepWords * sets + head / kSetHeads;
    const int column = 2 * (head % kSetHeads) + bit % 2;
    const int lane = column * kHalfStepWords + word % kHalfStepWords;
    const int in_lane = bit / 2 % 2 * 2 + word % kStepWords / kHalfStepWords;
    std::byte* const of_lane = begin + set * kSetBytes + bit / 4 * kTilePairBytes + lane * kLaneBytes;
    return reinterpret_cast<std::uint32_t*>(of_lane)[in_lane];
  }
};

// The projection whose sign is the lane's bit of word `word`; 0 where none is.
__device__ inline float projection_of_lane(const skt_score_packed_args& args, const float* half_sums, int word) {
  const int planes = to_int(args.planes);
  const CodeBit at = code_bit(word, to_int(threadIdx.x % 32), planes);
  return at.table < args.tables ? projection_of(half_sums + at.table * half_table_entries(planes), at.bit, planes) : 0;
}

// Finds the largest |projection| of the heads of `rows` rows. Of all threads; a warp takes some words of one head.
template <int sets, class HalfSumsOf>
__device__ void find_largest(const skt_score_packed_args& args, int rows, int heads, const HalfSumsOf& half_sums_of,
                             std::byte* weights, int words) {
  const int warps = blockDim.x / 32;
  const int parts = max(1, warps / (rows * heads));
  for (int task = threadIdx.x / 32; task < rows * heads * parts; task += warps) {
    const int row = task % rows;
    const int head = task / rows % heads;
    const float* half_sums = half_sums_of(row, head);
    std::uint32_t largest = 0;
#pragma unroll 4
    for (int word = task / (rows * heads); word < words; word += parts) {
      largest = max(largest, __float_as_uint(fabsf(projection_of_lane(args, half_sums, word))));
    }
    largest = __reduce_max_sync(~0u, largest);
    const RowWeights<sets> of_row(weights + row * RowWeights<sets>::bytes(words), words);
    if (threadIdx.x % 32 == 0) atomicMax(&of_row.scales[head].largest, largest);
  }
}

// Puts the weights of one head for one word of a key. Of all lanes of a warp, a bit of the word to each.
template <int sets>
__device__ void put_weights(float projection, int head, int word, const RowWeights<sets>& row) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  HeadScale& scale = row.scales[head];
  const float largest = __uint_as_float(scale.largest);
  const int weight = fixed_weight(projection, inverse_weight_unit(largest));
  std::uint32_t of_lane = 0;
#pragma unroll
  for (int bit = 0; bit < kWeightBits; ++bit) {
    const std::uint32_t plane = __ballot_sync(~0u, weight >> bit & 1);
    if (lane == bit) of_lane = plane;
  }
  if (lane < kWeightBits) row.plane(head, word, lane) = of_lane;
  const int all = __reduce_add_sync(~0u, weight);
  if (lane != 0) return;
  atomicAdd(&scale.all, all);
  if (word == 0) scale.unit = weight_unit(largest);
}

// The weights of `rows` rows, of which `heads` heads exist; half_sums_of(row, head) are a head's. Of all threads, behind
// a barrier of the block. Columns of no head and words behind the last are 0.
template <int sets, class HalfSumsOf>
__device__ void put_weights_of_rows(const skt_score_packed_args& args, int rows, int heads,
                                    const HalfSumsOf& half_sums_of, std::byte* weights, int words) {
  const int row_bytes = RowWeights<sets>::bytes(words);
  for (int i = threadIdx.x; i < rows * row_bytes / 4; i += blockDim.x) reinterpret_cast<std::uint32_t*>(weights)[i] = 0;
  block_barrier();
  find_largest<sets>(args, rows, heads, half_sums_of, weights, words);
  block_barrier();
#pragma unroll 2
  for (int i = threadIdx.x / 32; i < rows * heads * words; i += blockDim.x / 32) {
    const int row = i / words / heads;
    const int head = i / words % heads;
    const float projection = projection_of_lane(args, half_sums_of(row, head), i % words);
    put_weights<sets>(projection, head, i % words, {weights + row * row_bytes, words});
  }
  block_barrier();
}

}  // namespace skt::gpu
