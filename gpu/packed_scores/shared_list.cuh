// How do heads that share a kv head by the signed projection come to one score of a key, where they share a list?
//
// By gpu/functors/group_weights.hpp: the sum over heads of 2^(x - c), in bf16 and where the products of a tile are made, so
// that one score is written and counted where there were as many as heads. With w_h the weight of head h, or w_h + w_(h+4)
// where there are more than four, it is (w_0 + w_2) + (w_1 + w_3). Before its first tile a block makes the heads'
// normalisers c of its rows, from log-sums of the caller or of sampled tiles (gpu/packed_scores/prepare_rows.cuh).
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "gpu/device/barrier.cuh"
#include "gpu/functors/group_weights.hpp"
#include "gpu/functors/score_bins.hpp"
#include "gpu/packed_scores/grouped_products.cuh"
#include "gpu/packed_scores/grouped_weights.cuh"
#include "gpu/packed_scores/kernel.cuh"
#include "gpu/packed_scores/prepare_rows.cuh"
#include "gpu/packed_scores/writing.cuh"

namespace skt::gpu {

__device__ inline int head_of_lane(int lane, int set) {
  return set * kSetHeads + lane % kSetHeads;
}
// The own lane, which the compiler asks for anew where it stands: what follows from it in a loop over tiles is then not kept
// in registers that the loop has none of.
__device__ inline int own_lane_anew() {
  int lane = 0;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}

// Two scores as they are written (gpu/functors/fixed_weights.hpp), and as fp32 holds them.
__device__ __forceinline__ __nv_bfloat162 rounded_scores(float2 scores) {
  return __floats2bfloat162_rn(scores.x, scores.y);
}

// 16 lanes of a warp for normaliser_of_tiles().
struct TilesInLanes {
  float log_sum;

  __device__ float mine(unsigned) const { return log_sum; }
  template <class F>
  __device__ float sum(const F& f) const {
    return reduced(f, [](float a, float b) { return a + b; });
  }
  template <class F>
  __device__ float largest(const F& f) const {
    return reduced(f, [](float a, float b) { return fmaxf(a, b); });
  }

 private:
  template <class F, class Join>
  __device__ static float reduced(const F& f, const Join& join) {
    float number = f(threadIdx.x % kSampledTiles);
#pragma unroll
    for (int apart = int{kSampledTiles} / 2; apart > 0; apart /= 2) {
      number = join(number, __shfl_xor_sync(~0u, number, apart));
    }
    return number;
  }
};

// What a thread needs of the normalisers of a block's rows, 16 threads to a head of a row, whole warps: the log-sums of its
// sampled tiles, or that of all. Asked for ahead of the weights, behind whose barriers they arrive.
template <class Heads>
class Normalisers {
 public:
  __device__ Normalisers(const ScoreArguments& kernel, const Range<Heads>& range, const RowsHere& here)
      : kernel_(kernel), range_(range), here_(here), first_(load(threadIdx.x)) {}

  // Of all threads, behind a barrier of the block; ends with one.
  __device__ void put(std::byte* weights, int row_weights) const {
#pragma unroll 1
    for (int i = threadIdx.x; i < count(); i += blockDim.x) {
      const float log_sum = i < to_int(blockDim.x) ? first_ : load(i);
      const float normaliser = kernel_.args.log_sums == nullptr
                                   ? normaliser_of_tiles(tiles_of(i), TilesInLanes{log_sum})
                                   : normaliser_of_log_sum(log_sum);
      const RowWeights<Heads::sets> of_row(weights + row_of(i) * row_weights, Heads::words(kernel_));
      if (i % int{kSampledTiles} != 0) continue;
      of_row.scales[head_of(i)].offset = weight_offset(normaliser);
      // Of the block that has the row's first tile; others find the same.
      const KvRow& kv = here_[row_of(i)];
      if (kernel_.bins.normalisers != nullptr && kv.begin >= range_.begin && head_of(i) < range_.heads()) {
        kernel_.bins.normalisers[range_.row_of(kv) + head_of(i)] = normaliser;
      }
    }
    block_barrier();
  }

 private:
  __device__ int count() const { return here_.rows * Heads::heads * int{kSampledTiles}; }
  __device__ static int head_of(int i) { return i / int{kSampledTiles} % Heads::heads; }
  __device__ static int row_of(int i) { return i / int{kSampledTiles} / Heads::heads; }
  __device__ unsigned tiles_of(int i) const { return here_[row_of(i)].end() - here_[row_of(i)].begin; }
  __device__ float load(int i) const {
    if (i >= count() || head_of(i) >= range_.heads()) return -INFINITY;
    const std::int64_t head = range_.row_of(here_[row_of(i)]) + head_of(i);
    if (kernel_.args.log_sums != nullptr) return __ldcg(&kernel_.args.log_sums[head]);
    const unsigned tile = i % kSampledTiles;
    const float* tile_sums = PreparedRows<Heads::sets>(kernel_, Heads::words(kernel_)).tile_sums;
    return tile < sampled_tiles(tiles_of(i)) ? __ldcg(&tile_sums[head * kSampledTiles + tile]) : -INFINITY;
  }

  const ScoreArguments& kernel_;
  const Range<Heads>& range_;
  const RowsHere& here_;
  float first_;
};
// Where heads do not share a list there are none.
struct NoNormalisers {};
template <class Heads>
__device__ auto normalisers_of(const ScoreArguments& kernel, const Range<Heads>& range, const RowsHere& here) {
  if constexpr (Heads::shares) {
    return Normalisers<Heads>(kernel, range, here);
  } else {
    return NoNormalisers{};
  }
}

// Two weights side by side, added to two others. As words: an array of pairs that is chosen from goes to memory.
__device__ inline std::uint32_t sum_of_pairs(std::uint32_t a, std::uint32_t b) {
  __nv_bfloat162 pairs[2];
  memcpy(&pairs[0], &a, sizeof a);
  memcpy(&pairs[1], &b, sizeof b);
  const __nv_bfloat162 sum = __hadd2(pairs[0], pairs[1]);
  memcpy(&a, &sum, sizeof a);
  return a;
}

// Of four lanes that share keys each writes those of one quarter.
static_assert(kQuarters == kWordLanes && kSetHeads == kWordLanes);

// What a lane scores the tiles of a row with, which does not change from tile to tile.
template <class Heads>
struct SharedRow {
  std::uint32_t weights;  // the lane's, and below the row's counts: addresses of shared memory
  std::uint32_t counts;
  HeadScale scales[Heads::sets];        // of the lane's heads,
  std::uint32_t is_there[Heads::sets];  // and ones if there is such a head
  std::uint64_t scores;                 // the place of the row's first
  int candidates;                       // behind the sink, as far as the window
  int key;                              // of a tile, the first that the lane writes

  __device__ SharedRow(const ScoreArguments& kernel, const Range<Heads>& range, const KvRow& kv,
                       const RowWeights<Heads::sets>& of_row, std::uint32_t counts)
      : weights(of_row.of_lane(own_lane())),
        counts(counts),
        scores(static_cast<std::uint64_t>(range.list_of(kv)) * to_int(kernel.args.shape.capacity)),
        candidates(max(window_begin(kv.length, kernel.bins.window) - kernel.bins.sink, 0)),
        key(lane_key(own_lane(), own_lane() % kWordLanes)) {
#pragma unroll
    for (int set = 0; set < Heads::sets; ++set) {
      const int head = head_of_lane(own_lane(), set);
      scales[set] = of_row.scales[head];
      is_there[set] = head < range.heads_left ? ~0u : 0;
    }
  }
};

// Multiplies, writes and counts the tile that the ring has next, and has another one copied. `uncounted`: an address of
// shared memory for a score that no bin counts, as a branch around its addition takes longer.
template <class Heads>
__device__ __forceinline__ void score_shared_tile(const ScoreArguments& kernel, const Range<Heads>& range,
                                                  const Tile& tile, CodeRing& ring, const LaneWords& lane_words,
                                                  const SharedRow<Heads>& row, std::uint32_t uncounted,
                                                  std::uint64_t policy) {
  const skt_score_packed_args& args = kernel.args;
  const int length = tile.kv.length;
  const int lane = own_lane_anew();
  const int key = to_int(tile.in_row() * kTileKeys) + row.key;
  std::uint16_t allowed = 0x0101;
  if (args.mask.allowed != nullptr && key < length) {
    const TileFactors of_tile(kernel, tile, tile.page(kernel.pages, range.end));
    allowed = *reinterpret_cast<const std::uint16_t*>(of_tile.mask(args, to_int(range.head_of(tile.kv)), key));
  }
  const std::uint32_t codes = ring.wait(kernel);
  // Of the lane's head, and with two sets of the sum of its two, the weights of the two keys of each quarter. A loop, as the
  // compiler would else mix sums of one half among the products of the other, which wait for them then.
  std::uint32_t first_half[kHalfQuarters] = {};
  std::uint32_t half_weights[kHalfQuarters] = {};
#pragma unroll 1
  for (int half = 0; half < kTileHalves; ++half) {
    __half2 norms[kHalfQuarters];
#pragma unroll
    for (int i = 0; i < kHalfQuarters; ++i) {
      first_half[i] = half_weights[i];
      norms[i] = two_norms_at(codes + lane_words.norms + 2 * kQuarterKeys * (half * kHalfQuarters + i));
    }
#pragma unroll
    for (int set = 0; set < Heads::sets; ++set) {
      const BitCounts bits = counts_of_half<Heads>(lane_words, codes, half, row.weights, set);
      if (half == kTileHalves - 1 && set == Heads::sets - 1) {
        warp_barrier();
        ring.copy_next<Heads>(kernel, range.end);
      }
      const HeadScale& scale = row.scales[set];
#pragma unroll
      for (int i = 0; i < kHalfQuarters; ++i) {
        const auto bits_of = [&](int of_two, float norm) {
          const float scaled = scale.unit * static_cast<float>(2 * bits.set(i, of_two) - scale.all);
          return weight_bits(scaled, norm, scale.offset);
        };
        const std::uint32_t two =
            __byte_perm(bits_of(0, __low2float(norms[i])), bits_of(1, __high2float(norms[i])), 0x5410);
        const std::uint32_t of_head = two & row.is_there[set];
        half_weights[i] = set == 0 ? of_head : sum_of_pairs(half_weights[i], of_head);
      }
    }
  }
  // Each lane gives away the halves of what it has that it need not sum: it ends with one quarter of all heads.
  const auto joined = [](bool takes_second, std::uint32_t first, std::uint32_t second, int lanes) {
    const std::uint32_t given = __shfl_xor_sync(~0u, takes_second ? first : second, lanes);
    return sum_of_pairs(takes_second ? second : first, given);
  };
  const bool upper = (lane & 2) != 0;
  const std::uint32_t even_quarter = joined(upper, first_half[0], half_weights[0], 2);
  const std::uint32_t odd_quarter = joined(upper, first_half[1], half_weights[1], 2);
  std::uint32_t sums = joined((lane & 1) != 0, even_quarter, odd_quarter, 1);
  constexpr std::uint32_t kNever = 0xff80;  // -infinity
  if ((allowed & 0xff) == 0) sums = (sums & 0xffff0000u) | kNever;
  if (allowed <= 0xff) sums = (sums & 0xffffu) | kNever << 16;
  const float2 scores = {__uint_as_float(sums << 16), __uint_as_float(sums & 0xffff0000u)};
  const std::uint64_t at = row.scores + key;
  if (key + 1 < length) {
    if (args.score_type == SKT_BF16) {
      store_scores(static_cast<__nv_bfloat16*>(args.scores) + at, rounded_scores(scores), policy);
    } else {
      store_scores(static_cast<float*>(args.scores) + at, scores, policy);
    }
  } else if (key < length) {
    if (args.score_type == SKT_BF16) {
      static_cast<__nv_bfloat16*>(args.scores)[at] = __float2bfloat16_rn(scores.x);
    } else {
      static_cast<float*>(args.scores)[at] = scores.x;
    }
  }
  if (kernel.bins.counts != nullptr) {
    const auto count = [&](int of_two, float score) {
      const auto behind_sink = static_cast<unsigned>(key + of_two - kernel.bins.sink);
      const bool counts = behind_sink < static_cast<unsigned>(row.candidates) && may_be_selected(score);
      count_at(counts ? row.counts + 4 * bin_of_score(score, kernel.bins.lowest) : uncounted);
    };
    count(0, scores.x);
    count(1, scores.y);
  }
  warp_barrier();  // lanes may have come apart where they wrote scores
}

}  // namespace skt::gpu
