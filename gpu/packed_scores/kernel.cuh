// Scores all keys from packed codes and half-tables, at the speed of reading the codes.
//
// CPU twin: soft_scores in estimators/collision_scores.hpp; gpu/check/references/host_twin.hpp repeats this arithmetic
// bit for bit. Arithmetic: gpu/packed_scores/lanes.cuh; then times the fp16 norm; -infinity where not allowed. Error
// of a score of one head, relative, against exact products of the same half-tables: (tables + 1) * 2^-24
// (positive terms); of four heads at once: gpu/functors/half_score.hpp. Floor: words_per_key * 4 bytes of codes and 2
// of norm to a (key, kv head), 4 written to a score; and two shared-memory look-ups to a (key, table) of one
// head, or of two heads that share a kv head, free of bank conflicts while half a code has at most 5 bits.
// What bounds it: gpu/kernels.md. One block to a multiprocessor keeps half-tables in shared memory and scores
// a range of tiles of 64 keys, the ranges of all blocks equally long; where a range passes from one row to
// the next the block changes its tables (gpu/packed_scores/tables.cuh). The tiles of a range go to the warps in turn,
// so that none has two more than another. How a warp sums over the tables: gpu/packed_scores/stage.cuh.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>

#include "gpu/decode/decode_stages.hpp"
#include "gpu/decode/row_progress.cuh"
#include "gpu/device/launch.cuh"
#include "gpu/functors/packed_codes.hpp"
#include "gpu/packed_scores/lanes.cuh"
#include "gpu/packed_scores/stage.cuh"
#include "gpu/packed_scores/tables.cuh"
#include "gpu/packed_scores/writing.cuh"

namespace skt::gpu {

struct ScoreArguments {
  skt_score_packed_args args;
  RowBins bins;
  RowProgress progress;
  Codes codes;
  unsigned tiles_per_row;  // that hold keys
  unsigned rows_at_once;   // kv rows whose half-tables a block keeps
  int passes;              // over a kv head's query heads
};

// A block's shared memory holds, in this order: tables of its rows, counts of its rows, slots of its warps,
// their barriers, the barrier of the tables. Bytes of a row's counts:
template <class Lanes>
__host__ __device__ constexpr int counts_bytes(bool counted) {
  return counted ? static_cast<int>(sizeof(std::uint32_t)) * Lanes::heads * kScoreBins : 0;
}

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
  __device__ int first_key() const { return static_cast<int>((index - row_begin) * static_cast<unsigned>(kTileKeys)); }
  __device__ const std::uint32_t* codes(const skt_score_packed_args& args, int words) const {
    const unsigned tile = row * static_cast<unsigned>(args.capacity / kTileKeys) + (index - row_begin);
    return args.packed + static_cast<std::uint64_t>(tile) * static_cast<unsigned>(words * kTileKeys);
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

// Grid: [passes * ranges]; the passes over a range are neighbours, so that the codes they share come from
// memory once. fixed_tables: the number of tables where the compiler knows it, else 0.
template <int planes, class Lanes, int fixed_tables>
__global__ void __launch_bounds__(Lanes::threads, 1) score_packed_kernel(ScoreArguments kernel) {
  const bool rows_counted = kernel.progress.scored != nullptr;
  if (!rows_counted) launch_next_kernel();
  extern __shared__ __align__(16) std::byte memory[];
  const skt_score_packed_args& args = kernel.args;
  const int tables = fixed_tables != 0 ? fixed_tables : static_cast<int>(args.tables);
  const auto words = static_cast<int>(words_per_key(tables, planes));
  const unsigned warps = blockDim.x / 32;
  const unsigned warp = threadIdx.x / 32;
  const bool counted = kernel.bins.counts != nullptr;
  const int tables_here = tables_bytes<Lanes>(tables, planes);
  const auto rows_at_once = static_cast<int>(kernel.rows_at_once);
  auto* counts = reinterpret_cast<std::uint32_t*>(memory + rows_at_once * tables_here);
  const auto tables_begin = static_cast<std::uint32_t>(__cvta_generic_to_shared(memory));
  const std::uint32_t counts_begin = tables_begin + rows_at_once * tables_here;
  const std::uint32_t slots_begin = counts_begin + rows_at_once * counts_bytes<Lanes>(counted);
  const std::uint32_t barriers_begin = slots_begin + warps * slots_bytes(planes);
  Slots<planes> slots(slots_begin + warp * slots_bytes(planes), barriers_begin + warp * kBarriersBytes);
  BlockTables<planes, Lanes> block_tables(memory, barriers_begin + warps * kBarriersBytes, rows_at_once, tables);
  for (int i = threadIdx.x; i < rows_at_once * counts_bytes<Lanes>(counted) / 4; i += blockDim.x) counts[i] = 0;

  const int group = static_cast<int>(args.heads / args.kv_heads);
  const int pass = static_cast<int>(blockIdx.x) % kernel.passes;
  const int heads_left = group - pass * Lanes::heads;
  const unsigned per_row = kernel.tiles_per_row;
  const unsigned ranges = gridDim.x / kernel.passes;
  const unsigned range = blockIdx.x / kernel.passes;
  const std::int64_t tiles = args.batch * args.kv_heads * per_row;
  const auto begin = static_cast<unsigned>(range * tiles / ranges);
  const auto end = static_cast<unsigned>((range + 1) * tiles / ranges);
  unsigned first_row = begin / per_row;
  Tile tile = Tile{begin, first_row, first_row * per_row}.moved_to(begin + warp, per_row);
  StagesToCopy ahead = {tile};

  const std::uint64_t policy = score_policy();
  const bool codes_settled = kernel.codes == Codes::settled;
  const auto copy_first_stage = [&](unsigned slot) { ahead.copy_next(slots, slot, kernel, end, words); };
  __syncthreads();  // counts and block_tables
  // Settled codes need not wait. Others: the tables ahead of the second stage, as look-ups wait for them.
  if (codes_settled) {
    for (unsigned slot = 0; slot < kSlots; ++slot) copy_first_stage(slot);
  }
  wait_for_previous_kernel();
  if (rows_counted) launch_next_kernel();  // after the wait: gpu/decode/row_progress.cuh
  const auto row_of = [&](unsigned kv_row) { return static_cast<std::int64_t>(kv_row) * group + pass * Lanes::heads; };
  for (; first_row * per_row < end; first_row += rows_at_once) {
    const int rows_here = min(rows_at_once, static_cast<int>((end - 1) / per_row + 1 - first_row));
    const auto row_here = [&](int i) { return row_of(first_row + i); };
    const bool copies_begin = !codes_settled && first_row == begin / per_row;
    block_tables.begin(args, rows_here, row_here);
    if (copies_begin) copy_first_stage(0);
    block_tables.finish(args, rows_here, heads_left, row_here);
    for (unsigned slot = 1; copies_begin && slot < kSlots; ++slot) copy_first_stage(slot);
    while (tile.index < end && tile.row < first_row + rows_at_once) {
      const int here = static_cast<int>(tile.row - first_row);
      const std::int64_t row = row_of(tile.row);
      const int key = tile.first_key() + static_cast<int>(threadIdx.x) % 32 * kLaneKeys;
      KeyPair<Lanes> pair;
      pair.load(args, tile.row, key, row, heads_left);
      Lanes sums[kLaneKeys];
      std::uint32_t stage_begin = tables_begin + here * tables_here;
#pragma unroll
      for (int first = 0; first < tables; first += kStageTables) {
        uint2 stage[planes];
        const int stage_words = fixed_tables != 0 ? words - first / kStageTables * planes : planes;
        const std::uint32_t slot = slots.take(stage, stage_words);
        ahead.copy_next(slots, slot, kernel, end, words);
        add_tables<planes, Lanes>(stage, stage_begin, tables - first, sums);
        stage_begin += tables_bytes<Lanes>(kStageTables, planes);
      }
      write_scores(args, kernel.bins, key, row, heads_left, pair, sums,
                   counts_begin + here * counts_bytes<Lanes>(counted), policy);
      tile = tile.moved_to(tile.index + warps, per_row);
    }
    __syncthreads();
    for (int i = 0; i < rows_here; ++i) {
      add_to_row(kernel.bins, row_here(i), min(Lanes::heads, heads_left), counts + i * Lanes::heads * kScoreBins);
    }
    __syncthreads();  // all of the block have written
    if (!rows_counted) continue;
    for (int i = 0; i < rows_here; ++i) {
      const unsigned row_begin = (first_row + i) * per_row;
      const auto head = static_cast<int>(threadIdx.x);
      if (head >= min(Lanes::heads, heads_left)) continue;
      count_up(&kernel.progress.scored[row_here(i) + head], min(end, row_begin + per_row) - max(begin, row_begin));
    }
  }
}

// How many warps a block has that keeps the half-tables and counts of `rows` rows: as many as find room for
// their slots; 0 where the rest alone is too much.
template <class Lanes>
int score_warps(const skt_score_packed_args& args, bool counted, int rows, const Device& device) {
  const auto planes = static_cast<int>(args.planes);
  const std::int64_t left =
      device.shared_bytes - kTablesBarrierBytes -
      std::int64_t{rows} * (counts_bytes<Lanes>(counted) + tables_bytes<Lanes>(static_cast<int>(args.tables), planes));
  const std::int64_t fit = left / (slots_bytes(planes) + kBarriersBytes);
  return static_cast<int>(std::clamp<std::int64_t>(fit, 0, Lanes::threads / 32));
}

// Passes over a kv head's query heads.
template <class Lanes>
int score_passes(const skt_score_packed_args& args) {
  return static_cast<int>((args.heads / args.kv_heads + Lanes::heads - 1) / Lanes::heads);
}
// Tiles that hold keys, of all kv rows.
inline std::int64_t score_tiles(const skt_score_packed_args& args) {
  return args.batch * args.kv_heads * ((args.keys + kTileKeys - 1) / kTileKeys);
}

template <int planes, class Lanes, int fixed_tables>
int launch_scores(ScoreArguments kernel, CUstream_st* stream, skt_error* error) {
  Device device;
  const cudaError_t status = query_device(device);
  if (status != cudaSuccess) return cuda_failure(status, error);
  const skt_score_packed_args& args = kernel.args;
  const bool counted = kernel.bins.counts != nullptr;
  // Two rows, where no warp is lost by it: then no warp waits where a range passes from one to the other.
  const int rows = score_warps<Lanes>(args, counted, 2, device) == Lanes::threads / 32 ? 2 : 1;
  const int warps = std::max(1, score_warps<Lanes>(args, counted, rows, device));
  kernel.rows_at_once = static_cast<unsigned>(rows);
  kernel.tiles_per_row = static_cast<unsigned>((args.keys + kTileKeys - 1) / kTileKeys);
  kernel.passes = score_passes<Lanes>(args);
  Launch shape;
  shape.threads = 32 * warps;
  shape.shared_bytes = static_cast<std::size_t>(
      rows * (tables_bytes<Lanes>(static_cast<int>(args.tables), planes) + counts_bytes<Lanes>(counted)) +
      warps * (slots_bytes(planes) + kBarriersBytes) + kTablesBarrierBytes);
  shape.carveout = cudaSharedmemCarveoutMaxShared;
  const std::int64_t ranges =
      std::min<std::int64_t>(score_tiles(args), std::max(1, device.multiprocessors / kernel.passes));
  shape.grid = dim3(static_cast<unsigned>(ranges * kernel.passes));
  return launch(score_packed_kernel<planes, Lanes, fixed_tables>, shape, stream, kernel, error);
}

// Calls the kernel of `planes`; the number of tables is known to it where it is the one most used.
template <class Lanes>
int launch_scores_of(const ScoreArguments& kernel, CUstream_st* stream, skt_error* error) {
  constexpr int usual_tables = 60;
  const bool usual = kernel.args.tables == usual_tables;
  switch (kernel.args.planes) {
    case 4:
      return launch_scores<4, Lanes, 0>(kernel, stream, error);
    case 5:
      return launch_scores<5, Lanes, 0>(kernel, stream, error);
    case 6:
      return launch_scores<6, Lanes, 0>(kernel, stream, error);
    case 7:
      return launch_scores<7, Lanes, 0>(kernel, stream, error);
    case 8:
      return launch_scores<8, Lanes, 0>(kernel, stream, error);
    case 9:
      return launch_scores<9, Lanes, 0>(kernel, stream, error);
    case 10:
      return usual ? launch_scores<10, Lanes, usual_tables>(kernel, stream, error)
                   : launch_scores<10, Lanes, 0>(kernel, stream, error);
    case 11:
      return launch_scores<11, Lanes, 0>(kernel, stream, error);
    case 12:
      return launch_scores<12, Lanes, 0>(kernel, stream, error);
    case 13:
      return launch_scores<13, Lanes, 0>(kernel, stream, error);
    case 14:
      return launch_scores<14, Lanes, 0>(kernel, stream, error);
    case 15:
      return launch_scores<15, Lanes, 0>(kernel, stream, error);
    default:
      return launch_scores<16, Lanes, 0>(kernel, stream, error);
  }
}

int launch_one_head_scores(const ScoreArguments& kernel, CUstream_st* stream, skt_error* error);
int launch_four_head_scores(const ScoreArguments& kernel, CUstream_st* stream, skt_error* error);
int launch_signed_scores(const ScoreArguments& kernel, CUstream_st* stream, skt_error* error);

}  // namespace skt::gpu
