// Scores all keys from packed codes and half-tables, at the speed of reading the codes.
//
// CPU twin: soft_scores in estimators/collision_scores.hpp; gpu/check/references/host_twin.hpp repeats this arithmetic
// bit for bit.
// Arithmetic: gpu/packed_scores/lanes.cuh; then times the fp16 norm; -infinity where not allowed.
// Error of a score of one head, relative, against exact products of the same half-tables: (tables + 1) * 2^-24
// (positive terms); of four heads at once: gpu/functors/half_score.hpp.
// Floor: words_per_key * 4 bytes of codes and 2 of norm to a (key, kv head), 4 written to a score; and two
// shared-memory look-ups to a (key, table) of one head, or of two heads that share a kv head, free of bank conflicts
// while half a code has at most 5 bits. What bounds it: docs/gpu/performance.md.
//
// One block to a multiprocessor keeps half-tables in shared memory (gpu/packed_scores/memory.cuh) and scores a range of
// tiles of 64 keys (gpu/packed_scores/tiles.cuh); where a range passes from one row to the next the block changes its
// tables (gpu/packed_scores/tables.cuh). How a warp sums over the tables: gpu/packed_scores/stage.cuh.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "gpu/decode/row_progress.cuh"
#include "gpu/device/barrier.cuh"
#include "gpu/device/launch.cuh"
#include "gpu/functors/packed_codes.hpp"
#include "gpu/packed_scores/memory.cuh"
#include "gpu/packed_scores/stage.cuh"
#include "gpu/packed_scores/tables.cuh"
#include "gpu/packed_scores/tiles.cuh"
#include "gpu/packed_scores/writing.cuh"

namespace skt::gpu {

// What a warp scores with: its slots, the stages still to be copied to them, and how its scores are stored.
template <int planes>
struct WarpWork {
  Slots<planes> slots;
  StagesToCopy ahead;
  std::uint64_t policy;
  std::int32_t page;  // of the tile that is scored next
};

// The scores of a tile's keys by one warp; `here` is the place of its row among those whose tables the block keeps.
template <int planes, class Lanes, int fixed_tables>
__device__ __forceinline__ void score_tile(const ScoreArguments& kernel, const Range<Lanes>& range, const Tile& tile,
                                           int here, const BlockMemory<planes, Lanes>& memory, int tables,
                                           WarpWork<planes>& work) {
  const int words = to_int(words_per_key(tables, planes));
  const std::int64_t row = range.list_of(tile.kv);
  const int key = tile.first_key();
  KeyPair<Lanes> pair;
  pair.load(kernel, tile, work.page, key, range.head_of(tile.kv), range.heads_left);
  work.page = tile.next_page(kernel, range.end);
  Lanes sums[kLaneKeys];
  std::uint32_t stage_begin = memory.tables_at + here * memory.row_tables;
#pragma unroll
  for (int first = 0; first < tables; first += kStageTables) {
    uint2 stage[planes];
    const int stage_words = fixed_tables != 0 ? words - first / kStageTables * planes : planes;
    const std::uint32_t slot = work.slots.take(stage, stage_words);
    work.ahead.copy_next(work.slots, slot, kernel, range.end, words);
    add_tables<planes, Lanes>(stage, stage_begin, tables - first, sums);
    stage_begin += tables_bytes<Lanes>(kStageTables, planes);
  }
  // `length`: what the window is the end of.
  const auto write = [&](auto bin_of, int length) {
    write_scores(kernel.args, kernel.bins.sink, window_begin(length, kernel.bins.window), bin_of, tile.kv.length, key,
                 row, range.heads_left, pair, sums, memory.counts_at + here * memory.row_counts, work.policy);
  };
  if (kernel.bins.of_shards) {
    write(BinOfShard<Lanes::negative>{}, whole_length(kernel, tile));
  } else {
    write(BinOfStep{kernel.bins.lowest}, tile.kv.length);
  }
}

// Says how far the rows are. Behind a barrier, when all of the block have written.
template <class Lanes>
__device__ __forceinline__ void count_tiles(const ScoreArguments& kernel, const Range<Lanes>& range,
                                            const RowsHere& here) {
  if (kernel.progress.scored == nullptr) return;
  const int list = threadIdx.x;
  if (list >= range.lists()) return;
  for (int i = 0; i < here.rows; ++i) {
    count_up(&kernel.progress.scored[range.list_of(here[i]) + list], range.tiles_of(here[i]));
  }
}

// Adds the counts of the rows to those in device memory, and says how far the rows are. Of all threads, when all warps
// have scored what they have of these rows.
template <class Lanes>
__device__ __forceinline__ void finish_rows(const ScoreArguments& kernel, const Range<Lanes>& range,
                                            const RowsHere& here, std::uint32_t* counts) {
  for (int i = 0; i < here.rows; ++i) {
    add_to_row(kernel.bins, range.list_of(here[i]), range.lists(), counts + i * Lanes::lists * kScoreBins);
  }
  block_barrier();  // all of the block have written
  count_tiles(kernel, range, here);
}

// Grid: [passes * ranges, query rows]. fixed_tables: the number of tables where the compiler knows it, else 0.
template <int planes, class Lanes, int fixed_tables, Serves serves>
__global__ void __launch_bounds__(Lanes::threads, 1) score_packed_kernel(ScoreArguments kernel) {
  leave_out<serves>(kernel);
  const bool rows_counted = kernel.progress.scored != nullptr;
  if (!rows_counted) launch_next_kernel();
  extern __shared__ __align__(16) std::byte shared[];
  const int tables = fixed_tables != 0 ? fixed_tables : to_int(kernel.args.shape.tables);
  const int words = to_int(words_per_key(tables, planes));
  const BlockMemory<planes, Lanes> memory(shared, kernel.rows_at_once, tables, kernel.bins.counts != nullptr);
  Slots<planes> slots = memory.slots();
  BlockTables<planes, Lanes> block_tables(shared, memory.tables_barrier_at, kernel.rows_at_once, tables);
  memory.clear_counts();
  const bool in_flight = kernel.inputs == Inputs::may_be_in_flight;
  if (in_flight && (kernel.args.sequences.lengths != nullptr || kernel.pages.paged())) wait_for_previous_kernel();
  const Range<Lanes> range(kernel);
  KvRow row = range.first_row(kernel.args);
  Tile tile = Tile{range.begin, row}.moved_to(range.begin + threadIdx.x / 32, kernel.args, range.end);
  const std::int32_t page = tile.page(kernel.pages, range.end);
  WarpWork<planes> work = {slots, {tile, page}, score_policy(), page};
  const auto copy_first_stage = [&](unsigned slot) {
    work.ahead.copy_next(work.slots, slot, kernel, range.end, words);
  };
  block_barrier();  // counts and block_tables
  // Settled codes need not wait. Others: the tables ahead of the second stage, as look-ups wait for them.
  unsigned copied = 0;
  while (!in_flight && copied < kSlots) copy_first_stage(copied++);
  wait_for_previous_kernel();
  if (rows_counted) launch_next_kernel();  // after the wait: gpu/decode/row_progress.cuh
  while (row.begin < range.end) {
    const RowsHere here(kernel, row, range.end);
    const unsigned last_row = here.last.row;
    const auto row_here = [&](int i) { return range.row_of(here[i]); };
    block_tables.begin(kernel.args, here.rows, row_here);
    if (copied == 0) copy_first_stage(copied++);
    block_tables.finish(kernel.args, here.rows, range.heads_left, row_here);
    while (copied < kSlots) copy_first_stage(copied++);
    while (tile.index < range.end && tile.kv.row <= last_row) {
      score_tile<planes, Lanes, fixed_tables>(kernel, range, tile, tile.kv.row == row.row ? 0 : 1, memory, tables,
                                              work);
      tile = tile.moved_to(tile.index + blockDim.x / 32, kernel.args, range.end);
    }
    const RowsHere done(kernel, row, range.end);  // once more: registers are short where tiles are scored
    block_barrier();
    finish_rows(kernel, range, done, memory.counts);
    if (done.last.end() >= range.end) break;
    row = row_behind(kernel.args, done.last);
  }
}

}  // namespace skt::gpu
