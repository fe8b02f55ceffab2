// How do heads that share a kv head by the signed projection come to one score of a key, where they share a list?
//
// By gpu/functors/group_weights.hpp: the sum over heads of 2^(x - c), summed where the products of a tile are made, so that
// one score is written and counted where there were as many as heads. Before its first tile a block finds the heads'
// normalisers c of its rows, of 16 tiles of the row, a warp to a tile, read from the index itself: their codes are in L2,
// as every block reads them, and the rings are full of the tiles to come.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "gpu/device/barrier.cuh"
#include "gpu/functors/group_weights.hpp"
#include "gpu/functors/score_bins.hpp"
#include "gpu/packed_scores/grouped_products.cuh"
#include "gpu/packed_scores/grouped_weights.cuh"
#include "gpu/packed_scores/kernel.cuh"
#include "gpu/packed_scores/writing.cuh"

namespace skt::gpu {

// Of a lane: where in a quarter of a tile its keys begin, and its head in a set.
__device__ inline int quarter_key_of_lane() {
  return static_cast<int>(threadIdx.x) % 32 / kWordLanes * 2;
}
__device__ inline int head_of_lane(int set) {
  return set * kSetHeads + static_cast<int>(threadIdx.x) % kSetHeads;
}

// Two scores as they are written (gpu/functors/fixed_weights.hpp), and as fp32 holds them.
__device__ __forceinline__ __nv_bfloat162 rounded_scores(float2 scores) {
  return __floats2bfloat162_rn(scores.x, scores.y);
}

// Sums of powers over the sampled tiles, [rows of the block, sampled tiles, heads], in shared memory.
template <class Heads>
struct SampledSums {
  static constexpr int kRowBytes = Heads::shares ? int{kSampledTiles} * Heads::heads * int{sizeof(SoftmaxPart<float>)} : 0;
  SoftmaxPart<float>* begin;

  __device__ SoftmaxPart<float>& at(int row, unsigned tile, int head) const {
    return begin[(row * kSampledTiles + tile) * Heads::heads + head];
  }
};

// The same for the lanes that have a head in common, by exchanges between them.
template <class F>
__device__ float over_keys_of_head(float mine, const F& f) {
#pragma unroll
  for (int lanes = kWordLanes; lanes < 32; lanes *= 2) mine = f(mine, __shfl_xor_sync(~0u, mine, lanes));
  return mine;
}

// Of the lane's head of a set, over the keys of tile `in_row` of a row that may be selected.
template <class Heads>
__device__ SoftmaxPart<float> sum_of_tile(const ScoreArguments& kernel, const Range<Heads>& range, const KvRow& kv,
                                          unsigned in_row, const RowWeights<Heads::sets>& weights, int set) {
  const skt_score_packed_args& args = kernel.args;
  const int words = Heads::words(kernel);
  const Tile tile = {kv.begin + in_row, kv};
  const std::int32_t page = kernel.pages.paged() ? kernel.pages.page_of(kv.row, in_row) : 0;
  const TileFactors of_tile(kernel, tile, page);
  const TileInIndex codes = {reinterpret_cast<const std::byte*>(tile.codes(kernel, words, page))};
  const HeadScale& scale = weights.scales[head_of_lane(set)];
  float logits[2 * kQuarters];
  float largest = -INFINITY;
#pragma unroll
  for (int half = 0; half < kTileHalves; ++half) {
    const BitCounts bits = counts_of_half<Heads>(codes, half, words, __cvta_generic_to_shared(weights.begin), set);
#pragma unroll
    for (int i = 0; i < kHalfQuarters; ++i) {
#pragma unroll
      for (int of_two = 0; of_two < 2; ++of_two) {
        const int quarter = half * kHalfQuarters + i;
        const int in_tile = quarter * kQuarterKeys + quarter_key_of_lane() + of_two;
        const int key = to_int(in_row * kTileKeys) + in_tile;
        float& logit = logits[2 * quarter + of_two];
        logit = -INFINITY;
        if (key < kv.length && (args.mask.allowed == nullptr || *of_tile.mask(args, to_int(range.head_of(kv)), key) != 0)) {
          logit = signed_score(bits.set(i, of_two), scale.all, scale.unit, __half2float(of_tile.norms[in_tile]));
        }
        largest = fmaxf(largest, logit);
      }
    }
  }
  largest = over_keys_of_head(largest, [](float a, float b) { return fmaxf(a, b); });
  SoftmaxPart<float> part;
  if (largest > -INFINITY) part.exponent = ceilf(largest);
#pragma unroll
  for (const float logit : logits) {
    if (may_be_selected(logit)) part.sum += weight_power(logit - part.exponent);
  }
  part.sum = over_keys_of_head(part.sum, [](float a, float b) { return a + b; });
  return part;
}

// Of the rows whose weights are there. Of all threads; ends with a barrier of the block.
template <class Heads>
__device__ void put_normalisers(const ScoreArguments& kernel, const Range<Heads>& range, const RowsHere& here,
                                std::byte* weights, int row_weights, const SampledSums<Heads>& sums) {
  const skt_score_packed_args& args = kernel.args;
  const auto weights_of = [&](int row) {
    return RowWeights<Heads::sets>(weights + row * row_weights, Heads::words(kernel));
  };
  const auto tiles_of = [&](int row) { return here[row].end() - here[row].begin; };
  if (args.log_sums == nullptr) {
    const int warp = threadIdx.x / 32;
    const int warps = blockDim.x / 32;
    for (int row = 0; row < here.rows; ++row) {
      for (unsigned i = warp; i < sampled_tiles(tiles_of(row)); i += warps) {
#pragma unroll
        for (int set = 0; set < Heads::sets; ++set) {
          const SoftmaxPart<float> part = sum_of_tile<Heads>(kernel, range, here[row], sampled_tile(i, tiles_of(row)),
                                                             weights_of(row), set);
          if (threadIdx.x % 32 < kSetHeads) sums.at(row, i, head_of_lane(set)) = part;
        }
      }
    }
    block_barrier();
  }
  const int row = threadIdx.x / Heads::heads;
  const int head = threadIdx.x % Heads::heads;
  if (row < here.rows && head < range.heads()) {
    weights_of(row).scales[head].normaliser =
        args.log_sums == nullptr ? normaliser_of_tiles(tiles_of(row), [&](unsigned i) { return sums.at(row, i, head); })
                                 : normaliser_of_log_sum(__ldcg(&args.log_sums[range.row_of(here[row]) + head]));
  }
  block_barrier();
}

// The lane's two keys of one quarter, of those that four lanes share.
__device__ inline int quarter_of_lane() {
  return static_cast<int>(threadIdx.x) % kWordLanes;
}
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
  const int key = to_int(tile.in_row() * kTileKeys) + quarter_of_lane() * kQuarterKeys + quarter_key_of_lane();
  std::uint16_t allowed = 0x0101;
  if (args.mask.allowed != nullptr && key < length) {
    const TileFactors of_tile(kernel, tile, tile.page(kernel.pages, range.end));
    allowed = *reinterpret_cast<const std::uint16_t*>(of_tile.mask(args, to_int(range.head_of(tile.kv)), key));
  }
  const std::uint32_t codes = ring.wait(kernel);
  __half2 norms[kQuarters];
#pragma unroll
  for (int quarter = 0; quarter < kQuarters; ++quarter) {
    norms[quarter] = two_norms_at(codes + words * kWordBytes + 2 * (quarter * kQuarterKeys + quarter_key_of_lane()));
  }
  float2 mine = {};
#pragma unroll
  for (int half = 0; half < kTileHalves; ++half) {
    float2 sums[kHalfQuarters] = {};
#pragma unroll
    for (int set = 0; set < Heads::sets; ++set) {
      const BitCounts bits =
          counts_of_half<Heads>(TileInRing{codes}, half, words, __cvta_generic_to_shared(weights.begin), set);
      if (half == kTileHalves - 1 && set == Heads::sets - 1) {
        warp_barrier();
        ring.copy_next<Heads>(kernel, range.end);
      }
      const int head = head_of_lane(set);
      const bool is_there = head < range.heads_left;
      const HeadScale& scale = weights.scales[head];
#pragma unroll
      for (int i = 0; i < kHalfQuarters; ++i) {
        const int quarter = half * kHalfQuarters + i;
        const auto weight = [&](int of_two, float norm) {
          const float logit = signed_score(bits.set(i, of_two), scale.all, scale.unit, norm);
          return is_there ? weight_of_head(logit, scale.normaliser) : 0;
        };
        float2 weight_of_two = {weight(0, __low2float(norms[quarter])), weight(1, __high2float(norms[quarter]))};
#pragma unroll
        for (int lanes = 1; lanes < kSetHeads; lanes *= 2) {
          weight_of_two.x += __shfl_xor_sync(~0u, weight_of_two.x, lanes);
          weight_of_two.y += __shfl_xor_sync(~0u, weight_of_two.y, lanes);
        }
        sums[i].x += weight_of_two.x;
        sums[i].y += weight_of_two.y;
      }
    }
#pragma unroll
    for (int i = 0; i < kHalfQuarters; ++i) {
      if (quarter_of_lane() == half * kHalfQuarters + i) mine = sums[i];
    }
  }
  const __nv_bfloat162 rounded = rounded_scores(
      {(allowed & 0xff) != 0 ? mine.x : -INFINITY, allowed > 0xff ? mine.y : -INFINITY});
  const std::uint64_t at = static_cast<std::uint64_t>(range.list_of(tile.kv)) * to_int(args.shape.capacity) + key;
  const float2 scores = __bfloat1622float2(rounded);
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
