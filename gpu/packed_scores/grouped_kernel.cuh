// Scores by the signed projection where query heads share a kv head, on the tensor cores.
//
// CPU twin: twin_grouped_score in gpu/check/references/host_twin.hpp, the same bits.
// Arithmetic and error: gpu/functors/fixed_weights.hpp; -infinity where not allowed.
// Floor: words_per_key * 4 bytes of codes and 2 of norm to a (key, kv head), 4 written to a score; beside them, to 64
// keys and 128 bits, 73 instructions that tell bits apart and 16 products for four heads.
//
// Ranges, tiles and rows as for look-ups (gpu/packed_scores/kernel.cuh): one block to a multiprocessor, whose warps
// take tiles in turn. How a tile is multiplied: gpu/packed_scores/grouped_products.cuh.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "gpu/device/barrier.cuh"
#include "gpu/device/launch.cuh"
#include "gpu/packed_scores/grouped_products.cuh"
#include "gpu/packed_scores/grouped_weights.cuh"
#include "gpu/packed_scores/kernel.cuh"

namespace skt::gpu {

// `heads` query heads at once.
template <int column_tiles_, int threads_, int depth_>
struct GroupedHeads {
  static constexpr int column_tiles = column_tiles_;
  static constexpr int heads = column_tiles * kColumnHeads;
  static constexpr int threads = threads_;  // of a block, at most
  static constexpr int depth = depth_;      // quads that a warp has on their way
};

// Shared memory of a block: the rings of its warps, the weights of its rows, their counts.
template <class Heads>
struct GroupedMemory {
  using Weights = RowWeights<Heads::column_tiles>;
  int row_weights;
  std::byte* weights;
  std::uint32_t* counts;

  __device__ GroupedMemory(std::byte* memory, int rows, const Quads& quads)
      : row_weights(Weights::bytes(quads)),
        weights(memory + blockDim.x / 32 * CodeRing<Heads::depth>::kBytes),
        counts(reinterpret_cast<std::uint32_t*>(weights + rows * row_weights)) {}
  __host__ static int bytes(int warps, int rows, const Quads& quads, bool counted) {
    return warps * CodeRing<Heads::depth>::kBytes + rows * (Weights::bytes(quads) + counts_bytes<Heads>(counted));
  }
};

// What a lane's scores need beside the sums; loaded before them, which hides the wait.
template <class Heads>
struct LaneFactors {
  uint2 norms[kTileHalves] = {};                            // four fp16
  std::uint32_t allowed[Heads::column_tiles][kTileHalves];  // four bytes of the mask

  // `key` is the lane's first, `row` the first head's.
  __device__ LaneFactors(const skt_score_packed_args& args, const KvRow& kv, int key, unsigned row, int heads_left) {
    const unsigned capacity = to_int(args.capacity);
    const __half* of_keys = static_cast<const __half*>(args.norms) + std::uint64_t{kv.row} * capacity + key;
#pragma unroll
    for (int half = 0; half < kTileHalves; ++half) {
      const int ahead = half * kHalfKeys;
      if (key + ahead < kv.length) norms[half] = *reinterpret_cast<const uint2*>(of_keys + ahead);
#pragma unroll
      for (int column = 0; column < Heads::column_tiles; ++column) allowed[column][half] = ~0u;
    }
    if (args.allowed == nullptr) return;
#pragma unroll
    for (int column = 0; column < Heads::column_tiles; ++column) {
      const int head = head_of_lane(column);
      if (head >= heads_left) return;
      const unsigned mask_row = args.allowed_per_head ? row + head : row / static_cast<unsigned>(to_int(args.heads));
      const std::uint8_t* mask = args.allowed + std::uint64_t{mask_row} * capacity + key;
#pragma unroll
      for (int half = 0; half < kTileHalves; ++half) {
        const int ahead = half * kHalfKeys;
        if (key + ahead < kv.length) allowed[column][half] = *reinterpret_cast<const std::uint32_t*>(mask + ahead);
      }
    }
  }
  __device__ static int head_of_lane(int column) {
    return column * kColumnHeads + static_cast<int>(threadIdx.x) % 32 / kWordLanes;
  }
};

// Scores of four neighbouring keys, the first `left` of which there are.
__device__ inline void store_scores(float* to, const float (&scores)[kGroupKeys], int left, std::uint64_t policy) {
  if (left >= kGroupKeys) {
    asm volatile("st.global.L2::cache_hint.v4.f32 [%0], {%1, %2, %3, %4}, %5;" ::"l"(to), "f"(scores[0]),
                 "f"(scores[1]), "f"(scores[2]), "f"(scores[3]), "l"(policy)
                 : "memory");
    return;
  }
#pragma unroll
  for (int i = 0; i + 1 < kGroupKeys; ++i) {
    if (i < left) to[i] = scores[i];
  }
}

// Which of four neighbouring keys from `key` on are in begin .. end - 1: bits 0 to 3.
__device__ inline unsigned keys_between(int key, int begin, int end) {
  const auto before = [](int keys) { return (1u << min(max(keys, 0), kGroupKeys)) - 1u; };
  return before(end - key) & ~before(begin - key);
}

// Writes and counts the scores of a lane's keys, of its head in each column tile.
template <class Heads>
__device__ __forceinline__ void write_grouped(const ScoreArguments& kernel, int length, int key, unsigned row,
                                              int heads_left, const LaneFactors<Heads>& factors,
                                              const TileSums<Heads::column_tiles>& sums, const HeadScale* scales,
                                              std::uint32_t counts, std::uint64_t policy) {
  const skt_score_packed_args& args = kernel.args;
  const int candidates_end = window_begin(length, kernel.bins.window);
#pragma unroll
  for (int column = 0; column < Heads::column_tiles; ++column) {
    int sets[kTileHalves][kGroupKeys];
#pragma unroll
    for (int half = 0; half < kTileHalves; ++half) {
#pragma unroll
      for (int i = 0; i < kGroupKeys; ++i) sets[half][i] = sums.set(column, half, i);
    }
    const int head = factors.head_of_lane(column);
    if (head >= heads_left) continue;
    const HeadScale scale = scales[head];
    float* out = args.scores + std::uint64_t{row + head} * static_cast<unsigned>(to_int(args.capacity)) + key;
#pragma unroll
    for (int half = 0; half < kTileHalves; ++half) {
      const int first = key + half * kHalfKeys;
      if (first >= length) break;
      const __half2* norms = reinterpret_cast<const __half2*>(&factors.norms[half]);
      const std::uint32_t allowed = factors.allowed[column][half];
      float scores[kGroupKeys];
#pragma unroll
      for (int i = 0; i < kGroupKeys; ++i) {
        const float norm = i % 2 == 0 ? __low2float(norms[i / 2]) : __high2float(norms[i / 2]);
        const float score = signed_score(sets[half][i], scale.all, scale.unit, norm);
        scores[i] = (allowed >> (8 * i) & 0xff) != 0 ? score : -INFINITY;
      }
      store_scores(out + half * kHalfKeys, scores, length - first, policy);
      if (kernel.bins.counts == nullptr) continue;
      const unsigned candidates = keys_between(first, kernel.bins.sink, candidates_end);
#pragma unroll
      for (int i = 0; i < kGroupKeys; ++i) {
        count_score(scores[i], candidates >> i & 1, kernel.bins.lowest, counts + 4 * head * kScoreBins);
      }
    }
  }
}

// Grid: [passes * ranges].
template <class Heads>
__global__ void __launch_bounds__(Heads::threads, 1) score_grouped_kernel(ScoreArguments kernel) {
  const bool rows_counted = kernel.progress.scored != nullptr;
  if (!rows_counted) launch_next_kernel();
  extern __shared__ __align__(16) std::byte shared[];
  const skt_score_packed_args& args = kernel.args;
  const Quads quads = {to_int(words_per_key(args.tables, args.planes))};
  const GroupedMemory<Heads> memory(shared, kernel.rows_at_once, quads);
  const int row_counts = counts_bytes<Heads>(kernel.bins.counts != nullptr);
  for (int i = threadIdx.x; i < kernel.rows_at_once * row_counts / 4; i += blockDim.x) memory.counts[i] = 0;
  // Settled codes and lengths need not wait.
  const bool settled = kernel.inputs == Inputs::settled;
  if (!settled) wait_for_previous_kernel();
  const Range<Heads> range(kernel);
  KvRow row = range.first_row(args);
  const unsigned warp = threadIdx.x / 32;
  Tile tile = Tile{range.begin, row}.moved_to(range.begin + warp, args, range.end);
  CodeRing<Heads::depth> ring(__cvta_generic_to_shared(shared) + warp * CodeRing<Heads::depth>::kBytes, tile, quads);
  ring.fill(args, quads, range.end);
  if (settled) wait_for_previous_kernel();
  if (rows_counted) launch_next_kernel();  // after the wait: gpu/decode/row_progress.cuh
  const std::int64_t head_floats = args.tables * half_table_entries(to_int(args.planes));
  const int group_key = static_cast<int>(threadIdx.x) % kWordLanes * kGroupKeys;
  const std::uint64_t policy = score_policy();
  while (row.begin < range.end) {
    const RowsHere here(kernel, row, range.end);
    const unsigned last_row = here.last.row;
    const auto half_sums_of = [&](int i, int head) {
      return args.half_tables + (range.row_of(here[i]) + head) * head_floats;
    };
    put_weights_of_rows<Heads::column_tiles>(args, here.rows, range.heads(), half_sums_of, memory.weights, quads);
    while (tile.index < range.end && tile.kv.row <= last_row) {
      const int place = tile.kv.row == row.row ? 0 : 1;
      const RowWeights<Heads::column_tiles> weights(memory.weights + place * memory.row_weights, quads);
      const int key = to_int((tile.index - tile.kv.begin) * kTileKeys) + group_key;
      const unsigned first_row = to_int(range.row_of(tile.kv));
      const LaneFactors<Heads> factors(args, tile.kv, key, first_row, range.heads_left);
      warp_barrier();  // lanes may have come apart where they wrote scores
      const auto sums =
          sums_of_tile<Heads::column_tiles>(args, ring, quads, range.end, __cvta_generic_to_shared(weights.begin));
      write_grouped<Heads>(kernel, tile.kv.length, key, first_row, range.heads_left, factors, sums, weights.scales,
                           __cvta_generic_to_shared(memory.counts) + place * row_counts, policy);
      tile = tile.moved_to(tile.index + blockDim.x / 32, args, range.end);
    }
    const RowsHere done(kernel, row, range.end);  // once more: registers are short where tiles are scored
    block_barrier();
    finish_rows(kernel, range, done, memory.counts);
    if (done.last.end() >= range.end) break;
    row = row_behind(args, done.last);
  }
}

}  // namespace skt::gpu
