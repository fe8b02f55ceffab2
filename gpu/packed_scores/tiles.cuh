// Which tiles of keys does a block score, which of them a warp, and in which order are their codes copied?
//
// A block scores a range of the tiles of all rows, the ranges of all blocks equally long. The tiles of a range go to
// its warps in turn, so that none has two more than another. A warp copies the stages of its tiles one after the other,
// two ahead of what it looks up. Rows may differ in length, which only the device knows: the grid is that of the most
// keys, and of fewer tiles each block takes fewer, so that a batch costs the sum of its tiles.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "gpu/device/warp_scan.cuh"
#include "gpu/functors/lengths.hpp"
#include "gpu/functors/packed_codes.hpp"
#include "gpu/functors/whole_numbers.hpp"
#include "gpu/packed_scores/arguments.hpp"
#include "gpu/packed_scores/stage.cuh"

namespace skt::gpu {

// A kv row, its first tile among those of all rows, and how many keys it has.
struct KvRow {
  unsigned row, begin;
  int length;

  __device__ unsigned end() const { return begin + ceil_div<unsigned>(length, kTileKeys); }
};

// The next row that has keys; there must be one. An empty sequence is passed over at once.
__device__ inline KvRow row_behind(const skt_score_packed_args& args, const KvRow& row) {
  const unsigned kv_heads = to_int(args.kv_heads);
  KvRow behind = {row.row + 1, row.end(), 0};
  for (unsigned sequence = behind.row / kv_heads;; behind.row = ++sequence * kv_heads) {
    behind.length = length_of(args.lengths, to_int(sequence), to_int(args.keys));
    if (behind.length > 0) return behind;
  }
}

// Lane l's sequence of the 32 from `first` on, empty behind the last.
__device__ inline int length_of_lane(const skt_score_packed_args& args, int first) {
  const int sequence = first + static_cast<int>(threadIdx.x) % 32;
  return sequence < args.batch ? length_of(args.lengths, sequence, to_int(args.keys)) : 0;
}

// Tiles of all kv rows. With lengths each warp adds them up itself, of all its lanes, as no barrier stands before what
// it copies first.
__device__ inline std::int64_t tiles_of_all_rows(const skt_score_packed_args& args) {
  if (args.lengths == nullptr) return args.batch * args.kv_heads * ceil_div(args.keys, kTileKeys);
  unsigned tiles = 0;
  for (int first = 0; first < args.batch; first += 32) {
    tiles += ceil_div<unsigned>(length_of_lane(args, first), kTileKeys);
  }
  return __reduce_add_sync(~0u, tiles) * args.kv_heads;
}

// The row of tile `index` of all rows, which must be one of them; of all lanes of a warp.
__device__ inline KvRow row_of_tile(const skt_score_packed_args& args, unsigned index) {
  const unsigned kv_heads = to_int(args.kv_heads);
  KvRow row = {0, 0, to_int(args.keys)};
  unsigned left = index;  // tiles from the sequence's first on
  if (args.lengths != nullptr) {
    unsigned found = 0;
    for (int first = 0; found == 0 && first < args.batch; first += 32) {
      const int length = length_of_lane(args, first);
      const unsigned tiles = ceil_div<unsigned>(length, kTileKeys) * kv_heads;
      unsigned of_all = 0;
      const unsigned before = scan_warp(tiles, of_all);
      found = __ballot_sync(~0u, left - before < tiles);  // none of an earlier sequence: it wraps
      const int owner = found != 0 ? __ffs(found) - 1 : 0;
      row = {(first + owner) * kv_heads, 0, __shfl_sync(~0u, length, owner)};
      left -= found != 0 ? __shfl_sync(~0u, before, owner) : of_all;
    }
  }
  const unsigned per_row = ceil_div<unsigned>(row.length, kTileKeys);
  row.row += left / per_row;
  row.begin = index - left % per_row;
  return row;
}

// The tiles begin .. end - 1 of those of all rows that hold keys, for the query heads of one pass.
template <class Lanes>
struct Range {
  int group;       // query heads to a kv head
  int first_head;  // the first of them in this pass
  int heads_left;  // of the group, from it on
  unsigned begin, end;

  // The passes over a range are neighbours, so that the codes they share come from memory once.
  __device__ explicit Range(const ScoreArguments& kernel) {
    const skt_score_packed_args& args = kernel.args;
    group = to_int(args.heads / args.kv_heads);
    first_head = static_cast<int>(blockIdx.x) % kernel.passes * Lanes::heads;
    heads_left = group - first_head;
    const unsigned ranges = gridDim.x / kernel.passes;
    const unsigned range = blockIdx.x / kernel.passes;
    const std::int64_t tiles = tiles_of_all_rows(args);
    begin = range * tiles / ranges;
    end = (range + 1) * tiles / ranges;
  }
  // Of an empty range a row that begins at its end.
  __device__ KvRow first_row(const skt_score_packed_args& args) const {
    return begin < end ? row_of_tile(args, begin) : KvRow{0, end, 0};
  }
  // The pass's first query head of a kv row.
  __device__ std::int64_t row_of(const KvRow& kv) const { return std::int64_t{kv.row} * group + first_head; }
  __device__ int heads() const { return min(Lanes::heads, heads_left); }
  // How many tiles of the row are in the range.
  __device__ unsigned tiles_of(const KvRow& kv) const { return min(end, kv.end()) - max(begin, kv.begin); }
};

// The kv rows whose half-tables or weights a block keeps at a time: one, or two that follow one another.
struct RowsHere {
  int rows;
  KvRow first, last;

  __device__ RowsHere(const ScoreArguments& kernel, const KvRow& row, unsigned end)
      : rows(row.end() < end ? kernel.rows_at_once : 1),
        first(row),
        last(rows > 1 ? row_behind(kernel.args, row) : row) {}
  __device__ const KvRow& operator[](int i) const { return i == 0 ? first : last; }
};

// A warp's tile of keys: number `index` of the tiles of all rows that hold keys.
struct Tile {
  unsigned index;
  KvRow kv;

  // `next` is not before this one. From `end` on, the range's, no row is looked for: there may be none.
  __device__ Tile moved_to(unsigned next, const skt_score_packed_args& args, unsigned end) const {
    Tile after = {next, kv};
    while (next < end && next >= after.kv.end()) after.kv = row_behind(args, after.kv);
    return after;
  }
  // The lane's first key.
  __device__ int first_key() const {
    const int thread = threadIdx.x;
    const int in_row = (index - kv.begin) * static_cast<unsigned>(kTileKeys);
    return in_row + thread % 32 * kLaneKeys;
  }
  __device__ const std::uint32_t* codes(const skt_score_packed_args& args, int words) const {
    const unsigned tile = kv.row * static_cast<unsigned>(args.capacity / kTileKeys) + (index - kv.begin);
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
    tile = tile.moved_to(tile.index + blockDim.x / 32, kernel.args, end);
  }
};

}  // namespace skt::gpu
