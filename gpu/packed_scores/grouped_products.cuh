// How are a tile's codes multiplied with the weights of several query heads on the tensor cores?
//
// Lanes 4 g .. 4 g + 3 of a warp share 8 keys of its tile, 4 g .. 4 g + 3 of each half, and each has another word of
// them. One AND with 0x01010101 << place leaves one bit in each of its bytes: four elements of the first operand of
// mma.m16n8k32 u8 x s8, a key in its row and the four lanes' words in its depth. So no bit is moved to its place: the
// weights lie in that order (gpu/packed_scores/grouped_weights.cuh), and what a bit counts is in its weight. Memory is
// read and written in another order, by eight neighbouring lanes on 128 bytes: 32 bytes to a line cost as much.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "gpu/device/barrier.cuh"
#include "gpu/device/delay.cuh"
#include "gpu/functors/packed_codes.hpp"
#include "gpu/packed_scores/grouped_weights.cuh"
#include "gpu/packed_scores/tiles.cuh"

namespace skt::gpu {

constexpr int kTileHalves = 2;
constexpr int kHalfKeys = 32;
constexpr int kGroupKeys = 4;                       // of a half, to a group of four lanes
constexpr int kWordLanes = kHalfKeys / kGroupKeys;  // that copy one word of a half, and that write scores of one head
constexpr int kQuadBytes = kTileHalves * 32 * kLaneBytes;

struct FourWords {
  std::uint32_t word[4];
};

__device__ inline FourWords four_words_at(std::uint32_t address) {
  FourWords words;
  asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(words.word[0]), "=r"(words.word[1]), "=r"(words.word[2]), "=r"(words.word[3])
               : "r"(address)
               : "memory");
  return words;
}

// A lane's words of a quad, of its four keys of each half of the tile.
struct LaneWords {
  FourWords half[kTileHalves];

  __device__ void shift_down(int places) {
#pragma unroll
    for (FourWords& words : half) {
#pragma unroll
      for (std::uint32_t& word : words.word) word >>= places;
    }
  }
};

// The quads of a warp's tiles in the order in which it multiplies them, `depth` of them in shared memory or on their
// way; lanes copy for one another.
template <int depth>
class CodeRing {
 public:
  static constexpr int kBytes = depth * kQuadBytes;  // of a warp

  // `memory`: the warp's, an address of shared memory.
  __device__ CodeRing(std::uint32_t memory, const Tile& first, const Quads& quads)
      : begin_(memory), slot_(memory), tile_(first) {
    const int own = static_cast<int>(threadIdx.x) % 32 / kWordLanes;
    const int word = quads.last_is_whole() ? own : own % (kQuadWords / 2);
    has_last_ = word < quads.words_of_last();
    to_last_ = (word - own) * to_int(kTileKeys);
  }

  // The copies of the first `depth` quads. The range of tiles ends at `end`.
  __device__ void fill(const skt_score_packed_args& args, const Quads& quads, unsigned end) {
    find_codes(args, quads, end);
    for (int i = 0; i < depth; ++i) copy_next(args, quads, end);
  }
  // Waits for the next quad, then to be multiplied, then followed by copy_next().
  __device__ LaneWords take() const {
    delay_here();
    asm volatile("cp.async.wait_group %0;" ::"n"(depth - 1) : "memory");
    delay_here();
    warp_barrier();
    const unsigned lane = threadIdx.x % 32;
    const std::uint32_t from = slot_ + place_of(lane % kQuadWords, lane / kQuadWords);
    LaneWords words;
#pragma unroll
    for (int half = 0; half < kTileHalves; ++half) words.half[half] = four_words_at(from + half * 32 * kLaneBytes);
    return words;
  }
  // Begins to copy the next quad to where the last one was taken from.
  __device__ void copy_next(const skt_score_packed_args& args, const Quads& quads, unsigned end) {
    if (quads_left_ > 1) {
      copy(codes_);
    } else if (quads_left_ == 1 && has_last_) {
      copy(codes_ + to_last_);
    }
    delay_here();
    asm volatile("cp.async.commit_group;" ::: "memory");
    delay_here();
    slot_ = slot_ == begin_ + (depth - 1) * kQuadBytes ? begin_ : slot_ + kQuadBytes;
    codes_ += kQuadWords * kTileKeys;
    if (--quads_left_ != 0) return;
    tile_ = tile_.moved_to(tile_.index + blockDim.x / 32, args, end);
    find_codes(args, quads, end);
  }

 private:
  __device__ void find_codes(const skt_score_packed_args& args, const Quads& quads, unsigned end) {
    const unsigned lane = threadIdx.x % 32;
    codes_ = tile_.codes(args, quads.words) + lane / kWordLanes * kTileKeys + lane % kWordLanes * kGroupKeys;
    quads_left_ = tile_.index < end ? quads.count() : 0;
  }
  // Of word `word` of a quad and the keys of group `group`: without bank conflicts for lanes of one word, which write,
  // and for lanes of two groups, which read.
  __device__ static unsigned place_of(unsigned word, unsigned group) {
    return (group * kQuadWords + (word ^ group / 2)) * kLaneBytes;
  }
  __device__ void copy(const std::uint32_t* from) const {
    const unsigned lane = threadIdx.x % 32;
    const std::uint32_t to = slot_ + place_of(lane / kWordLanes, lane % kWordLanes);
#pragma unroll
    for (int half = 0; half < kTileHalves; ++half) {
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + half * 32 * kLaneBytes),
                   "l"(from + half * kHalfKeys)
                   : "memory");
    }
  }

  std::uint32_t begin_, slot_;
  const std::uint32_t* codes_ = nullptr;  // the lane's of the next quad, if that is whole
  int quads_left_ = 0;                    // of the tile, to be copied; below 0 behind the last tile
  int to_last_;                           // from codes_ to the lane's word of a last quad
  bool has_last_;                         // whether it has one
  Tile tile_;
};

__device__ inline void multiply(const std::uint32_t (&bits)[4], std::uint32_t first, std::uint32_t second,
                                int (&sums)[4]) {
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+r"(sums[0]), "+r"(sums[1]), "+r"(sums[2]), "+r"(sums[3])
      : "r"(bits[0]), "r"(bits[1]), "r"(bits[2]), "r"(bits[3]), "r"(first), "r"(second));
}

template <int column_tiles>
struct TileSums {
  // Of the head of this lane in each column tile: high and low bytes of two keys.
  int bytes[column_tiles][kTileHalves][kGroupKeys / 2][4] = {};

  // Adds the bits at the lower half of the places of each byte, times the weights at this address of shared memory. Of
  // all lanes together.
  __device__ __forceinline__ void add(const LaneWords& words, std::uint32_t weights) {
    FourWords operands[column_tiles];
#pragma unroll
    for (int column = 0; column < column_tiles; ++column) {
      operands[column] = four_words_at(weights + column * kOperandsBytes + threadIdx.x % 32 * kLaneBytes);
    }
#pragma unroll
    for (int place = 0; place < kMaskPlaces; place += 2) {
      const std::uint32_t mask = in_every_byte(1u << place);
#pragma unroll
      for (int half = 0; half < kTileHalves; ++half) {
#pragma unroll
        for (int pair = 0; pair < kGroupKeys / 2; ++pair) {
          const std::uint32_t a = words.half[half].word[2 * pair];
          const std::uint32_t b = words.half[half].word[2 * pair + 1];
          const std::uint32_t bits[4] = {a & mask, b & mask, a & mask << 1, b & mask << 1};
#pragma unroll
          for (int column = 0; column < column_tiles; ++column) {
            multiply(bits, operands[column].word[place], operands[column].word[place + 1], bytes[column][half][pair]);
          }
        }
      }
    }
  }

  // The sum of counted weights of one key, from the lane that has it to that which writes its score. Of all lanes.
  __device__ int set(int column, int half, int key) const {
    const int(&of_pair)[4] = bytes[column][half][key / 2];
    const int lane = static_cast<int>(threadIdx.x) % 32;
    return __shfl_sync(~0u, 256 * of_pair[key % 2 * 2] + of_pair[key % 2 * 2 + 1],
                       lane % kWordLanes * kQuadWords + lane / kWordLanes);
  }
};

// The sums of the tile whose quads the ring has next.
template <int column_tiles, int depth>
__device__ __forceinline__ TileSums<column_tiles> sums_of_tile(const skt_score_packed_args& args, CodeRing<depth>& ring,
                                                               const Quads& quads, unsigned end,
                                                               std::uint32_t weights) {
  TileSums<column_tiles> sums;
#pragma unroll 1
  for (int quad = 0; quad < quads.count(); ++quad) {
    LaneWords words = ring.take();
    if (quads.is_whole(quad)) {
      sums.add(words, weights);
      words.shift_down(kMaskPlaces);
      sums.add(words, weights + column_tiles * kOperandsBytes);
    } else {
      words.shift_down(threadIdx.x % kQuadWords / (kQuadWords / 2) * kMaskPlaces);
      sums.add(words, weights);
    }
    warp_barrier();
    ring.copy_next(args, quads, end);
    weights += RowWeights<column_tiles>::kQuadBytes;
  }
  return sums;
}

}  // namespace skt::gpu
