// Which tiles of keys does a block score, which of them a warp, and in which order are their codes copied?
//
// A block scores a range of the tiles of all rows, the ranges of all blocks equally long. The tiles of a range go to
// its warps in turn, so that none has two more than another. A warp copies the stages of its tiles one after the other,
// two ahead of what it looks up. Rows may differ in length, which only the device knows: the grid is that of the most
// keys, and of fewer tiles each block takes fewer, so that a batch costs the sum of its tiles.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "gpu/device/warp_scan.cuh"
#include "gpu/functors/index_pages.hpp"
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

// Of the block's query row: the grid is [passes * ranges, query rows].
__device__ inline int rows_behind(const skt_score_packed_args& args) {
  const int query_rows = query_rows_of(args.shape);
  return query_rows > 1 ? query_rows - 1 - static_cast<int>(blockIdx.y) : 0;
}
// How many keys that row sees of a sequence.
__device__ inline int visible_length(const skt_score_packed_args& args, int sequence) {
  return length_before(scored_length(args.sequences, sequence), rows_behind(args));
}

// The next row that has keys; there must be one. An empty sequence is passed over at once.
__device__ inline KvRow row_behind(const skt_score_packed_args& args, const KvRow& row) {
  if (args.sequences.lengths == nullptr) return {row.row + 1, row.end(), row.length};
  const unsigned kv_heads = to_int(args.shape.kv_heads);
  KvRow behind = {row.row + 1, row.end(), 0};
  for (unsigned sequence = behind.row / kv_heads;; behind.row = ++sequence * kv_heads) {
    behind.length = visible_length(args, to_int(sequence));
    if (behind.length > 0) return behind;
  }
}

// Lane l's sequence of the 32 from `first` on, empty behind the last.
__device__ inline int length_of_lane(const skt_score_packed_args& args, int first) {
  const int sequence = first + static_cast<int>(threadIdx.x) % 32;
  return sequence < args.shape.batch ? visible_length(args, sequence) : 0;
}

// Tiles of all kv rows. With lengths each warp adds them up itself, of all its lanes, as no barrier stands before what
// it copies first.
__device__ inline std::int64_t tiles_of_all_rows(const skt_score_packed_args& args) {
  if (args.sequences.lengths == nullptr) {
    return args.shape.batch * args.shape.kv_heads * ceil_div<std::int64_t>(visible_length(args, 0), kTileKeys);
  }
  unsigned tiles = 0;
  for (int first = 0; first < args.shape.batch; first += 32) {
    tiles += ceil_div<unsigned>(length_of_lane(args, first), kTileKeys);
  }
  return __reduce_add_sync(~0u, tiles) * args.shape.kv_heads;
}

// The row of tile `index` of all rows, which must be one of them; of all lanes of a warp.
__device__ inline KvRow row_of_tile(const skt_score_packed_args& args, unsigned index) {
  const unsigned kv_heads = to_int(args.shape.kv_heads);
  KvRow row = {0, 0, visible_length(args, 0)};
  unsigned left = index;  // tiles from the sequence's first on
  if (args.sequences.lengths != nullptr) {
    unsigned found = 0;
    for (int first = 0; found == 0 && first < args.shape.batch; first += 32) {
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

// The tiles begin .. end - 1 of those of all rows that hold keys, for the query heads of one pass of one query row.
template <class Lanes>
struct Range {
  int group;  // query heads to a kv head
  int pass;
  int first_head;  // the first of them in this pass
  int heads_left;  // of the group, from it on
  unsigned all_heads, kv_heads;
  int query_rows;
  unsigned begin, end;

  // The passes over a range are neighbours, so that the codes they share come from memory once.
  __device__ explicit Range(const ScoreArguments& kernel) {
    const skt_score_packed_args& args = kernel.args;
    group = to_int(args.shape.heads) / to_int(args.shape.kv_heads);
    pass = static_cast<int>(blockIdx.x) % kernel.passes;
    first_head = pass * Lanes::heads;
    heads_left = group - first_head;
    all_heads = to_int(args.shape.heads);
    kv_heads = to_int(args.shape.kv_heads);
    query_rows = query_rows_of(args.shape);
    const unsigned ranges = gridDim.x / kernel.passes;
    const unsigned range = blockIdx.x / kernel.passes;
    const auto tiles = static_cast<unsigned>(tiles_of_all_rows(args));
    const auto begin_of = [&](unsigned i) { return i * (tiles / ranges) + i * (tiles % ranges) / ranges; };
    begin = begin_of(range);
    end = begin_of(range + 1);
  }
  // Of an empty range a row that begins at its end.
  __device__ KvRow first_row(const skt_score_packed_args& args) const {
    return begin < end ? row_of_tile(args, begin) : KvRow{0, end, 0};
  }
  // The pass's first query head of a kv row, in [batch, heads], as masks have them.
  __device__ std::int64_t head_of(const KvRow& kv) const { return std::int64_t{kv.row} * group + first_head; }
  // In [batch, query rows, heads], as tables have them, and scores and counts where each head has a list.
  __device__ std::int64_t row_of(const KvRow& kv) const {
    if (query_rows == 1) return head_of(kv);
    return head_of(kv) + (kv.row / kv_heads * static_cast<unsigned>(query_rows - 1) + blockIdx.y) * all_heads;
  }
  __device__ int heads() const { return min(Lanes::heads, heads_left); }
  // In [batch, query rows, kv heads].
  __device__ std::int64_t kv_list_of(const KvRow& kv) const {
    if (query_rows == 1) return kv.row;
    return kv.row + (kv.row / kv_heads * static_cast<unsigned>(query_rows - 1) + blockIdx.y) * std::int64_t{kv_heads};
  }
  // The pass's first row of scores and counts, and how many they are.
  __device__ std::int64_t list_of(const KvRow& kv) const { return Lanes::shares ? kv_list_of(kv) : row_of(kv); }
  __device__ int lists() const { return Lanes::shares ? 1 : heads(); }
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
  __device__ KvRow operator[](int i) const { return i == 0 ? first : last; }
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
  // Of the row's tiles.
  __device__ unsigned in_row() const { return index - kv.begin; }
  // The lane's first key.
  __device__ int first_key() const {
    const int thread = threadIdx.x;
    return to_int(in_row() * kTileKeys) + thread % 32 * kLaneKeys;
  }
  // The page that holds it, where there are pages and it is before `end`: behind, there is no entry to read.
  __device__ std::int32_t page(const IndexPages& pages, unsigned end) const {
    return pages.paged() && index < end ? pages.page_of(kv.row, in_row()) : 0;
  }
  // Of the warp's tile after this one, asked for while this one is scored.
  __device__ std::int32_t next_page(const ScoreArguments& kernel, unsigned end) const {
    if (!kernel.pages.paged()) return 0;
    return moved_to(index + blockDim.x / 32, kernel.args, end).page(kernel.pages, end);
  }
  // Its number among all tiles of the index.
  __device__ unsigned place(const ScoreArguments& kernel, std::int32_t page) const {
    return kernel.pages.place_of(kv.row, in_row(), page);
  }
  __device__ const std::uint32_t* codes(const ScoreArguments& kernel, int words, std::int32_t page) const {
    return kernel.args.packed + std::uint64_t{place(kernel, page)} * static_cast<unsigned>(words * kTileKeys);
  }
};

// What lies beside the codes of a tile: its norms and its masks.
struct TileFactors {
  const __half* norms;  // of the tile's first key
  std::int32_t page;
  const IndexPages* pages;

  __device__ TileFactors(const ScoreArguments& kernel, const Tile& tile, std::int32_t page)
      : page(page), pages(&kernel.pages) {
    const std::uint64_t place = tile.place(kernel, page);
    norms = static_cast<const __half*>(kernel.args.norms) + place * unsigned{kTileKeys};
  }
  // The byte of the mask of head `row` of [batch, heads] and key `key` of its sequence.
  __device__ const std::uint8_t* mask(const skt_score_packed_args& args, unsigned row, int key) const {
    const unsigned heads = to_int(args.shape.heads);
    const unsigned sequence = row / heads;
    if (!pages->paged()) {
      return args.mask.allowed + std::int64_t{args.mask.allowed_per_head ? row : sequence} * args.shape.capacity + key;
    }
    const std::uint64_t of_page = static_cast<unsigned>(page);
    const std::uint64_t mask_row = args.mask.allowed_per_head ? of_page * heads + (row - sequence * heads) : of_page;
    const unsigned page_keys = pages->page_tiles() * unsigned{kTileKeys};
    return args.mask.allowed + mask_row * page_keys + (key & (page_keys - 1));
  }
};

// The stages of a warp's tiles in the order in which they are copied. The entry of the block table is asked for a stage
// before the tile's first copy, which hides its wait.
struct StagesToCopy {
  Tile tile;
  std::int32_t page;
  int first_word = 0;

  template <int planes>
  __device__ void copy_next(Slots<planes>& slots, std::uint32_t slot, const ScoreArguments& kernel, unsigned end,
                            int words) {
    const bool any = tile.index < end;
    const std::uint32_t* codes = tile.codes(kernel, words, page) + first_word * kTileKeys;
    slots.copy(codes, any ? words - first_word : 0, slot);
    first_word += planes;
    if (first_word < words) return;
    first_word = 0;
    tile = tile.moved_to(tile.index + blockDim.x / 32, kernel.args, end);
    page = tile.page(kernel.pages, end);
  }
};

}  // namespace skt::gpu
