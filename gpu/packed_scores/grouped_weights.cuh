// How do the half sums of query heads that share a kv head become the bits that the tensor cores multiply?
//
// Every block does it for the rows that it scores. A weight of 8 bits (gpu/functors/fixed_weights.hpp) is 8 columns of
// a product, one to each of its bits; a set of four heads is four column tiles. Of a row in shared memory, in the order
// in which the lanes read them: second operands of mma.m16n8k256 b1 [steps of 2 words of each lane, sets, pairs of
// column tiles, 32 lanes, 2 tiles, 2 words]; those of m16n8k128 for a last word that makes no pair [sets, 32 lanes,
// column tiles]; and a scale to each head.
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

constexpr int kSetHeads = 4;                   // whose columns lie side by side, a pair of each head in every tile
constexpr int kWordLanes = 4;                  // that share a key, each with words of its own
constexpr int kColumnTiles = kWeightBits / 2;  // of a set
constexpr int kLaneBytes = 16;                 // of one load
constexpr int kTilePairBytes = 32 * kLaneBytes;
constexpr int kSetBytes = kColumnTiles / 2 * kTilePairBytes;  // of a step of two words
constexpr int kLastWordBytes = 32 * kLaneBytes;               // of a set, where a last word makes no pair
static_assert(kColumnTiles * 4 == kLaneBytes);

// Word w of a key is lane w % 4's. So many has the first lane, and the last ones one fewer where four do not divide
// all.
__host__ __device__ constexpr int words_of_lane(int words) {
  return (words + kWordLanes - 1) / kWordLanes;
}

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
      : begin(memory), scales(reinterpret_cast<HeadScale*>(memory + weights_bytes(words))) {}
  __host__ __device__ static int bytes(int words) { return weights_bytes(words) + kHeads * int{sizeof(HeadScale)}; }
  // Bit `bit` of head `head`'s weights for the 32 bits of word `word` of a key.
  __device__ std::uint32_t& plane(int head, int words, int word, int bit) const {
    const int in_lane = word / kWordLanes;
    const int of_lanes = words_of_lane(words);
    const int set = head / kSetHeads;
    const int column = 2 * (head % kSetHeads) + bit % 2;
    const int lane = column * kWordLanes + word % kWordLanes;
    if (in_lane % 2 == 0 && in_lane + 1 == of_lanes) {
      std::byte* const of_set = begin + of_lanes / 2 * kStepBytes + set * kLastWordBytes;
      return reinterpret_cast<std::uint32_t*>(of_set + lane * kLaneBytes)[bit / 2];
    }
    std::byte* const of_set = begin + in_lane / 2 * kStepBytes + set * kSetBytes;
    std::byte* const of_lane = of_set + bit / 4 * kTilePairBytes + lane * kLaneBytes;
    return reinterpret_cast<std::uint32_t*>(of_lane)[bit / 2 % 2 * 2 + in_lane % 2];
  }

 private:
  __host__ __device__ static int weights_bytes(int words) {
    return words_of_lane(words) / 2 * kStepBytes + words_of_lane(words) % 2 * sets * kLastWordBytes;
  }
};

// The projections of one word's bits, of the heads of a row; a bit to each lane, 0 where none is.
template <int sets>
struct WordProjections {
  float of_head[RowWeights<sets>::kHeads];

  __device__ WordProjections(const skt_score_packed_args& args, const float* half_sums, int heads, int word) {
    const int planes = to_int(args.planes);
    const int of_table = half_table_entries(planes);
    const CodeBit at = code_bit(word, to_int(threadIdx.x % 32), planes);
    const int first = to_int(at.table) * of_table;
#pragma unroll
    for (int head = 0; head < RowWeights<sets>::kHeads; ++head) {
      const bool is_there = head < heads && at.table < args.tables;
      of_head[head] = is_there ? projection_of(half_sums + first, at.bit, planes) : 0;
      half_sums += args.tables * of_table;
    }
  }
};

// Finds the largest |projection| of each head of a row. Of all lanes of a warp, which has one word.
template <int sets>
__device__ void find_largest(const WordProjections<sets>& projections, int heads, const RowWeights<sets>& row) {
#pragma unroll
  for (int head = 0; head < RowWeights<sets>::kHeads; ++head) {
    const std::uint32_t largest = __reduce_max_sync(~0u, __float_as_uint(fabsf(projections.of_head[head])));
    if (head < heads && threadIdx.x % 32 == 0) atomicMax(&row.scales[head].largest, largest);
  }
}

// Puts the weights of each head of a row for one word. Of all lanes of a warp, a bit of the word to each.
template <int sets>
__device__ void put_weights(const WordProjections<sets>& projections, int heads, int words, int word,
                            const RowWeights<sets>& row) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int head = 0; head < RowWeights<sets>::kHeads; ++head) {
    HeadScale& scale = row.scales[head];
    const float largest = __uint_as_float(scale.largest);
    const int weight = fixed_weight(projections.of_head[head], inverse_weight_unit(largest));
    std::uint32_t of_lane = 0;
#pragma unroll
    for (int bit = 0; bit < kWeightBits; ++bit) {
      const std::uint32_t plane = __ballot_sync(~0u, weight >> bit & 1);
      if (lane == bit) of_lane = plane;
    }
    const int all = __reduce_add_sync(~0u, weight);
    if (head >= heads) continue;
    if (lane < kWeightBits) row.plane(head, words, word, lane) = of_lane;
    if (lane == 0) atomicAdd(&scale.all, all);
    if (lane == 0 && word == 0) scale.unit = weight_unit(largest);
  }
}

// The weights of `rows` rows, of which `heads` heads exist; half_sums_of(row) are those of a row's first. Of all
// threads, behind a barrier of the block. Columns of no head and words behind the last are 0. `first`: the projections
// of the warp's first word, word warp / rows of row warp % rows; they are asked for before, and kept, as every wait for
// memory holds up the whole block.
template <int sets, class HalfSumsOf>
__device__ void put_weights_of_rows(const skt_score_packed_args& args, int rows, int heads,
                                    const HalfSumsOf& half_sums_of, std::byte* weights, int words,
                                    const WordProjections<sets>& first) {
  const int row_bytes = RowWeights<sets>::bytes(words);
  const int warps = blockDim.x / 32;
  const int warp = threadIdx.x / 32;
  for (int i = threadIdx.x; i < rows * row_bytes / 4; i += blockDim.x) reinterpret_cast<std::uint32_t*>(weights)[i] = 0;
  const auto each_word = [&](const auto& of_word) {
    for (int i = warp; i < rows * words; i += warps) {
      const RowWeights<sets> row(weights + i % rows * row_bytes, words);
      if (i == warp) {
        of_word(first, i / rows, row);
      } else {
        of_word(WordProjections<sets>(args, half_sums_of(i % rows), heads, i / rows), i / rows, row);
      }
    }
  };
  block_barrier();
  each_word([&](const auto& projections, int, const auto& row) { find_largest<sets>(projections, heads, row); });
  block_barrier();
  each_word([&](const auto& projections, int word, const auto& row) {
    put_weights<sets>(projections, heads, words, word, row);
  });
  block_barrier();
}

}  // namespace skt::gpu
