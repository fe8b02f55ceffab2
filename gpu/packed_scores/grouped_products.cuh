// How are a tile's codes multiplied with the weights of several query heads on the tensor cores?
//
// A word of a key is, as it is, a register of the first operand of mma.m16n8k256 b1: a key in its row and 8 words, two
// of each of four lanes, in its depth. The second operand holds one bit of each weight
// (gpu/packed_scores/grouped_weights.cuh), and the product counts the bits that both have. So a set of four heads has 8
// counts to a head and key, which are added up by what the bit of the weight counts: in one lane, as a lane has two
// columns of each tile and these are its head's.
//
// Lanes 4 g .. 4 g + 3 of a warp share keys 2 g and 2 g + 1 of each quarter of its tile, and each has other words of
// them and, of the counts, another head.
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
constexpr int kWordBytes = int{kTileKeys} * 4;
constexpr int kNormBytes = int{kTileKeys} * 2;
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
__device__ inline __half2 two_norms_at(std::uint32_t address) {
  std::uint32_t bits = 0;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(bits) : "r"(address) : "memory");
  return *reinterpret_cast<const __half2*>(&bits);
}

// Until the first of `groups` groups of the thread's copies has arrived, 1 to kMostRingTiles. Without branches.
__device__ inline void wait_for_first_of(int groups) {
  static_assert(kMostRingTiles == 4);
  delay_here();
  asm volatile(
      "{\n .reg .pred p;\n setp.eq.s32 p, %0, 4;\n @p cp.async.wait_group 3;\n setp.eq.s32 p, %0, 3;\n"
      " @p cp.async.wait_group 2;\n setp.eq.s32 p, %0, 2;\n @p cp.async.wait_group 1;\n setp.eq.s32 p, %0, 1;\n"
      " @p cp.async.wait_group 0;\n}" ::"r"(groups)
      : "memory");
  delay_here();
}

// A warp's tiles in the order in which it multiplies them, some of them in shared memory or on their way: the words of
// a tile, then its norms. The lanes copy 16 bytes each.
//
// A word's 16 pieces of 4 keys are exchanged by the word's lane: piece p lies at p ^ (2 * lane). Else the four lanes
// that share keys would meet in the same banks, as words are 256 bytes apart.
class CodeRing {
 public:
  // Of a warp, with room for `tiles` tiles.
  __host__ __device__ static int bytes(int tiles, int words) { return tiles * slot_bytes(words); }
  __device__ static std::uint32_t piece_at(int word, int piece) {
    return word * kWordBytes + (piece ^ 2 * (word % kWordLanes)) * kLaneBytes;
  }

  // `memory`: an address of shared memory. The range of tiles ends at `end`. Of all lanes, before anything else.
  __device__ CodeRing(std::uint32_t memory, const ScoreArguments& kernel, const Tile& first, unsigned end)
      : slot_at_(memory), tile_(first), page_(first.page(kernel.pages, end)) {}

  // Waits for the next tile; returns where it lies, until copy_next() begins to copy another one there.
  __device__ std::uint32_t wait(const ScoreArguments& kernel) const {
    wait_for_first_of(kernel.ring_tiles);
    warp_barrier();
    return slot_at_;
  }
  // Begins to copy the next tile to where the last one was waited for. The range of tiles ends at `end`. Of all lanes,
  // behind a barrier of the warp that follows their reads there.
  template <class Heads>
  __device__ __forceinline__ void copy_next(const ScoreArguments& kernel, unsigned end) {
    const int words = Heads::words(kernel);
    if (tile_.index < end) {
      copy<Heads::kUnrolled>(tile_.place(kernel, page_), kernel.args, words);
      tile_ = tile_.moved_to(tile_.index + blockDim.x / 32, kernel.args, end);
      page_ = tile_.page(kernel.pages, end);
    }
    delay_here();
    asm volatile("cp.async.commit_group;" ::: "memory");
    delay_here();
    slot_at_ += slot_bytes(words);
    if (++slot_ < kernel.ring_tiles) return;
    slot_ = 0;
    slot_at_ -= kernel.ring_tiles * slot_bytes(words);
  }

 private:
  __host__ __device__ static int slot_bytes(int words) { return words * kWordBytes + kNormBytes; }
  template <int unrolled>
  __device__ __forceinline__ void copy(unsigned place, const skt_score_packed_args& args, int words) const {
    constexpr int kPieces = kWordBytes / kLaneBytes;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int word_of_two = lane / kPieces;
    const std::uint32_t* from = args.packed + std::uint64_t{place} * static_cast<unsigned>(words * kTileKeys);
    from += lane * (kLaneBytes / 4);
    const std::uint32_t first = slot_at_ + piece_at(word_of_two, lane % kPieces);
    const std::uint32_t second = slot_at_ + piece_at(2 + word_of_two, lane % kPieces);
#pragma unroll unrolled
    for (int word = 0; word < words; word += kWordLanes) {  // twice the words of two lanes
      const auto is_there = [&](int of_two) { return of_two + 1 < words || (of_two < words && word_of_two == 0); };
      if (is_there(word)) copy_piece(first + word * kWordBytes, from + word * kTileKeys);
      if (is_there(word + 2)) copy_piece(second + word * kWordBytes, from + (word + 2) * kTileKeys);
    }
    if (lane >= kNormBytes / kLaneBytes) return;
    const __half* norms = static_cast<const __half*>(args.norms) + std::uint64_t{place} * unsigned{kTileKeys};
    copy_piece(slot_at_ + words * kWordBytes + lane * kLaneBytes, norms + lane * (kLaneBytes / 2));
  }
  __device__ static void copy_piece(std::uint32_t to, const void* from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
  }

  std::uint32_t slot_at_;  // where the next tile lies
  int slot_ = 0;
  Tile tile_;          // the next to be copied,
  std::int32_t page_;  // and its page, asked for a tile before
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

  // Adds a step, the lane's words number `word` and the next: word_of(quarter of the half, word), `weights` where the
  // lane's part of the set's does lie.
  template <Adds adds, class WordOf>
  __device__ __forceinline__ void add_two(const WordOf& word_of, int word, std::uint32_t weights) {
    uint2 first[kHalfQuarters];
    uint2 second[kHalfQuarters];
#pragma unroll
    for (int quarter = 0; quarter < kHalfQuarters; ++quarter) {
      first[quarter] = word_of(quarter, word);
      second[quarter] = word_of(quarter, word + 1);
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
  template <Adds adds, class WordOf>
  __device__ __forceinline__ void add_one(const WordOf& word_of, int word, std::uint32_t weights) {
    uint2 first[kHalfQuarters];
#pragma unroll
    for (int quarter = 0; quarter < kHalfQuarters; ++quarter) first[quarter] = word_of(quarter, word);
    const FourWords planes = four_words_at(weights);
#pragma unroll
    for (int tile = 0; tile < kColumnTiles; ++tile) {
#pragma unroll
      for (int quarter = 0; quarter < kHalfQuarters; ++quarter) {
        const std::uint32_t words[2] = {first[quarter].x, first[quarter].y};
        multiply<adds>(words, planes.word[tile], counts[quarter][tile]);
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

// A lane's two keys of a quarter of a tile begin here.
__device__ inline int lane_key(int lane, int quarter) {
  return quarter * kQuarterKeys + lane / kWordLanes * 2;
}
__device__ inline int own_lane() {
  return static_cast<int>(threadIdx.x) % 32;
}

// Where the lane's words and norms lie in a tile, in bytes. A word that it has not is read where there is one, as its
// weights are 0. That can be its last alone.
struct LaneWords {
  int of_lanes;
  std::uint32_t first;  // of its first two keys
  std::uint32_t last;   // behind its first word
  std::uint32_t norms;  // of those two keys

  __device__ LaneWords(int lane, int words) : of_lanes(words_of_lane(words)) {
    const int word = lane % kWordLanes;
    const int key = lane_key(lane, 0);
    first = CodeRing::piece_at(word < words ? word : 0, key / kPieceKeys) + key % kPieceKeys * 4;
    last = bytes_between((of_lanes - 1) * kWordLanes + word < words ? of_lanes - 1 : 0);
    norms = words * kWordBytes + 2 * key;
  }
  // Of the lane's two keys of a quarter of a half. A half has eight pieces, which are exchanged among themselves.
  __device__ std::uint32_t first_of(int half, int quarter) const {
    constexpr int kQuarterBytes = kQuarterKeys / kPieceKeys * kLaneBytes;
    return (first ^ quarter * kQuarterBytes) + half * kHalfQuarters * kQuarterBytes;
  }
  // How far behind its first lies its word number `word`.
  __device__ std::uint32_t bytes_to(int word) const { return word + 1 < of_lanes ? bytes_between(word) : last; }

 private:
  static constexpr int kPieceKeys = kLaneBytes / 4;
  __device__ static std::uint32_t bytes_between(int words) { return words * (kWordLanes * kWordBytes); }
};

// Counts of one half of the tile at `codes` and one set; `lane_weights`: the lane's of the row. Both are addresses of shared
// memory. Where the number of words is a constant of the kernel nothing here branches.
template <class Heads>
__device__ __forceinline__ BitCounts counts_of_half(const LaneWords& lane, std::uint32_t codes, int half,
                                                    std::uint32_t lane_weights, int set) {
  constexpr int kStepBytes = RowWeights<Heads::sets>::kStepBytes;
  const int of_lanes = lane.of_lanes;
  const std::uint32_t keys[kHalfQuarters] = {codes + lane.first_of(half, 0), codes + lane.first_of(half, 1)};
  const auto word_of = [&](int quarter, int word) { return two_words_at(keys[quarter] + lane.bytes_to(word)); };
  const int steps = of_lanes / 2;
  const std::uint32_t of_last = lane_weights + steps * kStepBytes + set * kLastWordBytes;
  BitCounts counts;
  if (steps == 0) {
    counts.add_one<Adds::to_nothing>(word_of, 0, of_last);
    return counts;
  }
  counts.add_two<Adds::to_nothing>(word_of, 0, lane_weights + set * kSetBytes);
#pragma unroll Heads::kUnrolled
  for (int step = 1; step < steps; ++step) {
    counts.add_two<Adds::to_counts>(word_of, 2 * step, lane_weights + step * kStepBytes + set * kSetBytes);
  }
  if (of_lanes % 2 != 0) counts.add_one<Adds::to_counts>(word_of, of_lanes - 1, of_last);
  return counts;
}

}  // namespace skt::gpu
