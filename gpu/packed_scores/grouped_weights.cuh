// How do the half sums of query heads that share a kv head become the bytes that the tensor cores multiply?
//
// Every block does it for the rows that it scores: a column tile, 8 columns of a product, has the high and the low
// bytes of the weights of four heads (gpu/functors/fixed_weights.hpp). Of a row in shared memory, in the order in which
// the lanes read them: second operands of mma.m16n8k32 [quads of words, 2, column tiles, 32 lanes, 4], and a scale to
// each head.
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

constexpr int kColumnHeads = 4;  // of a column tile
constexpr int kQuadWords = 4;
constexpr int kLaneBytes = 16;  // of one load
constexpr int kOperandsBytes = 32 * kLaneBytes;

// A key's words by four, one to each lane of a group of four, which takes all its places, the lower half of them first.
// Of one or two words that are left over two lanes have the same, one the lower half of its places and one the upper.
struct Quads {
  int words;

  __host__ __device__ int count() const { return (words + kQuadWords - 1) / kQuadWords; }
  __host__ __device__ int words_of_last() const { return words - (count() - 1) * kQuadWords; }
  __host__ __device__ bool last_is_whole() const { return words_of_last() > kQuadWords / 2; }
  __host__ __device__ bool is_whole(int quad) const { return quad + 1 < count() || last_is_whole(); }
};

struct HeadScale {
  std::uint32_t largest;  // the bits of the largest |projection|; as whole numbers they rise with it, NaN last
  float unit;
  int all;  // the sum of counted weights
};

// Where the weights of one row lie.
template <int column_tiles>
struct RowWeights {
  static constexpr int kHeads = column_tiles * kColumnHeads;
  static constexpr int kQuadBytes = 2 * column_tiles * kOperandsBytes;
  std::byte* begin;
  HeadScale* scales;

  __device__ RowWeights(std::byte* memory, const Quads& quads)
      : begin(memory), scales(reinterpret_cast<HeadScale*>(memory + quads.count() * kQuadBytes)) {}
  __host__ __device__ static int bytes(const Quads& quads) {
    return quads.count() * kQuadBytes + kHeads * int{sizeof(HeadScale)};
  }
  // The four bytes of head `head`'s high weights that meet the bits at `place` of the bytes of a word; those of the low
  // ones stand in the next column.
  __device__ std::uint32_t* high_bytes(const Quads& quads, int head, int word, int place) const {
    const int quad = word / kQuadWords;
    const int upper = place / kMaskPlaces;
    const bool whole = quads.is_whole(quad);
    const int tile = (2 * quad + (whole ? upper : 0)) * column_tiles + head / kColumnHeads;
    const int word_lane = whole ? word % kQuadWords : word % kQuadWords + upper * (kQuadWords / 2);
    const int lane = kQuadWords * (2 * (head % kColumnHeads)) + word_lane;
    return reinterpret_cast<std::uint32_t*>(begin + tile * kOperandsBytes + lane * kLaneBytes) + place % kMaskPlaces;
  }
};
constexpr int kNextColumn = kQuadWords * kLaneBytes / 4;  // in words

// Finds the largest |projection| of the heads of `rows` rows. Of all threads; a warp takes a part of one head.
template <int column_tiles, class HalfSumsOf>
__device__ void find_largest(const skt_score_packed_args& args, int rows, int heads, const HalfSumsOf& half_sums_of,
                             std::byte* weights, const Quads& quads) {
  const int planes = to_int(args.planes);
  const int bits = to_int(args.tables) * planes;
  const int warps = blockDim.x / 32;
  const int parts = max(1, warps / (rows * heads));
  for (int task = threadIdx.x / 32; task < rows * heads * parts; task += warps) {
    const int row = task % rows;
    const int head = task / rows % heads;
    const float* half_sums = half_sums_of(row, head);
    std::uint32_t largest = 0;
#pragma unroll 4
    for (int i = task / (rows * heads) * 32 + threadIdx.x % 32; i < bits; i += parts * 32) {
      const float projection = projection_of(half_sums + i / planes * half_table_entries(planes), i % planes, planes);
      largest = max(largest, __float_as_uint(fabsf(projection)));
    }
    largest = __reduce_max_sync(~0u, largest);
    const RowWeights<column_tiles> of_row(weights + row * RowWeights<column_tiles>::bytes(quads), quads);
    if (threadIdx.x % 32 == 0) atomicMax(&of_row.scales[head].largest, largest);
  }
}

// Puts the weights of one head for the bits at one place of a word's bytes. Of one thread.
template <int column_tiles>
__device__ void put_weights(const skt_score_packed_args& args, const float* half_sums, int head, int word, int place,
                            const RowWeights<column_tiles>& row, const Quads& quads) {
  const int planes = to_int(args.planes);
  HeadScale& scale = row.scales[head];
  const float largest = __uint_as_float(scale.largest);
  const CodeBit in_byte_0 = code_bit(word, place, planes);
  const int table_in_byte_0 = to_int(in_byte_0.table);
  std::uint32_t highs = 0;
  std::uint32_t lows = 0;
  int all = 0;
#pragma unroll
  for (int byte = 0; byte < kQuadTables; ++byte) {
    const int table = table_in_byte_0 / kQuadTables * kQuadTables + (table_in_byte_0 + byte) % kQuadTables;
    if (table >= args.tables) continue;
    const float projection = projection_of(half_sums + table * half_table_entries(planes), in_byte_0.bit, planes);
    const int weight = fixed_weight(projection, inverse_weight_unit(largest), place);
    highs |= (static_cast<std::uint32_t>(high_byte(weight)) & 0xffu) << (8 * byte);
    lows |= (static_cast<std::uint32_t>(low_byte(weight)) & 0xffu) << (8 * byte);
    all += weight * place_factor(place);
  }
  std::uint32_t* const operand = row.high_bytes(quads, head, word, place);
  operand[0] = highs;
  operand[kNextColumn] = lows;
  atomicAdd(&scale.all, all);
  if (word == 0 && place == 0) scale.unit = weight_unit(largest);
}

// The weights of `rows` rows, of which `heads` heads exist; half_sums_of(row, head) are a head's. Of all threads, behind
// a barrier of the block. Columns of no head and lanes of no word are 0.
template <int column_tiles, class HalfSumsOf>
__device__ void put_weights_of_rows(const skt_score_packed_args& args, int rows, int heads,
                                    const HalfSumsOf& half_sums_of, std::byte* weights, const Quads& quads) {
  const int row_bytes = RowWeights<column_tiles>::bytes(quads);
  for (int i = threadIdx.x; i < rows * row_bytes / 4; i += blockDim.x) reinterpret_cast<std::uint32_t*>(weights)[i] = 0;
  block_barrier();
  find_largest<column_tiles>(args, rows, heads, half_sums_of, weights, quads);
  block_barrier();
  const int tasks = quads.words * 8;
  for (int i = threadIdx.x; i < rows * heads * tasks; i += blockDim.x) {
    const int row = i / tasks / heads;
    const int head = i / tasks % heads;
    put_weights<column_tiles>(args, half_sums_of(row, head), head, i % tasks / 8, i % 8,
                              {weights + row * row_bytes, quads}, quads);
  }
  block_barrier();
}

}  // namespace skt::gpu
