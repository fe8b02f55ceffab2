// Where in the list does each selected key go? In rising order of index, ties to the lower index.
//
// Counting the bits before a key gives its place. It would be wrong if a place were written twice or left out:
// gpu-check compares every entry.
#pragma once

#include "gpu/selection/marks.cuh"

namespace skt::gpu {

// A thread's words: `each`, from `begin` on, as far as there are words.
struct Words {
  int begin, each;
};
__device__ inline Words my_words(const KeyBits& bits) {
  const int each = (bits.words + kSelectThreads - 1) / kSelectThreads;
  const int thread = threadIdx.x;
  return {thread * each, each};
}
__device__ inline Word word_at(const KeyBits& bits, int i) {
  return i < bits.words ? bits.word[i] : Word{0, 0};
}

// What comes before this thread's words in the block.
__device__ inline Place places_before(const KeyBits& bits, const Words& mine, Place (&warp_totals)[kSelectWarps]) {
  Place own = {0, 0};
  for (int i = mine.begin; i < mine.begin + mine.each; ++i) {
    const Word word = word_at(bits, i);
    own.certain += __popc(word.certain);
    own.tied += __popc(word.tied);
  }
  Place of_warp;
  Place before = {scan_warp(own.certain, of_warp.certain), scan_warp(own.tied, of_warp.tied)};
  if (threadIdx.x % 32 == 0) warp_totals[threadIdx.x / 32] = of_warp;
  block_barrier();
  const int my_warp = threadIdx.x / 32;
#pragma unroll
  for (int warp = 0; warp < kSelectWarps; ++warp) {
    if (warp >= my_warp) break;
    before = {before.certain + warp_totals[warp].certain, before.tied + warp_totals[warp].tied};
  }
  return before;
}

// Writes the key of bit `bit`, if it is selected, to its place; `before` counts what comes before its word.
__device__ inline void write_key(const Word& word, int bit, int key, Place before, std::uint32_t need,
                                 std::int32_t* list) {
  const std::uint32_t below = (1u << bit) - 1;
  before.certain += __popc(word.certain & below);
  before.tied += __popc(word.tied & below);
  const bool certain = (word.certain >> bit) & 1u;
  const bool tied = (word.tied >> bit) & 1u;
  if (certain || (tied && before.tied < need)) list[before.selected(need)] = key;
}

// A thread writes a word of its own key by key; one with many keys, as in the sink, its warp writes at once.
__device__ inline void write_list(const KeyBits& bits, const Words& mine, Place before, std::uint32_t need,
                                  std::int32_t* list) {
  constexpr int kManyKeys = 4;
  const int lane = threadIdx.x % 32;
  for (int i = mine.begin; i < mine.begin + mine.each; ++i) {
    const Word word = word_at(bits, i);
    const std::uint32_t marked = word.certain | word.tied;
    const bool is_full = __popc(marked) > kManyKeys;
    for (std::uint32_t full = __ballot_sync(~0u, is_full); full != 0; full &= full - 1) {
      const int owner = __ffs(full) - 1;
      const auto of_owner = [&](std::uint32_t value) { return __shfl_sync(~0u, value, owner); };
      const int first = bits.first_key + 32 * of_owner(i);
      write_key({of_owner(word.certain), of_owner(word.tied)}, lane, first + lane,
                {of_owner(before.certain), of_owner(before.tied)}, need, list);
    }
    for (std::uint32_t left = is_full ? 0 : marked; left != 0; left &= left - 1) {
      const int bit = __ffs(left) - 1;
      write_key(word, bit, bits.first_key + 32 * i + bit, before, need, list);
    }
    before.certain += __popc(word.certain);
    before.tied += __popc(word.tied);
  }
}

}  // namespace skt::gpu
