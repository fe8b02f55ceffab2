// How do the half sums of query heads that share a kv head become the bits that the tensor cores multiply?
//
// Once for each row, ahead of the scores (gpu/packed_scores/prepare_rows.cuh). A weight of 8 bits
// (gpu/functors/fixed_weights.hpp) is 8 columns of a product, one to each of its bits; a set of four heads is four column
// tiles. Of a row in shared memory, in the order in which the lanes read them: second operands of mma.m16n8k256 b1 [steps
// of 2 words of each lane, sets, pairs of column tiles, 32 lanes, 2 tiles, 2 words]; those of m16n8k128 for a last word that
// makes no pair [sets, 32 lanes, column tiles]; and a scale to each head.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "gpu/device/barrier.cuh"
#include "gpu/functors/fixed_weights.hpp"
#include "gpu/functors/group_weights.hpp"
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
  int all;       // the sum of the weights
  float offset;  // where heads share a list: weight_offset() of the normaliser
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
  // What a lane multiplies with begins there, an address of shared memory.
  __device__ std::uint32_t of_lane(int lane) const {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(begin)) + lane * kLaneBytes;
  }
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

// One of the words that weights are made for: of a head.
template <int sets>
struct WordOfHead {
  static constexpr int kHeads = sets * kSetHeads;
  int head, word;

  __device__ explicit WordOfHead(int index) : head(index % kHeads), word(index / kHeads) {}
};

// The projections of a warp's words of heads: number warp, warp + warps, .. of all heads; a bit to each lane, 0 where none
// is. The first `kept` are asked for together and kept in registers, as every wait for memory holds up the whole block.
// What is made of them runs once or twice, and instructions come from memory the first time: so those loops are not
// unrolled, and what is kept moves by a place each time.
template <int sets, int kept>
class WarpProjections {
 public:
  // half_sums: those of the first head, of `heads` that exist. Reads none of them.
  __device__ WarpProjections(const skt_score_packed_args& args, int planes, int heads, int words,
                             const float* half_sums)
      : tables_(to_int(args.shape.tables)), planes_(planes), heads_(heads), words_(words), half_sums_(half_sums) {
#pragma unroll
    for (int i = 0; i < kept; ++i) entries_[i] = entries(i);
  }
  // Asks for those that are kept; before what follows.
  __device__ void load() {
#pragma unroll
    for (int i = 0; i < kept; ++i) kept_[i] = projection(entries_[i]);
  }

  // f(projection, word of head) of each.
  template <class F>
  __device__ void for_each(const F& f) {
    const int all = count();
#pragma unroll 1
    for (int i = 0; i < all; ++i) {
      const float projection = i < kept ? kept_[0] : this->projection(entries(i));
      if (i < kept) {
#pragma unroll
        for (int next = 1; next < kept; ++next) kept_[next - 1] = kept_[next];
        kept_[kept - 1] = projection;
      }
      f(projection, at(i));
    }
  }
  // Behind for_each(), the last first: what is kept moves back.
  template <class F>
  __device__ void for_each_backwards(const F& f) {
#pragma unroll 1
    for (int i = count() - 1; i >= 0; --i) {
      const float projection = i < kept ? kept_[kept - 1] : this->projection(entries(i));
      if (i < kept) {
#pragma unroll
        for (int next = kept - 1; next > 0; --next) kept_[next] = kept_[next - 1];
        kept_[0] = projection;
      }
      f(projection, at(i));
    }
  }

 private:
  __device__ int count() const {
    const int warps = blockDim.x / 32;
    return (words_ * WordOfHead<sets>::kHeads + warps - 1 - static_cast<int>(threadIdx.x / 32)) / warps;
  }
  __device__ WordOfHead<sets> at(int i) const {
    return WordOfHead<sets>(to_int(threadIdx.x / 32 + i * (blockDim.x / 32)));
  }
  // Of the lane's bit of word `i`, among all half sums; the same twice where none is.
  __device__ ProjectionEntries entries(int i) const {
    const WordOfHead<sets> word = at(i);
    if (word.word >= words_ || word.head >= heads_) return {0, 0};
    const CodeBit bit = code_bit(word.word, to_int(threadIdx.x % 32), planes_);
    if (bit.table >= tables_) return {0, 0};
    const int table = (word.head * tables_ + to_int(bit.table)) * half_table_entries(planes_);
    const ProjectionEntries of_table = projection_entries(bit.bit, planes_);
    return {table + of_table.with, table + of_table.without};
  }
  __device__ float projection(const ProjectionEntries& entries) const {
    return entries.with != entries.without ? projection_of(half_sums_, entries) : 0;
  }

  int tables_, planes_, heads_, words_;
  const float* half_sums_;
  ProjectionEntries entries_[kept];
  float kept_[kept];
};

// Puts the weights of one word. Of all lanes of a warp, a bit of the word to each.
template <int sets>
__device__ void put_weights(float projection, const WordOfHead<sets>& at, int words, float unit_scale,
                            const RowWeights<sets>& row) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  HeadScale& scale = row.scales[at.head];
  const float largest = __uint_as_float(scale.largest);
  const int weight = fixed_weight(projection, inverse_weight_unit(largest));
  std::uint32_t of_lane = 0;
#pragma unroll
  for (int bit = 0; bit < kWeightBits; ++bit) {
    const std::uint32_t plane = __ballot_sync(~0u, weight >> bit & 1);
    if (lane == bit) of_lane = plane;
  }
  const int all = __reduce_add_sync(~0u, weight);
  if (lane < kWeightBits) row.plane(at.head, words, at.word, lane) = of_lane;
  if (lane == 0) atomicAdd(&scale.all, all);
  if (lane == 0 && at.word == 0) scale.unit = weight_unit(largest) * unit_scale;
}

// The weights of a row, of which `heads` heads exist, their units times `unit_scale`. Of all threads, behind a barrier that
// follows what made all of `weights` 0, as columns of no head and words behind the last are.
template <int sets, class Projections>
__device__ void put_weights_of_row(Projections& projections, int heads, std::byte* weights, int words,
                                   float unit_scale) {
  const RowWeights<sets> row(weights, words);
  projections.for_each([&](float projection, const WordOfHead<sets>& at) {
    const std::uint32_t largest = __reduce_max_sync(~0u, __float_as_uint(fabsf(projection)));
    if (threadIdx.x % 32 == 0) atomicMax(&row.scales[at.head].largest, largest);
  });
  block_barrier();
  projections.for_each_backwards([&](float projection, const WordOfHead<sets>& at) {
    if (at.head < heads) put_weights<sets>(projection, at, words, unit_scale, row);
  });
  block_barrier();
}

}  // namespace skt::gpu
