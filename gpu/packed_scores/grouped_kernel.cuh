// Scores by the signed projection where query heads share a kv head, on the tensor cores.
//
// CPU twin: twin_grouped_score in gpu/check/references/host_twin.hpp, the same bits.
// Arithmetic and error: gpu/functors/fixed_weights.hpp; -infinity where not allowed.
// Floor: words_per_key * 4 bytes of codes and 2 of norm to a (key, kv head), 4 written to a score; beside them, to 64
// keys and 256 bits, 48 products for four heads, and 88 additions to 64 keys, however many bits they have.
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
template <int sets_, int threads_>
struct GroupedHeads {
  static constexpr int sets = sets_;
  static constexpr int heads = sets * kSetHeads;
  static constexpr int threads = threads_;  // of a block, at most
};

// Shared memory of a block: the rings of its warps, the weights of its rows, their counts.
template <class Heads>
struct GroupedMemory {
  using Weights = RowWeights<Heads::sets>;
  int row_weights;
  std::byte* weights;
  std::uint32_t* counts;

  __device__ GroupedMemory(std::byte* memory, const ScoreArguments& kernel)
      : row_weights(Weights::bytes(kernel.words)),
        weights(memory + rings_bytes(blockDim.x / 32, kernel.ring_tiles, kernel.words)),
        counts(reinterpret_cast<std::uint32_t*>(weights + kernel.rows_at_once * row_weights)) {}
  __host__ __device__ static int rings_bytes(int warps, int tiles, int words) {
    return warps * CodeRing::bytes(tiles, words);
  }
  __host__ static int rows_bytes(int rows, int words, bool counted) {
    return rows * (Weights::bytes(words) + counts_bytes<Heads>(counted));
  }
};

// What a lane's scores need beside the sums; loaded before them, which hides the wait.
template <class Heads>
struct LaneFactors {
  __half2 norms[kQuarters] = {};
  std::uint16_t allowed[Heads::sets][kQuarters];  // two bytes of the mask

  // `key` is the lane's first, `first_head` the first head's among [batch, heads].
  __device__ LaneFactors(const ScoreArguments& kernel, const Tile& tile, std::int32_t page, int key,
                         unsigned first_head, int heads_left) {
    const skt_score_packed_args& args = kernel.args;
    const int length = tile.kv.length;
    const TileFactors of_tile(kernel, tile, page);
    const __half* of_keys = of_tile.norms + key % unsigned{kTileKeys};
#pragma unroll
    for (int quarter = 0; quarter < kQuarters; ++quarter) {
      const int ahead = quarter * kQuarterKeys;
      if (key + ahead < length) norms[quarter] = *reinterpret_cast<const __half2*>(of_keys + ahead);
#pragma unroll
      for (int set = 0; set < Heads::sets; ++set) allowed[set][quarter] = 0x0101;
    }
    if (args.allowed == nullptr) return;
#pragma unroll
    for (int set = 0; set < Heads::sets; ++set) {
      const int head = head_of_lane(set);
      if (head >= heads_left) return;
      const std::uint8_t* mask = of_tile.mask(args, first_head + head, key);
#pragma unroll
      for (int quarter = 0; quarter < kQuarters; ++quarter) {
        const int ahead = quarter * kQuarterKeys;
        if (key + ahead < length) allowed[set][quarter] = *reinterpret_cast<const std::uint16_t*>(mask + ahead);
      }
    }
  }
  __device__ static int head_of_lane(int set) { return set * kSetHeads + static_cast<int>(threadIdx.x) % kSetHeads; }
};

// Writes and counts the scores of one half of a tile and one set: of the lane's head and its keys from `key` on.
template <class Heads>
__device__ __forceinline__ void write_half(const ScoreArguments& kernel, const LaneFactors<Heads>& factors, int set,
                                           int half, int length, int key, float* out, const BitCounts& bits,
                                           const HeadScale& scale, std::uint32_t counts, std::uint64_t policy) {
  float2 scores[kHalfQuarters];
#pragma unroll
  for (int i = 0; i < kHalfQuarters; ++i) {
    const int quarter = half * kHalfQuarters + i;
    const std::uint16_t allowed = factors.allowed[set][quarter];
    const float first = signed_score(bits.set(i, 0), scale.all, scale.unit, __low2float(factors.norms[quarter]));
    const float second = signed_score(bits.set(i, 1), scale.all, scale.unit, __high2float(factors.norms[quarter]));
    scores[i] = {(allowed & 0xff) != 0 ? first : -INFINITY, allowed > 0xff ? second : -INFINITY};
  }
#pragma unroll
  for (int i = 0; i < kHalfQuarters; ++i) {
    const int ahead = (half * kHalfQuarters + i) * kQuarterKeys;
    if (key + ahead + 1 < length) {
      store_scores(out + ahead, scores[i], policy);
    } else if (key + ahead < length) {
      out[ahead] = scores[i].x;
    }
  }
  if (kernel.bins.counts == nullptr) return;
  const int candidates_end = window_begin(length, kernel.bins.window);
#pragma unroll
  for (int i = 0; i < kHalfQuarters; ++i) {
    const int first = key + (half * kHalfQuarters + i) * kQuarterKeys;
    const auto is_candidate = [&](int at) { return at >= kernel.bins.sink && at < candidates_end; };
    count_score(scores[i].x, is_candidate(first), kernel.bins.lowest, counts);
    count_score(scores[i].y, is_candidate(first + 1), kernel.bins.lowest, counts);
  }
}

// Multiplies, writes and counts the tile that the ring has next, and has another one copied. `page`: where the tile lies,
// then the warp's next. `weights` and `counts`: those of the tile's row.
template <class Heads>
__device__ __forceinline__ void score_grouped_tile(const ScoreArguments& kernel, const Range<Heads>& range,
                                                   const Tile& tile, std::int32_t& page, CodeRing& ring,
                                                   const RowWeights<Heads::sets>& weights, std::uint32_t counts,
                                                   std::uint64_t policy) {
  const skt_score_packed_args& args = kernel.args;
  const int group_key = static_cast<int>(threadIdx.x) % 32 / kSetHeads * 2;
  const int key = to_int((tile.index - tile.kv.begin) * kTileKeys) + group_key;
  const unsigned first_row = to_int(range.row_of(tile.kv));
  const LaneFactors<Heads> factors(kernel, tile, page, key, to_int(range.head_of(tile.kv)), range.heads_left);
  page = tile.next_page(kernel, range.end);
  const std::uint32_t codes = ring.wait(kernel);
  std::uint32_t zero = 0;
#pragma unroll
  for (int half = 0; half < kTileHalves; ++half) {
#pragma unroll
    for (int set = 0; set < Heads::sets; ++set) {
      const BitCounts bits =
          counts_of_half(codes, half, kernel.words, __cvta_generic_to_shared(weights.begin) + set * kSetBytes,
                         RowWeights<Heads::sets>::kStepBytes);
      zero |= bits.zero_when_read();
      if (half == kTileHalves - 1 && set == Heads::sets - 1) {
        warp_barrier();
        ring.copy_next(kernel, range.end, zero);
      }
      const int head = factors.head_of_lane(set);
      if (head < range.heads_left) {
        float* out = args.scores + std::uint64_t{first_row + head} * static_cast<unsigned>(to_int(args.capacity)) + key;
        write_half<Heads>(kernel, factors, set, half, tile.kv.length, key, out, bits, weights.scales[head],
                          counts + 4 * head * kScoreBins, policy);
      }
      warp_barrier();  // lanes may have come apart where they wrote scores
    }
  }
}

// Of all threads, before a barrier.
template <class Heads>
__device__ void clear_counts(const ScoreArguments& kernel, std::uint32_t* counts) {
  const int words = kernel.rows_at_once * counts_bytes<Heads>(kernel.bins.counts != nullptr) / 4;
  for (int i = threadIdx.x; i < words; i += blockDim.x) counts[i] = 0;
}

// Like finish_rows(), and has the barrier before it too. The counts of all heads of a row are one bulk addition where
// there is one: as atomic additions they took 2.6 us more.
template <class Heads>
__device__ __forceinline__ void finish_grouped_rows(const ScoreArguments& kernel, const Range<Heads>& range,
                                                    const RowsHere& here, std::uint32_t* counts) {
  if constexpr (kHasBulkCopies) {
    const bool counted = kernel.bins.counts != nullptr;
    if (counted) show_to_bulk_additions();
    block_barrier();
    if (counted && threadIdx.x == 0) {
      for (int i = 0; i < here.rows; ++i) {
        bulk_add(&kernel.bins.counts[range.row_of(here[i]) * kScoreBins],
                 __cvta_generic_to_shared(counts + i * Heads::heads * kScoreBins),
                 range.heads() * kScoreBins * int{sizeof(std::uint32_t)});
      }
      wait_for_bulk_additions();
    }
    block_barrier();
    clear_counts<Heads>(kernel, counts);
    count_tiles(kernel, range, here);
  } else {
    block_barrier();
    finish_rows(kernel, range, here, counts);
  }
}

// Grid: [passes * ranges, query rows].
template <class Heads>
__global__ void __launch_bounds__(Heads::threads, 1) score_grouped_kernel(ScoreArguments kernel) {
  const bool rows_counted = kernel.progress.scored != nullptr;
  if (!rows_counted) launch_next_kernel();
  extern __shared__ __align__(16) std::byte shared[];
  const skt_score_packed_args& args = kernel.args;
  const GroupedMemory<Heads> memory(shared, kernel);
  const int row_counts = counts_bytes<Heads>(kernel.bins.counts != nullptr);
  clear_counts<Heads>(kernel, memory.counts);
  // Settled codes and lengths need not wait.
  const bool settled = kernel.inputs == Inputs::settled;
  if (!settled) wait_for_previous_kernel();
  const Range<Heads> range(kernel);
  KvRow row = range.first_row(args);
  const unsigned warp = threadIdx.x / 32;
  Tile tile = Tile{range.begin, row}.moved_to(range.begin + warp, args, range.end);
  std::int32_t page = tile.page(kernel.pages, range.end);
  const int ring_bytes = CodeRing::bytes(kernel.ring_tiles, kernel.words);
  CodeRing ring(__cvta_generic_to_shared(shared) + warp * ring_bytes, kernel, tile, range.end);
  ring.fill(kernel, range.end);
  if (settled) wait_for_previous_kernel();
  if (rows_counted) launch_next_kernel();  // after the wait: gpu/decode/row_progress.cuh
  const std::int64_t head_floats = args.tables * half_table_entries(to_int(args.planes));
  const std::uint64_t policy = score_policy();
  while (row.begin < range.end) {
    const RowsHere here(kernel, row, range.end);
    const unsigned last_row = here.last.row;
    const auto half_sums_of = [&](int i) { return args.half_tables + range.row_of(here[i]) * head_floats; };
    put_weights_of_rows<Heads::sets>(args, here.rows, range.heads(), half_sums_of, memory.weights, kernel.words);
    while (tile.index < range.end && tile.kv.row <= last_row) {
      const int place = tile.kv.row == row.row ? 0 : 1;
      const RowWeights<Heads::sets> weights(memory.weights + place * memory.row_weights, kernel.words);
      score_grouped_tile<Heads>(kernel, range, tile, page, ring, weights,
                                __cvta_generic_to_shared(memory.counts) + place * row_counts, policy);
      tile = tile.moved_to(tile.index + blockDim.x / 32, args, range.end);
    }
    const RowsHere done(kernel, row, range.end);  // once more: registers are short where tiles are scored
    finish_grouped_rows(kernel, range, done, memory.counts);
    if (done.last.end() >= range.end) break;
    row = row_behind(args, done.last);
  }
}

}  // namespace skt::gpu
