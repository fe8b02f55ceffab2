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

#include <cuda_runtime.h>

#include <cstdint>

#include "gpu/device/barrier.cuh"
#include "gpu/device/bulk_copy.cuh"
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
constexpr int kRunPadding = 32;  // bytes, so that four lanes that read words of their own meet in no bank
constexpr int kMostRingTiles = 8;

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

// Of a tile in shared memory: the words of one lane, of all its keys.
__host__ __device__ constexpr int run_bytes(int words) {
  return words_of_lane(words) * kWordBytes + kRunPadding;
}

// Of two keys side by side.
__device__ inline uint2 two_words_at(std::uint32_t address) {
  uint2 words;
  asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(words.x), "=r"(words.y) : "r"(address) : "memory");
  return words;
}

// A warp's tiles in the order in which it multiplies them, some of them in shared memory or on their way. On sm_90 four
// bulk copies bring one, and a barrier to each slot counts their bytes; on sm_80 the lanes copy 16 bytes each.
class CodeRing {
 public:
  // Of a warp, with room for `tiles` tiles.
  __host__ __device__ static int bytes(int tiles, int words) { return tiles * slot_bytes(words); }

  // `memory`: an address of shared memory. The range of tiles ends at `end`. Of all lanes, before anything else.
  __device__ CodeRing(std::uint32_t memory, const ScoreArguments& kernel, const Tile& first, unsigned end)
      : slot_at_(memory), tile_(first), page_(first.page(kernel.pages, end)) {
#if __CUDA_ARCH__ >= 900
    const int lane = static_cast<int>(threadIdx.x) % 32;
    if (lane < kernel.ring_tiles) init_copy_barrier(slot_at_ + lane * slot_bytes(kernel.words));
    warp_barrier();
#endif
  }

  // The copies of the first tiles. The range of tiles ends at `end`.
  __device__ void fill(const ScoreArguments& kernel, unsigned end) {
    for (int i = 0; i < kernel.ring_tiles; ++i) copy_next(kernel, end, 0);
  }
  // Waits for the next tile; returns where it lies, until copy_next() begins to copy another one there.
  __device__ std::uint32_t wait([[maybe_unused]] const ScoreArguments& kernel) const {
#if __CUDA_ARCH__ >= 900
    wait_for_bytes(slot_at_, parity_);
#else
    wait_for_copies(kernel.ring_tiles);
#endif
    warp_barrier();
    return slot_at_ + kBarrierBytes;
  }
  // Begins to copy the next tile to where the last one was waited for. `zero` is 0, and known when every lane has what it
  // reads there: a bulk copy is not ordered behind loads that were issued before it. Of all lanes.
  __device__ void copy_next(const ScoreArguments& kernel, unsigned end, std::uint32_t zero) {
    if (tile_.index < end) {
      copy(tile_.codes(kernel, kernel.words, page_), slot_at_ + zero, kernel.words);
      tile_ = tile_.moved_to(tile_.index + blockDim.x / 32, kernel.args, end);
      page_ = tile_.page(kernel.pages, end);
    }
#if __CUDA_ARCH__ < 900
    delay_here();
    asm volatile("cp.async.commit_group;" ::: "memory");
    delay_here();
#endif
    slot_at_ += slot_bytes(kernel.words);
    if (++slot_ < kernel.ring_tiles) return;
    slot_ = 0;
    slot_at_ -= kernel.ring_tiles * slot_bytes(kernel.words);
    parity_ ^= 1;
  }

 private:
  static constexpr int kBarrierBytes = kLaneBytes;  // of which it takes 8

  __host__ __device__ static int slot_bytes(int words) { return kBarrierBytes + kWordLanes * run_bytes(words); }
  __device__ static void copy(const std::uint32_t* from, std::uint32_t slot, int words) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int in_run = words_of_lane(words);
#if __CUDA_ARCH__ >= 900
    if (lane == 0) expect_bytes(slot, words * kWordBytes);
    warp_barrier();
    const int bytes = min(in_run, words - lane * in_run) * kWordBytes;
    if (lane >= kWordLanes || bytes <= 0) return;
    bulk_copy(slot + kBarrierBytes + lane * run_bytes(words), from + lane * in_run * kTileKeys, bytes, slot);
#else
    constexpr int kCopies = kWordBytes / kLaneBytes;  // to a word
    for (int i = lane; i < words * kCopies; i += 32) {
      const int run = i / kCopies / in_run;
      const std::uint32_t to = slot + kBarrierBytes + run * kRunPadding + i * kLaneBytes;
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from + i * (kLaneBytes / 4)) : "memory");
    }
#endif
  }
#if __CUDA_ARCH__ < 900
  __device__ static void wait_for_copies(int tiles) {
    switch (tiles) {
      case 1:
        delay_here();
        asm volatile("cp.async.wait_group 0;" ::: "memory");
        delay_here();
        break;
      case 2:
        delay_here();
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        delay_here();
        break;
      case 3:
        delay_here();
        asm volatile("cp.async.wait_group 2;" ::: "memory");
        delay_here();
        break;
      default:
        delay_here();
        asm volatile("cp.async.wait_group 3;" ::: "memory");
        delay_here();
    }
  }
#endif

  std::uint32_t slot_at_;  // where its barrier lies and its tile behind that
  int slot_ = 0;
  std::uint32_t parity_ = 1;  // of the phase to be waited for; fill() ends at 0
  Tile tile_;                 // the next to be copied,
  std::int32_t page_;         // and its page, asked for a tile before
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

  // Adds a step, two words of each lane: `first_at` and `second_at` are where they lie, of the half's keys, `weights` where the
  // lane's part of the set's does.
  template <Adds adds>
  __device__ __forceinline__ void add(std::uint32_t first_at, std::uint32_t second_at, std::uint32_t weights) {
    uint2 first[kHalfQuarters];
    uint2 second[kHalfQuarters];
#pragma unroll
    for (int quarter = 0; quarter < kHalfQuarters; ++quarter) {
      first[quarter] = two_words_at(first_at + quarter * (kQuarterKeys * 4));
      second[quarter] = two_words_at(second_at + quarter * (kQuarterKeys * 4));
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
  __device__ __forceinline__ void add(std::uint32_t first_at, std::uint32_t weights) {
    uint2 first[kHalfQuarters];
#pragma unroll
    for (int quarter = 0; quarter < kHalfQuarters; ++quarter) {
      first[quarter] = two_words_at(first_at + quarter * (kQuarterKeys * 4));
    }
#pragma unroll
    for (int tile = 0; tile < kColumnTiles; tile += 2) {
      const FourWords planes = four_words_at(weights + tile / 2 * kTilePairBytes);
#pragma unroll
      for (int quarter = 0; quarter < kHalfQuarters; ++quarter) {
        const std::uint32_t words[2] = {first[quarter].x, first[quarter].y};
        multiply<adds>(words, planes.word[0], counts[quarter][tile]);
        multiply<adds>(words, planes.word[2], counts[quarter][tile + 1]);
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
  // 0, known when every lane of the warp has read what was added. So written that no compiler sees that it is 0: at most
  // 32 lanes vote. The vote is no barrier of the memory model.
  __device__ std::uint32_t zero_when_read() const {
    std::uint32_t zero = 0;
    const std::uint32_t votes = __ballot_sync(~0u, (counts[0][0][0] ^ counts[1][0][0]) != 0);
    asm volatile("{\n .reg .b32 count;\n popc.b32 count, %1;\n shr.u32 %0, count, 6;\n}" : "=r"(zero) : "r"(votes));
    return zero;
  }
};

// Counts of one half of a tile and one set; `tile` is where the tile lies, `weights` the set's of the first step, all
// addresses of shared memory. A step's weights are `step_bytes`.
__device__ __forceinline__ BitCounts counts_of_half(std::uint32_t tile, int half, int words, std::uint32_t weights,
                                                    int step_bytes) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int in_run = words_of_lane(words);
  const int own = min(in_run, words - lane % kWordLanes * in_run);  // words of the lane
  // A word that a lane has not is read where there is one: its weights are 0.
  const std::uint32_t keys = tile + (own > 0 ? lane % kWordLanes * run_bytes(words) : 0) +
                             half * (kHalfQuarters * kQuarterKeys * 4) + lane / kWordLanes * 8;
  const auto word_at = [&](int word) { return keys + (word < own ? word : 0) * kWordBytes; };
  weights += lane * kLaneBytes;
  BitCounts counts;
  if (in_run == 1) {
    counts.add<Adds::to_nothing>(keys, weights);
    return counts;
  }
  counts.add<Adds::to_nothing>(keys, word_at(1), weights);
  int word = 2;
#pragma unroll 1
  for (; word + 1 < in_run; word += 2) {
    weights += step_bytes;
    counts.add<Adds::to_counts>(word_at(word), word_at(word + 1), weights);
  }
  if (word < in_run) counts.add<Adds::to_counts>(word_at(word), weights + step_bytes);
  return counts;
}

}  // namespace skt::gpu
