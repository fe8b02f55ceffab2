// How do heads that share a kv head by the signed projection come to one score of a key, where they share a list?
//
// By gpu/functors/group_weights.hpp: the sum over heads of 2^(x - c), in bf16 and where the products of a tile are made, so
// that one score is written and counted where there were as many as heads. With w_h the weight of head h, or w_h + w_(h+4)
// where there are more than four, it is (w_0 + w_2) + (w_1 + w_3). Before its first tile a block finds the heads'
// normalisers c of its rows, of 16 tiles of the row, a warp to a tile, read from the index itself: their codes are in L2,
// as every block reads them, and the rings are full of the tiles to come.
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

// Log-sums of the sampled tiles, [rows of the block, heads, sampled tiles], in shared memory.
template <class Heads>
struct SampledSums {
  static constexpr int kRowBytes = Heads::shares ? int{kSampledTiles} * Heads::heads * int{sizeof(float)} : 0;
  float* begin;

  __device__ float& at(int row, unsigned tile, int head) const {
    return begin[(row * Heads::heads + head) * kSampledTiles + tile];
  }
};

// The same for the lanes that have a head in common, by exchanges between them.
template <class F>
__device__ float over_keys_of_head(float mine, const F& f) {
#pragma unroll
  for (int lanes = kWordLanes; lanes < 32; lanes *= 2) mine = f(mine, __shfl_xor_sync(~0u, mine, lanes));
  return mine;
}

// Whether the mask lets a key of tile `in_row` of a row be selected.
template <class Heads>
__device__ bool is_allowed(const ScoreArguments& kernel, const Range<Heads>& range, const KvRow& kv, unsigned in_row,
                           int key) {
  const skt_score_packed_args& args = kernel.args;
  if (args.mask.allowed == nullptr) return true;
  const std::int32_t page = kernel.pages.paged() ? kernel.pages.page_of(kv.row, in_row) : 0;
  return *TileFactors(kernel, {kv.begin + in_row, kv}, page).mask(args, to_int(range.head_of(kv)), key) != 0;
}

// The words and norms that a lane needs of a sampled tile, in registers: those of a block's first row are asked for before
// its rings are filled, behind whose copies they would wait for several microseconds. Where there are too many
// words, or the compiler does not know how many, they are read where they are multiplied.
template <class Heads>
struct SampledTile {
  static constexpr bool kKept = Heads::fixed_words > 0 && Heads::fixed_words <= 10;
  static constexpr int kWords = kKept ? words_of_lane(Heads::fixed_words) : 1;
  const std::byte* codes;  // of the lane's first word and key
  __half2 norms[kQuarters];
  uint2 kept[kQuarters][kWords];

  // Has the memory bring to L2 what the i-th will be loaded from.
  __device__ static void prefetch(const ScoreArguments& kernel, const KvRow& kv, unsigned i) {
    const unsigned in_row = sampled_tile(i, kv.end() - kv.begin);
    const std::int32_t page = kernel.pages.paged() ? kernel.pages.page_of(kv.row, in_row) : 0;
    const std::uint32_t* words = Tile{kv.begin + in_row, kv}.codes(kernel, Heads::words(kernel), page);
#if __CUDA_ARCH__ >= 900
    for (int word = own_lane(); word < 2 * Heads::words(kernel); word += 32) {  // lines of half a word's keys
      asm volatile("prefetch.global.L2 [%0];" ::"l"(words + word * 32));
    }
#endif
  }
  // The i-th of the sampled tiles of a row.
  __device__ void load(const ScoreArguments& kernel, const KvRow& kv, unsigned i) {
    const unsigned in_row = sampled_tile(i, kv.end() - kv.begin);
    const Tile tile = {kv.begin + in_row, kv};
    const std::int32_t page = kernel.pages.paged() ? kernel.pages.page_of(kv.row, in_row) : 0;
    const TileFactors of_tile(kernel, tile, page);
    const LaneWords lane(own_lane(), Heads::words(kernel));
    codes =
        reinterpret_cast<const std::byte*>(tile.codes(kernel, Heads::words(kernel), page)) + lane.first * kWordBytes;
#pragma unroll
    for (int quarter = 0; quarter < kQuarters; ++quarter) {
      norms[quarter] = *reinterpret_cast<const __half2*>(of_tile.norms + lane_key(own_lane(), quarter));
      if constexpr (kKept) {
#pragma unroll
        for (int word = 0; word < kWords; ++word) kept[quarter][word] = read(quarter, lane.bytes_to(word));
      }
    }
  }
  __device__ uint2 read(int quarter, int bytes) const {
    return two_words_at(codes + bytes + lane_key(own_lane(), quarter) * 4);
  }
  __device__ auto of_half(int half, const LaneWords& lane) const {
    return [this, half, lane](int quarter, int word) {
      if constexpr (kKept) return kept[half * kHalfQuarters + quarter][word];
      return read(half * kHalfQuarters + quarter, lane.bytes_to(word));
    };
  }
};

// The warp's sampled tile of the first of a block's rows; nothing where heads do not share a list.
template <class Heads>
struct NothingSampled {};
template <class Heads>
using FirstSample = std::conditional_t<Heads::shares, SampledTile<Heads>, NothingSampled<Heads>>;

// Asks for it, where its normalisers are not given.
template <class Heads>
__device__ void load_first_sample(const ScoreArguments& kernel, const Range<Heads>& range, const KvRow& row,
                                  FirstSample<Heads>& sample) {
  if constexpr (Heads::shares) {
    if (row.begin >= range.end || kernel.args.log_sums != nullptr) return;
    const unsigned warp = threadIdx.x / 32;
    if (warp < sampled_tiles(row.end() - row.begin)) sample.load(kernel, row, warp);
    const RowsHere here(kernel, row, range.end);
    if (here.rows < 2) return;
    for (unsigned i = warp; i < sampled_tiles(here.last.end() - here.last.begin); i += blockDim.x / 32) {
      SampledTile<Heads>::prefetch(kernel, here.last, i);
    }
  }
}

// Of the lane's head of a set, over the keys of tile `in_row` of a row that may be selected; in steps.
template <class Heads>
__device__ float log_sum_of_tile(const ScoreArguments& kernel, const Range<Heads>& range, const KvRow& kv,
                                 unsigned in_row, const SampledTile<Heads>& tile,
                                 const RowWeights<Heads::sets>& weights, int set) {
  const HeadScale& scale = weights.scales[head_of_lane(own_lane(), set)];
  float logits[2 * kQuarters];
  float largest = -INFINITY;
#pragma unroll
  for (int half = 0; half < kTileHalves; ++half) {
    const BitCounts bits = counts_of_half<Heads>(own_lane(), tile, half, Heads::words(kernel),
                                                 __cvta_generic_to_shared(weights.begin), set);
#pragma unroll
    for (int i = 0; i < kHalfQuarters; ++i) {
#pragma unroll
      for (int of_two = 0; of_two < 2; ++of_two) {
        const int quarter = half * kHalfQuarters + i;
        const int key = to_int(in_row * kTileKeys) + lane_key(own_lane(), quarter) + of_two;
        const float norm = of_two == 0 ? __low2float(tile.norms[quarter]) : __high2float(tile.norms[quarter]);
        float logit = signed_score(bits.set(i, of_two), scale.all, scale.unit, norm);
        if (key >= kv.length || !is_allowed(kernel, range, kv, in_row, key)) logit = -INFINITY;
        logits[2 * quarter + of_two] = logit;
        largest = fmaxf(largest, logit);
      }
    }
  }
  largest = over_keys_of_head(largest, [](float a, float b) { return fmaxf(a, b); });
  const float taken_out = finite_normaliser(largest);
  float sum = 0;
#pragma unroll
  for (const float logit : logits) sum += may_be_selected(logit) ? weight_power(logit - taken_out) : 0.0f;
  sum = over_keys_of_head(sum, [](float a, float b) { return a + b; });
  return largest > -INFINITY ? largest + steps_of(sum) : -INFINITY;
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

// Of the rows whose weights are there; `first` is the warp's sampled tile of the first, where it has one. Of all threads;
// ends with a barrier of the block.
template <class Heads>
__device__ void put_normalisers(const ScoreArguments& kernel, const Range<Heads>& range, const RowsHere& here,
                                const SampledTile<Heads>& first, std::byte* weights, int row_weights,
                                const SampledSums<Heads>& sums) {
  const skt_score_packed_args& args = kernel.args;
  const int warps = blockDim.x / 32;
  const auto weights_of = [&](int row) {
    return RowWeights<Heads::sets>(weights + row * row_weights, Heads::words(kernel));
  };
  const auto tiles_of = [&](int row) { return here[row].end() - here[row].begin; };
  const auto put_sums = [&](int row, unsigned i, const SampledTile<Heads>& tile) {
#pragma unroll
    for (int set = 0; set < Heads::sets; ++set) {
      const float log_sum =
          log_sum_of_tile<Heads>(kernel, range, here[row], sampled_tile(i, tiles_of(row)), tile, weights_of(row), set);
      if (own_lane() < kSetHeads) sums.at(row, i, head_of_lane(own_lane(), set)) = log_sum;
    }
  };
  if (args.log_sums == nullptr) {
    const unsigned warp = threadIdx.x / 32;
    if (warp < sampled_tiles(tiles_of(0))) put_sums(0, warp, first);
#pragma unroll 1
    for (int row = 0; row < here.rows; ++row) {
#pragma unroll 1
      for (unsigned i = row == 0 ? warp + warps : warp; i < sampled_tiles(tiles_of(row)); i += warps) {
        SampledTile<Heads> tile;
        tile.load(kernel, here[row], i);
        put_sums(row, i, tile);
      }
    }
    block_barrier();
  }
  // 16 lanes to a head of a row, whole warps.
#pragma unroll 1
  for (int i = threadIdx.x; i < here.rows * Heads::heads * int{kSampledTiles}; i += blockDim.x) {
    const unsigned tile = i % kSampledTiles;
    const int head = i / int{kSampledTiles} % Heads::heads;
    const int row = i / int{kSampledTiles} / Heads::heads;
    float normaliser = 0;
    if (args.log_sums == nullptr) {
      const unsigned tiles = tiles_of(row);
      normaliser =
          normaliser_of_tiles(tiles, TilesInLanes{tile < sampled_tiles(tiles) ? sums.at(row, tile, head) : -INFINITY});
    } else if (head < range.heads()) {
      normaliser = normaliser_of_log_sum(__ldcg(&args.log_sums[range.row_of(here[row]) + head]));
    }
    if (tile != 0) continue;
    weights_of(row).scales[head].offset = weight_offset(normaliser);
    // Of the block that has the row's first tile; others find the same.
    if (kernel.bins.normalisers != nullptr && here[row].begin >= range.begin && head < range.heads()) {
      kernel.bins.normalisers[range.row_of(here[row]) + head] = normaliser;
    }
  }
  block_barrier();
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

// Multiplies, writes and counts the tile that the ring has next, and has another one copied. `weights` and `counts`:
// those of the tile's row.
template <class Heads>
__device__ __forceinline__ void score_shared_tile(const ScoreArguments& kernel, const Range<Heads>& range,
                                                  const Tile& tile, CodeRing& ring,
                                                  const RowWeights<Heads::sets>& weights, std::uint32_t counts,
                                                  std::uint64_t policy) {
  const skt_score_packed_args& args = kernel.args;
  const int words = Heads::words(kernel);
  const int length = tile.kv.length;
  const int lane = own_lane_anew();
  const int key = to_int(tile.in_row() * kTileKeys) + lane_key(lane, lane % kWordLanes);
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
      norms[i] = two_norms_at(codes + words * kWordBytes + 2 * lane_key(lane, half * kHalfQuarters + i));
    }
#pragma unroll
    for (int set = 0; set < Heads::sets; ++set) {
      const BitCounts bits =
          counts_of_half<Heads>(lane, TileInRing{codes}, half, words, __cvta_generic_to_shared(weights.begin), set);
      if (half == kTileHalves - 1 && set == Heads::sets - 1) {
        warp_barrier();
        ring.copy_next<Heads>(kernel, range.end);
      }
      const int head = head_of_lane(lane, set);
      const bool is_there = head < range.heads_left;
      const HeadScale& scale = weights.scales[head];
#pragma unroll
      for (int i = 0; i < kHalfQuarters; ++i) {
        const auto bits_of = [&](int of_two, float norm) {
          const float scaled = scale.unit * static_cast<float>(2 * bits.set(i, of_two) - scale.all);
          return weight_bits(scaled, norm, scale.offset);
        };
        const std::uint32_t two =
            __byte_perm(bits_of(0, __low2float(norms[i])), bits_of(1, __high2float(norms[i])), 0x5410);
        const std::uint32_t of_head = is_there ? two : 0;
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
  const std::uint32_t sums = joined((lane & 1) != 0, even_quarter, odd_quarter, 1);
  float2 scores = {__uint_as_float(sums << 16), __uint_as_float(sums & 0xffff0000u)};
  scores = {(allowed & 0xff) != 0 ? scores.x : -INFINITY, allowed > 0xff ? scores.y : -INFINITY};
  const __nv_bfloat162 rounded = rounded_scores(scores);
  const std::uint64_t at = static_cast<std::uint64_t>(range.list_of(tile.kv)) * to_int(args.shape.capacity) + key;
  if (key + 1 < length) {
    if (args.score_type == SKT_BF16) {
      store_scores(static_cast<__nv_bfloat16*>(args.scores) + at, rounded, policy);
    } else {
      store_scores(static_cast<float*>(args.scores) + at, scores, policy);
    }
  } else if (key < length) {
    if (args.score_type == SKT_BF16) {
      static_cast<__nv_bfloat16*>(args.scores)[at] = __low2bfloat16(rounded);
    } else {
      static_cast<float*>(args.scores)[at] = scores.x;
    }
  }
  if (kernel.bins.counts != nullptr) {
    const int end = window_begin(length, kernel.bins.window);
    const BinOfStep bin_of = {kernel.bins.lowest};
    count_score(scores.x, key >= kernel.bins.sink && key < end, bin_of, counts);
    count_score(scores.y, key + 1 >= kernel.bins.sink && key + 1 < end, bin_of, counts);
  }
  warp_barrier();  // lanes may have come apart where they wrote scores
}

}  // namespace skt::gpu
