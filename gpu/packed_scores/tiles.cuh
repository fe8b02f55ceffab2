// Which tiles of keys does a block score, which of them a warp, and in which order are their codes copied?
//
// A block scores a range of the tiles of all rows, the ranges of all blocks equally long. The tiles of a range go to
// its warps in turn, so that none has two more than another. A warp copies the stages of its tiles one after the other,
// two ahead of what it looks up.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "gpu/functors/packed_codes.hpp"
#include "gpu/functors/whole_numbers.hpp"
#include "gpu/packed_scores/arguments.hpp"
#include "gpu/packed_scores/stage.cuh"

namespace skt::gpu {

// The tiles begin .. end - 1 of those of all rows that hold keys, for the query heads of one pass.
template <class Lanes>
struct Range {
  int group;       // query heads to a kv head
  int first_head;  // the first of them in this pass
  int heads_left;  // of the group, from it on
  unsigned per_row;
  unsigned begin, end;

  // The passes over a range are neighbours, so that the codes they share come from memory once.
  __device__ explicit Range(const ScoreArguments& kernel) {
    const skt_score_packed_args& args = kernel.args;
    group = to_int(args.heads / args.kv_heads);
    first_head = static_cast<int>(blockIdx.x) % kernel.passes * Lanes::heads;
    heads_left = group - first_head;
    per_row = kernel.tiles_per_row;
    const unsigned ranges = gridDim.x / kernel.passes;
    const unsigned range = blockIdx.x / kernel.passes;
    const std::int64_t tiles = args.batch * args.kv_heads * per_row;
    begin = range * tiles / ranges;
    end = (range + 1) * tiles / ranges;
  }
  // The pass's first query head of a kv row.
  __device__ std::int64_t row_of(unsigned kv_row) const { return std::int64_t{kv_row} * group + first_head; }
  __device__ int heads() const { return min(Lanes::heads, heads_left); }
  // How many tiles of the row that begins with tile `row_begin` are in the range.
  __device__ unsigned tiles_of(unsigned row_begin) const {
    return min(end, row_begin + per_row) - max(begin, row_begin);
  }
};

// A warp's tile of keys: number `index` of the tiles of all rows that hold keys.
struct Tile {
  unsigned index;
  unsigned row, row_begin;  // kv row and its first tile

  // `next` is not before this one.
  __device__ Tile moved_to(unsigned next, unsigned tiles_per_row) const {
    Tile after = {next, row, row_begin};
    while (next - after.row_begin >= tiles_per_row) {
      ++after.row;
      after.row_begin += tiles_per_row;
    }
    return after;
  }
  // The lane's first key.
  __device__ int first_key() const {
    const int thread = threadIdx.x;
    const int in_row = (index - row_begin) * static_cast<unsigned>(kTileKeys);
    return in_row + thread % 32 * kLaneKeys;
  }
  __device__ const std::uint32_t* codes(const skt_score_packed_args& args, int words) const {
    const unsigned tile = row * static_cast<unsigned>(args.capacity / kTileKeys) + (index - row_begin);
    return args.packed + std::uint64_t{tile} * static_cast<unsigned>(words * kTileKeys);
  }
};

// The stages of a warp's tiles in the order in which they are copied.
struct StagesToCopy {
  Tile tile;
  int first_word = 0;

  template <int planes>
  __device__ void copy_next(Slots<planes>& slots, std::uint32_t slot, const ScoreArguments& kernel, unsigned end,
                            int words) {
    const bool any = tile.index < end;
    const std::uint32_t* codes = tile.codes(kernel.args, words) + first_word * kTileKeys;
    slots.copy(codes, any ? words - first_word : 0, slot);
    first_word += planes;
    if (first_word < words) return;
    first_word = 0;
    tile = tile.moved_to(tile.index + blockDim.x / 32, kernel.tiles_per_row);
  }
};

}  // namespace skt::gpu
