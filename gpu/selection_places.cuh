// Where in the list does each selected key go? In rising order of index, ties to the lower index.
//
// A bit to a key says "selected whatever the ties do", another "ties with the threshold"; counting the bits
// before a key gives its place. It would be wrong if a place were written twice or left out: gpu-check
// compares every entry.
#pragma once

#include "gpu/selection_threshold.cuh"

namespace skt::gpu {

struct Place {
  std::uint32_t certain;
  std::uint32_t tied;

  __device__ std::uint32_t selected(std::uint32_t need) const { return certain + min(tied, need); }
};

// The bits of a block's share of the row, in order of the index; words of 32 keys.
struct KeyBits {
  std::uint32_t* certain;
  std::uint32_t* tied;
  int words;
  int first_key;
};

struct PlacesShared {
  std::uint32_t warp_totals[2][kSelectWarps];
  Place block_total;
};

// A thread's words, [begin, end).
struct Words {
  int begin, end;
};
__device__ inline Words my_words(const KeyBits& bits) {
  const int each = (bits.words + kSelectThreads - 1) / kSelectThreads;
  const int begin = min(static_cast<int>(threadIdx.x) * each, bits.words);
  return {begin, min(begin + each, bits.words)};
}

// What comes before this thread's words in the row, and the row's total. Ends with a cluster's barrier between
// its write and others' reads, and none after them.
__device__ inline Place places_before(const KeyBits& bits, const Words& mine, PlacesShared& shared,
                                      Place& total) {
  Place own = {0, 0};
  for (int i = mine.begin; i < mine.end; ++i) {
    own.certain += static_cast<std::uint32_t>(__popc(bits.certain[i]));
    own.tied += static_cast<std::uint32_t>(__popc(bits.tied[i]));
  }
  Place block = {0, 0};
  Place before = {scan_block(own.certain, shared.warp_totals[0], block.certain),
                  scan_block(own.tied, shared.warp_totals[1], block.tied)};
  if (threadIdx.x == 0) shared.block_total = block;
  cluster_barrier();
  Place of_rank = {0, 0};  // lane r brings the total of block r
  const int rank = static_cast<int>(threadIdx.x % 32);
  if (rank < cluster_size()) of_rank = *shared_of(&shared.block_total, rank);
  const bool earlier = rank < cluster_rank();
  total = {__reduce_add_sync(~0u, of_rank.certain), __reduce_add_sync(~0u, of_rank.tied)};
  before.certain += __reduce_add_sync(~0u, earlier ? of_rank.certain : 0u);
  before.tied += __reduce_add_sync(~0u, earlier ? of_rank.tied : 0u);
  return before;
}

__device__ inline void write_list(const KeyBits& bits, const Words& mine, Place before, std::uint32_t need,
                                  std::int32_t* list) {
  for (int i = mine.begin; i < mine.end; ++i) {
    const std::uint32_t certain = bits.certain[i];
    std::uint32_t left = certain | bits.tied[i];
    while (left != 0) {
      const int bit = __ffs(static_cast<int>(left)) - 1;
      left &= left - 1;
      const bool is_certain = (certain >> bit) & 1u;
      if (is_certain || before.tied < need)
        list[before.selected(need)] = bits.first_key + 32 * i + bit;
      before.certain += is_certain ? 1u : 0u;
      before.tied += is_certain ? 0u : 1u;
    }
  }
}

}  // namespace skt::gpu
