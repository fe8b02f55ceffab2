// Scores by the signed projection where query heads share a kv head, on the tensor cores.
//
// CPU twin: twin_grouped_score in gpu/check/references/host_twin.hpp, the same bits.
// Arithmetic and error: gpu/functors/fixed_weights.hpp; -infinity where not allowed.
// Floor: words_per_key * 4 bytes of codes and 2 of norm to a (key, kv head), 2 written to a score (fp32: 4); beside them, to 64
// keys and 256 bits, 16 products for four heads, and 56 additions to 64 keys, however many bits they have.
//
// Ranges, tiles and rows as for look-ups (gpu/packed_scores/kernel.cuh): one block to a multiprocessor, whose warps
// take tiles in turn. How a tile is multiplied: gpu/packed_scores/grouped_products.cuh.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "gpu/device/barrier.cuh"
#include "gpu/device/bulk_copy.cuh"
#include "gpu/device/launch.cuh"
#include "gpu/functors/score_bins.hpp"
#include "gpu/packed_scores/grouped_products.cuh"
#include "gpu/packed_scores/grouped_weights.cuh"
#include "gpu/packed_scores/kernel.cuh"
#include "gpu/packed_scores/prepare_rows.cuh"
#include "gpu/packed_scores/shared_list.cuh"
#include "gpu/packed_scores/writing.cuh"

namespace skt::gpu {

// The ring of a warp where heads share a list of keys of so many words, on a device of sm_90: what finds room beside two rows.
constexpr int list_ring_tiles(int words) {
  return words <= 10 ? kMostRingTiles : 2;
}

// `heads` query heads at once. `fixed_words`: of a key, known to the compiler, or 0. `shares`: whether they share a list
// (gpu/packed_scores/shared_list.cuh).
template <int sets_, int fixed_words_ = 0, bool shares_ = false>
struct GroupedHeads {
  static constexpr int sets = sets_;
  static constexpr int heads = sets * kSetHeads;
  static constexpr bool shares = shares_;
  static constexpr int lists = shares ? 1 : heads;
  static constexpr int threads = 512;  // of a block, at most
  static constexpr int fixed_words = fixed_words_;
  static constexpr int kUnrolled = fixed_words > 0 ? fixed_words : 1;  // of loops over words
  static constexpr int ring_tiles = shares && fixed_words > 0 ? list_ring_tiles(fixed_words) : 0;  // or not known

  __device__ static int words(const ScoreArguments& kernel) { return fixed_words > 0 ? fixed_words : kernel.words; }
};

// Shared memory of a block: the rings of its warps, the weights of its rows, their counts, and where heads share a list a word
// for scores that no bin counts.
template <class Heads>
struct GroupedMemory {
  using Weights = RowWeights<Heads::sets>;
  static constexpr int kUncountedBytes = Heads::shares ? 16 : 0;
  int row_weights;
  std::byte* weights;
  std::uint32_t* counts;
  std::uint32_t uncounted;  // an address of shared memory

  __device__ GroupedMemory(std::byte* memory, const ScoreArguments& kernel)
      : row_weights(Weights::bytes(Heads::words(kernel))),
        weights(memory + rings_bytes(blockDim.x / 32, kernel.ring_tiles, Heads::words(kernel))),
        counts(reinterpret_cast<std::uint32_t*>(weights + kernel.rows_at_once * row_weights)),
        uncounted(__cvta_generic_to_shared(counts) +
                  kernel.rows_at_once * counts_bytes<Heads>(kernel.bins.counts != nullptr)) {}
  __host__ __device__ static int rings_bytes(int warps, int tiles, int words) {
    return warps * CodeRing::bytes(tiles, words);
  }
  __host__ static int rows_bytes(int rows, int words, bool counted) {
    return rows * (Weights::bytes(words) + counts_bytes<Heads>(counted)) + (counted ? kUncountedBytes : 0);
  }
};

// Whether every key of a tile is there, allowed to all heads and, where scores are counted, a candidate; and all heads
// of a pass are there.
enum class Keys { all, some };

template <class Heads>
__device__ bool has_all_keys(const ScoreArguments& kernel, const Range<Heads>& range, int length, int first_key) {
  const bool counted = kernel.bins.counts != nullptr;
  const int begin = counted ? kernel.bins.sink : 0;
  const int end = counted ? window_begin(length, kernel.bins.window) : length;
  return kernel.args.mask.allowed == nullptr && range.heads_left >= Heads::heads && first_key >= begin &&
         first_key + int{kTileKeys} <= end;
}

// Two bytes of the mask to each quarter, of the lane's keys from `key` on and its head of each set; loaded before the
// products, which hides the wait.
template <class Heads, Keys keys>
struct LaneMasks {
  std::uint16_t allowed[Heads::sets][kQuarters];

  __device__ LaneMasks(const ScoreArguments& kernel, const Range<Heads>& range, const Tile& tile, int key) {
    if constexpr (keys == Keys::all) return;
    const skt_score_packed_args& args = kernel.args;
#pragma unroll
    for (int set = 0; set < Heads::sets; ++set) {
#pragma unroll
      for (int quarter = 0; quarter < kQuarters; ++quarter) allowed[set][quarter] = 0x0101;
    }
    if (args.mask.allowed == nullptr) return;
    const TileFactors of_tile(kernel, tile, tile.page(kernel.pages, range.end));
    const unsigned first_head = to_int(range.head_of(tile.kv));
#pragma unroll
    for (int set = 0; set < Heads::sets; ++set) {
      const int head = head_of_lane(own_lane(), set);
      if (head >= range.heads_left) return;
      const std::uint8_t* mask = of_tile.mask(args, first_head + head, key);
#pragma unroll
      for (int quarter = 0; quarter < kQuarters; ++quarter) {
        const int ahead = quarter * kQuarterKeys;
        if (key + ahead < tile.kv.length) allowed[set][quarter] = *reinterpret_cast<const std::uint16_t*>(mask + ahead);
      }
    }
  }
  __device__ float2 masked(float2 scores, int set, int quarter) const {
    if constexpr (keys == Keys::all) return scores;
    return {(allowed[set][quarter] & 0xff) != 0 ? scores.x : -INFINITY,
            allowed[set][quarter] > 0xff ? scores.y : -INFINITY};
  }
};

// Of the lane's keys from `key` on and its head of a set, in one half of a tile; `row` is the head's, of all rows.
template <Keys keys>
__device__ __forceinline__ void store_half(const ScoreArguments& kernel, int half, int length, int key,
                                           std::uint64_t row, const __nv_bfloat162 (&rounded)[kHalfQuarters],
                                           std::uint64_t policy) {
  const skt_score_packed_args& args = kernel.args;
  const std::uint64_t at = row * static_cast<unsigned>(to_int(args.shape.capacity)) + key;
#pragma unroll
  for (int i = 0; i < kHalfQuarters; ++i) {
    const int ahead = (half * kHalfQuarters + i) * kQuarterKeys;
    const bool both = keys == Keys::all || key + ahead + 1 < length;
    if (args.score_type == SKT_BF16) {
      auto* out = static_cast<__nv_bfloat16*>(args.scores) + at + ahead;
      if (both) {
        store_scores(out, rounded[i], policy);
      } else if (key + ahead < length) {
        *out = __low2bfloat16(rounded[i]);
      }
    } else {
      float* out = static_cast<float*>(args.scores) + at + ahead;
      const float2 scores = __bfloat1622float2(rounded[i]);
      if (both) {
        store_scores(out, scores, policy);
      } else if (key + ahead < length) {
        *out = scores.x;
      }
    }
  }
}

// Counts the same scores.
template <Keys keys>
__device__ __forceinline__ void count_half(const ScoreArguments& kernel, int half, int length, int key,
                                           const __nv_bfloat162 (&rounded)[kHalfQuarters], std::uint32_t counts) {
  if (kernel.bins.counts == nullptr) return;
  const std::uint32_t lowest = kernel.bins.lowest;
  float2 scores[kHalfQuarters];
#pragma unroll
  for (int i = 0; i < kHalfQuarters; ++i) scores[i] = __bfloat1622float2(rounded[i]);
  if constexpr (keys == Keys::all) {
    // One branch for all. That some cannot be selected, as NaN cannot, is rare.
    bool all = true;
#pragma unroll
    for (int i = 0; i < kHalfQuarters; ++i) all = all && may_be_selected(scores[i].x) && may_be_selected(scores[i].y);
    if (all) {
#pragma unroll
      for (int i = 0; i < kHalfQuarters; ++i) {
        count_selectable(scores[i].x, lowest, counts);
        count_selectable(scores[i].y, lowest, counts);
      }
      return;
    }
  }
  const int candidates_end = window_begin(length, kernel.bins.window);
#pragma unroll
  for (int i = 0; i < kHalfQuarters; ++i) {
    const int first = key + (half * kHalfQuarters + i) * kQuarterKeys;
    const auto is_candidate = [&](int at) {
      return keys == Keys::all || (at >= kernel.bins.sink && at < candidates_end);
    };
    count_score(scores[i].x, is_candidate(first), BinOfStep{lowest}, counts);
    count_score(scores[i].y, is_candidate(first + 1), BinOfStep{lowest}, counts);
  }
}

// Brings the prepared weights of a block's rows to its shared memory.
template <class Heads>
class CopiedWeights {
 public:
  __device__ CopiedWeights(const ScoreArguments& kernel, const Range<Heads>& range, const RowsHere& here, int row_bytes)
      : row_pieces_(row_bytes / int{sizeof(uint4)}), rows_(here.rows) {
    const std::byte* all = PreparedRows<Heads::sets>(kernel, Heads::words(kernel)).weights;
    const auto of_row = [&](const KvRow& kv) {
      return (range.kv_list_of(kv) * kernel.passes + range.pass) * row_bytes;
    };
    rows_at_[0] = reinterpret_cast<const uint4*>(all + of_row(here.first));
    rows_at_[1] = reinterpret_cast<const uint4*>(all + of_row(here.last));
    const int thread = threadIdx.x;
    if (thread < rows_ * row_pieces_) first_ = piece(thread);
  }
  // Of all threads, behind a barrier of those that read others' weights there, and before one.
  __device__ void put(std::byte* weights) const {
    for (int i = threadIdx.x; i < rows_ * row_pieces_; i += blockDim.x) {
      reinterpret_cast<uint4*>(weights)[i] = i < to_int(blockDim.x) ? first_ : piece(i);
    }
  }

 private:
  __device__ uint4 piece(int i) const {
    return __ldcg(i < row_pieces_ ? rows_at_[0] + i : rows_at_[1] + i - row_pieces_);
  }

  const uint4* rows_at_[2];
  int row_pieces_, rows_;
  uint4 first_ = {};
};

// Multiplies, writes and counts the tile that the ring has next, and has another one copied. `weights` and `counts`:
// those of the tile's row.
template <class Heads, Keys keys>
__device__ __forceinline__ void score_grouped_tile(const ScoreArguments& kernel, const Range<Heads>& range,
                                                   const Tile& tile, CodeRing& ring, const LaneWords& lane_words,
                                                   const RowWeights<Heads::sets>& weights, std::uint32_t counts,
                                                   std::uint64_t policy) {
  const int words = Heads::words(kernel);
  const std::uint32_t lane_weights = weights.of_lane(own_lane());
  const int key = to_int(tile.in_row() * kTileKeys) + lane_key(own_lane(), 0);
  const unsigned first_row = to_int(range.list_of(tile.kv));
  const LaneMasks<Heads, keys> masks(kernel, range, tile, key);
  const std::uint32_t codes = ring.wait(kernel);
  __half2 norms[kQuarters];
#pragma unroll
  for (int quarter = 0; quarter < kQuarters; ++quarter) {
    norms[quarter] = two_norms_at(codes + words * kWordBytes + 2 * lane_key(own_lane(), quarter));
  }
#pragma unroll
  for (int half = 0; half < kTileHalves; ++half) {
#pragma unroll
    for (int set = 0; set < Heads::sets; ++set) {
      const BitCounts bits = counts_of_half<Heads>(lane_words, codes, half, lane_weights, set);
      if (half == kTileHalves - 1 && set == Heads::sets - 1) {
        warp_barrier();
        ring.copy_next<Heads>(kernel, range.end);
      }
      const int head = head_of_lane(own_lane(), set);
      if (keys == Keys::all || head < range.heads_left) {
        const HeadScale& scale = weights.scales[head];
        __nv_bfloat162 scores[kHalfQuarters];
#pragma unroll
        for (int i = 0; i < kHalfQuarters; ++i) {
          const int quarter = half * kHalfQuarters + i;
          scores[i] = rounded_scores(
              masks.masked({signed_score(bits.set(i, 0), scale.all, scale.unit, __low2float(norms[quarter])),
                            signed_score(bits.set(i, 1), scale.all, scale.unit, __high2float(norms[quarter]))},
                           set, quarter));
        }
        store_half<keys>(kernel, half, tile.kv.length, key, first_row + head, scores, policy);
        count_half<keys>(kernel, half, tile.kv.length, key, scores, counts + 4 * head * kScoreBins);
      }
      warp_barrier();  // lanes may have come apart where they wrote scores
    }
  }
}

// Of all threads, before a barrier.
template <class Heads>
__device__ void clear_counts(const ScoreArguments& kernel, std::uint32_t* counts) {
  const int fours = kernel.rows_at_once * counts_bytes<Heads>(kernel.bins.counts != nullptr) / int{sizeof(uint4)};
  for (int i = threadIdx.x; i < fours; i += blockDim.x) reinterpret_cast<uint4*>(counts)[i] = {};
}

// Like finish_rows(), and has the barrier before it too. Where there are bulk additions, the counts of all heads of a
// row are one, as atomic additions took 2.6 us more; and counts are cleared only where more rows follow.
template <class Heads>
__device__ __forceinline__ void finish_grouped_rows(const ScoreArguments& kernel, const Range<Heads>& range,
                                                    const RowsHere& here, std::uint32_t* counts, bool more) {
  if constexpr (kHasBulkCopies) {
    const bool counted = kernel.bins.counts != nullptr;
    if (counted) show_to_bulk_additions();
    block_barrier();
    if (counted && threadIdx.x == 0) {
      for (int i = 0; i < here.rows; ++i) {
        bulk_add(&kernel.bins.counts[range.list_of(here[i]) * kScoreBins],
                 __cvta_generic_to_shared(counts + i * Heads::lists * kScoreBins),
                 range.lists() * kScoreBins * int{sizeof(std::uint32_t)});
      }
      wait_for_bulk_additions();
    }
    if (more) {
      block_barrier();
      clear_counts<Heads>(kernel, counts);
    } else {
      warp_barrier();  // count_tiles() is of the first warp's lanes
    }
    count_tiles(kernel, range, here);
  } else {
    block_barrier();
    finish_rows(kernel, range, here, counts);
  }
}

// Grid: [passes * ranges, query rows].
template <class Heads, Serves serves>
__global__ void __launch_bounds__(Heads::threads, 1) score_grouped_kernel(ScoreArguments kernel) {
  leave_out<serves>(kernel);
  if constexpr (serves == Serves::step) kernel.args.score_type = SKT_BF16;
  if constexpr (Heads::ring_tiles > 0) kernel.ring_tiles = Heads::ring_tiles;
  if constexpr (Heads::shares && Heads::sets == 1) kernel.passes = 1;  // more heads have the kernel of two sets
  const bool rows_counted = kernel.progress.scored != nullptr;
  if (!rows_counted) launch_next_kernel();
  extern __shared__ __align__(16) std::byte shared[];
  const skt_score_packed_args& args = kernel.args;
  const GroupedMemory<Heads> memory(shared, kernel);
  const int row_counts = counts_bytes<Heads>(kernel.bins.counts != nullptr);
  // Settled codes and lengths need not wait.
  const bool in_flight = kernel.inputs == Inputs::may_be_in_flight;
  if (in_flight) wait_for_previous_kernel();
  const Range<Heads> range(kernel);
  KvRow row = range.first_row(args);
  const unsigned warp = threadIdx.x / 32;
  Tile tile = Tile{range.begin, row}.moved_to(range.begin + warp, args, range.end);
  const int words = Heads::words(kernel);
  CodeRing ring(__cvta_generic_to_shared(shared) + warp * CodeRing::bytes(kernel.ring_tiles, words), kernel, tile,
                range.end);
  // Not all, as the kernel before this one would wait for them with its few bytes.
  const int ahead = (kernel.ring_tiles + 1) / 2;
  int copied = 0;
  for (; copied < ahead; ++copied) ring.copy_next<Heads>(kernel, range.end);
  clear_counts<Heads>(kernel, memory.counts);
  if (!in_flight) wait_for_previous_kernel();
  if (rows_counted) launch_next_kernel();  // after the wait: gpu/decode/row_progress.cuh
  const std::uint64_t policy = score_policy();
  const LaneWords lane_words(own_lane(), words);
  while (row.begin < range.end) {
    const RowsHere here(kernel, row, range.end);
    const unsigned last_row = here.last.row;
    const CopiedWeights<Heads> weights_of_rows(kernel, range, here, memory.row_weights);
    const auto normalisers = normalisers_of<Heads>(kernel, range, here);
    weights_of_rows.put(memory.weights);
    block_barrier();
    if constexpr (Heads::shares) normalisers.put(memory.weights, memory.row_weights);
    for (; copied < kernel.ring_tiles; ++copied) ring.copy_next<Heads>(kernel, range.end);
    while (tile.index < range.end && tile.kv.row <= last_row) {
      const int place = tile.kv.row == row.row ? 0 : 1;
      const RowWeights<Heads::sets> weights(memory.weights + place * memory.row_weights, words);
      const std::uint32_t counts = __cvta_generic_to_shared(memory.counts) + place * row_counts;
      if constexpr (Heads::shares) {
        const SharedRow<Heads> of_row(kernel, range, tile.kv, weights, counts);
        const unsigned row_end = min(range.end, tile.kv.end());
        for (; row_end > tile.index; tile.index += blockDim.x / 32) {
          score_shared_tile<Heads>(kernel, range, tile, ring, lane_words, of_row, memory.uncounted, policy);
        }
        tile = tile.moved_to(tile.index, args, range.end);
        continue;
      }
      if (has_all_keys(kernel, range, tile.kv.length, to_int(tile.in_row() * kTileKeys))) {
        score_grouped_tile<Heads, Keys::all>(kernel, range, tile, ring, lane_words, weights, counts, policy);
      } else {
        score_grouped_tile<Heads, Keys::some>(kernel, range, tile, ring, lane_words, weights, counts, policy);
      }
      tile = tile.moved_to(tile.index + blockDim.x / 32, args, range.end);
    }
    const RowsHere done(kernel, row, range.end);  // once more: registers are short where tiles are scored
    const bool more = done.last.end() < range.end;
    finish_grouped_rows(kernel, range, done, memory.counts, more);
    if (!more) break;
    row = row_behind(args, done.last);
  }
}

}  // namespace skt::gpu
