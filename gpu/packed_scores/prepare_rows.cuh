// What do all blocks of scores need of a row by the signed rule, where query heads share a kv head?
//
// The weights of its heads, as they will lie in shared memory (gpu/packed_scores/grouped_weights.cuh), and where the heads
// share a list the log-sums of its sampled tiles: of 16 tiles and each head, that of the tile's keys that may be selected, but
// for the newest kMostAppended of the row (gpu/functors/group_weights.hpp). A launch of its own, as each block of scores
// would else make them for its rows again: that took a third of the scores' time at 145,408 keys.
//
// CPU twins: twin_fixed_weights in gpu/check/references/host_twin.cpp, twin_log_sum in
// gpu/check/references/group_scores.cpp, the same bits.
// Arithmetic of a log-sum, fp32: halves of a table added, tables in order in each of two parts, of eight heads one, that take
// quads in turn, the parts in order, times unit, times norm; powers of 32 keys added by a butterfly, then those of both halves
// of the tile.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "gpu/device/barrier.cuh"
#include "gpu/device/launch.cuh"
#include "gpu/functors/group_weights.hpp"
#include "gpu/functors/half_table.hpp"
#include "gpu/functors/packed_codes.hpp"
#include "gpu/functors/score_bins.hpp"
#include "gpu/packed_scores/arguments.hpp"
#include "gpu/packed_scores/grouped_weights.cuh"
#include "gpu/packed_scores/tiles.cuh"

namespace skt::gpu {

// Where they lie in the caller's memory: weights of each pass over a row's heads, [batch, query rows, kv heads, passes],
// then log-sums [batch, query rows, heads, sampled tiles].
template <int sets>
struct PreparedRows {
  std::byte* weights;
  float* tile_sums;

  SKT_HD PreparedRows(const ScoreArguments& kernel, int words) : weights(static_cast<std::byte*>(kernel.args.work)) {
    const std::int64_t rows = kernel.args.shape.batch * query_rows_of(kernel.args.shape) * kernel.args.shape.kv_heads;
    tile_sums = reinterpret_cast<float*>(weights + rows * kernel.passes * RowWeights<sets>::bytes(words));
  }
};

struct PrepareArguments {
  ScoreArguments scores;
  bool copies_sums;  // half sums to shared memory: there is room for those of a pass
};

// A warp waits more than it works, so that there are many: a word of a head to each where there are weights alone. Beside them
// a sampled tile has a block of its own, with a key of a head to two threads or, of eight heads, one; smaller blocks, two to a
// multiprocessor, as all should run at once.
template <class Heads>
constexpr int kPrepareThreads = Heads::shares ? 512 : 1024;
template <class Heads>
constexpr int kKeyThreads = kPrepareThreads<Heads> / (Heads::heads * int{kTileKeys});

// The signed sum of a key whose words are words[0], words[64], .., by the half sums of a head: of every `parts`-th quad of
// tables from `part` on. Lanes look up one half of a table side by side, up to 32 entries of which lie in as many banks.
__device__ __forceinline__ float part_of_signed_sum(const std::uint32_t* words, const float* half_sums, int tables,
                                                    int planes, int part, int parts) {
  const int low_bits = low_planes(planes);
  const int high_bits = high_planes(planes);
  const auto word_of = [&](int index) { return words[index * int{kTileKeys}]; };
  const int entries = half_table_entries(planes);
  float sum = 0;
#pragma unroll 2
  for (int first = part * kQuadTables; first < tables; first += parts * kQuadTables) {
    const int slice = first / kQuadTables * planes;
    const std::uint32_t lows = quad_halves(word_of, slice, low_bits);
    const std::uint32_t highs = quad_halves(word_of, slice + low_bits, high_bits);
    const float* quad = half_sums + first * entries;
    const auto add = [&](int i) {
      const auto* high = reinterpret_cast<const std::byte*>(quad + i * entries);
      const auto* low = reinterpret_cast<const std::byte*>(quad + i * entries + (1 << high_bits));
      sum += *reinterpret_cast<const float*>(high + half_offset(highs, i, high_bits, 0)) +
             *reinterpret_cast<const float*>(low + half_offset(lows, i, low_bits, 0));
    };
    if (first + kQuadTables <= tables) {
#pragma unroll
      for (int i = 0; i < kQuadTables; ++i) add(i);
    } else {
#pragma unroll 1
      for (int i = 0; i < tables - first; ++i) add(i);
    }
  }
  return sum;
}

// The same for all threads of a tile; `shared` [warps]. Of all threads of the block.
template <class Join>
__device__ float over_tile(float mine, float* shared, const Join& join) {
  for (int lanes = 16; lanes > 0; lanes /= 2) mine = join(mine, __shfl_xor_sync(~0u, mine, lanes));
  const int warp = threadIdx.x / 32;
  if (threadIdx.x % 32 == 0) shared[warp] = mine;
  block_barrier();
  return join(shared[warp / 2 * 2], shared[warp / 2 * 2 + 1]);
}

// A row of [batch, query rows, kv heads], and one pass over its heads.
struct PreparedRow {
  int list, group, first_head, heads;
  KvRow kv;

  template <class Heads>
  __device__ static PreparedRow of_block(const ScoreArguments& kernel) {
    const skt_score_packed_args& args = kernel.args;
    const int kv_heads = to_int(args.shape.kv_heads);
    const int list = static_cast<int>(blockIdx.x) / kernel.passes;
    const int group = to_int(args.shape.heads) / kv_heads;
    const int first = static_cast<int>(blockIdx.x) % kernel.passes * Heads::heads;
    const RowPlace place = place_of_row(list, kv_heads, query_rows_of(args.shape));
    const auto kv_row = static_cast<unsigned>(place.sequence * kv_heads + list % kv_heads);
    return {list,
            group,
            first,
            min(Heads::heads, group - first),
            {kv_row, 0, length_before(scored_length(args.sequences, place.sequence), place.behind)}};
  }
  // The first head's, of all rows of all heads.
  __device__ const float* half_sums(const skt_score_packed_args& args) const {
    const std::int64_t of_head = args.shape.tables * half_table_entries(to_int(args.shape.planes));
    return args.half_tables + (std::int64_t{list} * group + first_head) * of_head;
  }
};

// What needs no half sums comes before the wait for them.
template <class Heads, int fixed_planes>
__device__ void prepare_weights(const ScoreArguments& kernel, const PreparedRow& row, std::byte* shared) {
  const skt_score_packed_args& args = kernel.args;
  constexpr int kWordsKept = 3;  // those of 608 bits
  const int planes = fixed_planes > 0 ? fixed_planes : to_int(args.shape.planes);
  WarpProjections<Heads::sets, kWordsKept> projections(args, planes, row.heads, kernel.words, row.half_sums(args));
  const int bytes = RowWeights<Heads::sets>::bytes(kernel.words);
  for (int i = threadIdx.x; i < bytes / int{sizeof(uint4)}; i += blockDim.x) reinterpret_cast<uint4*>(shared)[i] = {};
  wait_for_previous_kernel();
  if (row.kv.length == 0) return;
  projections.load();
  block_barrier();
  put_weights_of_row<Heads::sets>(projections, row.heads, shared, kernel.words,
                                  Heads::shares ? args.weight_scale * kOctaveSteps : 1.0f);
  std::byte* to = PreparedRows<Heads::sets>(kernel, kernel.words).weights + std::int64_t{blockIdx.x} * bytes;
  for (int i = threadIdx.x; i < bytes / int{sizeof(uint4)}; i += blockDim.x) {
    reinterpret_cast<uint4*>(to)[i] = reinterpret_cast<const uint4*>(shared)[i];
  }
}

// Of a sampled tile; `shared` has room for its codes, and for half sums where they are copied.
template <class Heads, int fixed_planes>
__device__ void prepare_tile(const PrepareArguments& a, const PreparedRow& row, unsigned sample, std::byte* shared) {
  constexpr int kKeysOfHeads = Heads::heads * int{kTileKeys};
  __shared__ float parts[kKeyThreads<Heads>][kKeysOfHeads];
  __shared__ float of_warps[2][kPrepareThreads<Heads> / 32];
  const ScoreArguments& kernel = a.scores;
  const skt_score_packed_args& args = kernel.args;
  const int planes = fixed_planes > 0 ? fixed_planes : to_int(args.shape.planes);
  const int tables = to_int(args.shape.tables);
  const unsigned tiles = row.kv.end();
  const int of_tile = threadIdx.x % unsigned{kTileKeys};
  const int of_heads = threadIdx.x % kKeysOfHeads;
  const int part = threadIdx.x / kKeysOfHeads;
  const int head = of_heads / int{kTileKeys};
  const bool is_there = sample < sampled_tiles(tiles);
  const Tile tile = {is_there ? sampled_tile(sample, tiles) : 0, row.kv};
  const std::int32_t page = is_there ? tile.page(kernel.pages, tiles) : 0;
  const int key = to_int(tile.index * kTileKeys) + of_tile;
  const TileFactors factors(kernel, tile, page);
  const bool may_count = is_there && key < row.kv.length - kMostAppended && head < row.heads;
  const float norm = may_count ? __half2float(__ldcg(&factors.norms[of_tile])) : 0.0f;
  auto* codes = reinterpret_cast<std::uint32_t*>(shared);
  const std::uint32_t* from = tile.codes(kernel, kernel.words, page);
  for (int i = threadIdx.x; is_there && i < kernel.words * int{kTileKeys}; i += kPrepareThreads<Heads>) {
    codes[i] = __ldcg(&from[i]);
  }
  wait_for_previous_kernel();
  if (!is_there) return;
  const int head_floats = tables * half_table_entries(planes);
  const float* half_sums = row.half_sums(args);
  auto* copied = reinterpret_cast<float4*>(shared + kernel.words * kTileWordBytes);
#pragma unroll 4
  for (int i = threadIdx.x; a.copies_sums && i < row.heads * head_floats / 4; i += kPrepareThreads<Heads>) {
    copied[i] = reinterpret_cast<const float4*>(half_sums)[i];
  }
  block_barrier();
  const auto sum_by = [&](const float* sums) {
    return part_of_signed_sum(codes + of_tile, sums + head * head_floats, tables, planes, part, kKeyThreads<Heads>);
  };
  if (may_count)
    parts[part][of_heads] = a.copies_sums ? sum_by(reinterpret_cast<const float*>(copied)) : sum_by(half_sums);
  block_barrier();
  float logit = -INFINITY;
  if (may_count && (args.mask.allowed == nullptr || *factors.mask(args, row.kv.row * row.group + head, key) != 0)) {
    float sum = parts[0][of_heads];
#pragma unroll
    for (int i = 1; i < kKeyThreads<Heads>; ++i) sum += parts[i][of_heads];
    logit = sampled_logit(sum, args.weight_scale * kOctaveSteps, norm);
  }
  const float largest = over_tile(fmaxf(logit, -INFINITY), of_warps[0], [](float x, float y) { return fmaxf(x, y); });
  const float power = may_be_selected(logit) ? weight_power(logit - finite_normaliser(largest)) : 0.0f;
  const float sum = over_tile(power, of_warps[1], [](float x, float y) { return x + y; });
  if (of_tile == 0 && part == 0 && head < row.heads) {
    float* tile_sums = PreparedRows<Heads::sets>(kernel, kernel.words).tile_sums;
    tile_sums[(std::int64_t{row.list} * row.group + head) * kSampledTiles + sample] =
        largest > -INFINITY ? largest + steps_of(sum) : -INFINITY;
  }
}

// Grid: [batch * query rows * kv heads * passes, sampled tiles + 1], without these [.., 1]. Blocks of weights come last: where
// there are a few more blocks than multiprocessors, the last share one, and should be short.
template <class Heads, int fixed_planes = 0>
__global__ void __launch_bounds__(kPrepareThreads<Heads>, Heads::shares ? 2 : 1)
    prepare_rows_kernel(PrepareArguments a) {
  extern __shared__ __align__(16) std::byte shared[];
  const ScoreArguments& kernel = a.scores;
  if (kernel.inputs == Inputs::may_be_in_flight) wait_for_previous_kernel();
  launch_next_kernel();
  const PreparedRow row = PreparedRow::of_block<Heads>(kernel);
  if constexpr (Heads::shares) {
    if (blockIdx.y + 1 < gridDim.y) return prepare_tile<Heads, fixed_planes>(a, row, blockIdx.y, shared);
  }
  prepare_weights<Heads, fixed_planes>(kernel, row, shared);
}

}  // namespace skt::gpu
