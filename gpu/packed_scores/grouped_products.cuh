// How are a tile's codes multiplied with the weights of several query heads on the tensor cores?
//
// A word of a key is, as it is, a register of the first operand of mma.m16n8k256 b1: a key in its row and 8 words, two
// of each of four lanes, in its depth. The second operand holds one bit of each weight (gpu/packed_scores/grouped_weights.cuh), and the
// product counts the bits that both have. So a set of four heads has 12 counts to a head and key, which are added up
// by what the bit of the weight counts: in one lane, as a lane has two columns of each tile and these are its head's.
//
// Lanes 4 g .. 4 g + 3 of a warp share keys 2 g and 2 g + 1 of each quarter of its tile, and each has other words of them
// and, of the counts, another head.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "gpu/device/barrier.cuh"
#include "gpu/device/delay.cuh"
#include "gpu/functors/packed_codes.hpp"
#include "gpu/packed_scores/grouped_weights.cuh"
#include "gpu/packed_scores/tiles.cuh"

namespace skt::gpu {

constexpr int kTileHalves = 2;
constexpr int kHalfQuarters = 2;
constexpr int kQuarters = kTileHalves * kHalfQuarters;  // of a tile
constexpr int kQuarterKeys = 16;                        // rows of a product
static_assert(kColumnTiles % 2 == 0);
constexpr int kWordBytes = int{kTileKeys} * 4;
constexpr int kNormsBytes = int{kTileKeys} * 2;
constexpr int kMostRingTiles = 4;

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

// Of two keys side by side.
__device__ inline uint2 two_words_at(std::uint32_t address) {
  uint2 words;
  asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(words.x), "=r"(words.y) : "r"(address) : "memory");
  return words;
}

// Where byte `byte` of word `word` of a tile lies in a slot: so turned that lanes that read four words meet in no bank.
__device__ inline int slot_place(int word, int byte) {
  return word * kWordBytes + (byte ^ word % kWordLanes * 32);
}

// A warp's tiles in the order in which it multiplies them, some of them in shared memory or on their way: their codes and
// behind them their norms. Lanes copy 16 bytes each.
class CodeRing {
 public:
  // Of a warp, with room for `tiles` tiles.
  __host__ __device__ static int bytes(int tiles, int words) { return tiles * slot_bytes(words); }
  __host__ __device__ static int slot_bytes(int words) { return words * kWordBytes + kNormsBytes; }

  // `memory`: an address of shared memory.
  __device__ CodeRing(std::uint32_t memory, const Tile& first) : slot_at_(memory), tile_(first) {}

  // The copies of the first tiles. The range of tiles ends at `end`.
  __device__ void fill(const ScoreArguments& kernel, unsigned end) {
    for (int i = 0; i < kernel.ring_tiles; ++i) copy_next(kernel, end);
  }
  // Waits for the next tile; returns where it lies, until copy_next() begins to copy another one there.
  __device__ std::uint32_t wait(const ScoreArguments& kernel) const {
    delay_here();
    switch (kernel.ring_tiles) {
      case 1:
        asm volatile("cp.async.wait_group 0;" ::: "memory");
        break;
      case 2:
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        break;
      case 3:
        asm volatile("cp.async.wait_group 2;" ::: "memory");
        break;
      default:
        asm volatile("cp.async.wait_group 3;" ::: "memory");
    }
    delay_here();
    warp_barrier();
    return slot_at_;
  }
  // Begins to copy the next tile to where the last one was waited for.
  __device__ void copy_next(const ScoreArguments& kernel, unsigned end) {
    if (tile_.index < end) {
      copy(kernel);
      tile_ = tile_.moved_to(tile_.index + blockDim.x / 32, kernel.args, end);
    }
    delay_here();
    asm volatile("cp.async.commit_group;" ::: "memory");
    delay_here();
    slot_at_ += slot_bytes(kernel.words);
    if (++slot_ < kernel.ring_tiles) return;
    slot_ = 0;
    slot_at_ -= kernel.ring_tiles * slot_bytes(kernel.words);
  }

 private:
  __device__ static void copy_16_bytes(std::uint32_t to, const void* from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
  }
  // Two words at a time: half a warp has one of them.
  __device__ void copy(const ScoreArguments& kernel) const {
    const skt_score_packed_args& args = kernel.args;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int half_warp = lane / 16;
    const std::uint32_t even = slot_at_ + slot_place(half_warp, lane % 16 * kLaneBytes);
    const std::uint32_t odd = slot_at_ + slot_place(2 + half_warp, lane % 16 * kLaneBytes);
    const std::uint32_t* from = tile_.codes(args, kernel.words) + lane * (kLaneBytes / 4);
#pragma unroll 1
    for (int word = 0; word < kernel.words; word += 4) {
      if (word + half_warp < kernel.words) copy_16_bytes(even + word * kWordBytes, from + word * kTileKeys);
      if (word + 2 + half_warp < kernel.words) copy_16_bytes(odd + word * kWordBytes, from + (word + 2) * kTileKeys);
    }
    if (lane >= kNormsBytes / kLaneBytes) return;
    const std::uint64_t key = std::uint64_t{tile_.kv.row} * static_cast<unsigned>(to_int(args.capacity)) +
                              (tile_.index - tile_.kv.begin) * static_cast<unsigned>(kTileKeys);
    copy_16_bytes(slot_at_ + kernel.words * kWordBytes + lane * kLaneBytes,
                  static_cast<const __half*>(args.norms) + key + lane * (kLaneBytes / 2));
  }

  std::uint32_t slot_at_;
  int slot_ = 0;
  Tile tile_;  // the next to be copied
};

// Whether a product is the first that goes into its counts.
enum class Adds { to_nothing, to_counts };

template <Adds adds>
__device__ void multiply(const std::uint32_t (&keys)[4], std::uint32_t first, std::uint32_t second, int (&counts)[4]) {
  const bool any = adds == Adds::to_counts;
  const int before[4] = {any ? counts[0] : 0, any ? counts[1] : 0, any ? counts[2] : 0, any ? counts[3] : 0};
  asm volatile(
      "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%10, %11, %12, %13};"
      : "=r"(counts[0]), "=r"(counts[1]), "=r"(counts[2]), "=r"(counts[3])
      : "r"(keys[0]), "r"(keys[1]), "r"(keys[2]), "r"(keys[3]), "r"(first), "r"(second), "r"(before[0]), "r"(before[1]),
        "r"(before[2]), "r"(before[3]));
}
// Of one word of each lane.
template <Adds adds>
__device__ void multiply(const std::uint32_t (&keys)[2], std::uint32_t first, int (&counts)[4]) {
  const bool any = adds == Adds::to_counts;
  const int before[4] = {any ? counts[0] : 0, any ? counts[1] : 0, any ? counts[2] : 0, any ? counts[3] : 0};
  asm volatile(
      "mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.and.popc {%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10};"
      : "=r"(counts[0]), "=r"(counts[1]), "=r"(counts[2]), "=r"(counts[3])
      : "r"(keys[0]), "r"(keys[1]), "r"(first), "r"(before[0]), "r"(before[1]), "r"(before[2]), "r"(before[3]));
}

// Counts of the keys of the lane's group in one half of a tile and the bits of the weights of the lane's head in a set.
struct BitCounts {
  int counts[kHalfQuarters][kColumnTiles][4];  // [.., 2 keys, 2 bits]

  // Adds a step, two words of each lane: `first_at` and `second_at` are where they lie, of the half's first quarter, the
  // second's `to_quarter` bytes further; `weights` is where the lane's part of the set's lies.
  template <Adds adds>
  __device__ __forceinline__ void add(std::uint32_t first_at, std::uint32_t second_at, int to_quarter,
                                      std::uint32_t weights) {
    uint2 first[kHalfQuarters];
    uint2 second[kHalfQuarters];
#pragma unroll
    for (int quarter = 0; quarter < kHalfQuarters; ++quarter) {
      first[quarter] = two_words_at(first_at + quarter * to_quarter);
      second[quarter] = two_words_at(second_at + quarter * to_quarter);
    }
#pragma unroll
    for (int tile = 0; tile < kColumnTiles; tile += 2) {
      const FourWords planes = four_words_at(weights + tile / 2 * kTilePairBytes);
#pragma unroll
      for (int quarter = 0; quarter < kHalfQuarters; ++quarter) {
        const std::uint32_t words[4] = {first[quarter].x, first[quarter].y, second[quarter].x, second[quarter].y};
        multiply<adds>(words, planes.word[0], planes.word[1], counts[quarter][tile]);
        multiply<adds>(words, planes.word[2], planes.word[3], counts[quarter][tile + 1]);
      }
    }
  }
  // A last step of one word of each lane.
  template <Adds adds>
  __device__ __forceinline__ void add(std::uint32_t first_at, int to_quarter, std::uint32_t weights) {
    uint2 first[kHalfQuarters];
#pragma unroll
    for (int quarter = 0; quarter < kHalfQuarters; ++quarter) {
      first[quarter] = two_words_at(first_at + quarter * to_quarter);
    }
#pragma unroll
    for (int tile = 0; tile < kColumnTiles; tile += 2) {
      const uint2 planes = two_words_at(weights + tile / 2 * (kTilePairBytes / 2));
#pragma unroll
      for (int quarter = 0; quarter < kHalfQuarters; ++quarter) {
        const std::uint32_t words[2] = {first[quarter].x, first[quarter].y};
        multiply<adds>(words, planes.x, counts[quarter][tile]);
        multiply<adds>(words, planes.y, counts[quarter][tile + 1]);
      }
    }
  }
  // The sum of the weights of the lane's head whose bit is set in key 0 or 1 of a quarter: the last bit of a weight
  // counts negative.
  __device__ __forceinline__ int set(int quarter, int key) const {
    const auto count = [&](int bit) { return counts[quarter][bit / 2][2 * key + bit % 2]; };
    int sum = -count(kWeightBits - 1);
#pragma unroll
    for (int bit = kWeightBits - 2; bit >= 0; --bit) sum = 2 * sum + count(bit);
    return sum;
  }
};

// Counts of one half of a tile and one set; `tile` is where the tile lies, `weights` where the
// set's of the first step do, all addresses of shared memory. A step's weights are `step_bytes`.
__device__ __forceinline__ BitCounts counts_of_half(std::uint32_t tile, int half, int words, std::uint32_t weights,
                                                    int step_bytes) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int most = words_of_lane(words);
  const int own = (words + kWordLanes - 1 - lane % kWordLanes) / kWordLanes;  // words of the lane
  // A word that a lane has not is read where there is one: its weights are 0.
  const int first_word = own > 0 ? lane % kWordLanes : 0;
  const int byte = half * (kWordBytes / kTileHalves) + lane / kWordLanes * 8;
  const std::uint32_t keys = tile + slot_place(first_word, byte);
  const int to_quarter = slot_place(first_word, byte + 4 * kQuarterKeys) - slot_place(first_word, byte);
  const auto word_at = [&](int word) { return keys + (word < own ? word : 0) * (kWordLanes * kWordBytes); };
  BitCounts counts;
  if (most == 1) {
    counts.add<Adds::to_nothing>(keys, to_quarter, weights + lane * (kLaneBytes / 2));
    return counts;
  }
  weights += lane * kLaneBytes;
  counts.add<Adds::to_nothing>(keys, word_at(1), to_quarter, weights);
  int word = 2;
#pragma unroll 1
  for (; word + 1 < most; word += 2) {
    weights += step_bytes;
    counts.add<Adds::to_counts>(word_at(word), word_at(word + 1), to_quarter, weights);
  }
  if (word < most) {
    counts.add<Adds::to_counts>(word_at(word), to_quarter, weights + step_bytes - lane * (kLaneBytes / 2));
  }
  return counts;
}

}  // namespace skt::gpu
