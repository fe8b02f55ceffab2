// How do the sums of a lane's two keys become scores, and how are these counted?
//
// Times the norm, -infinity where the mask forbids, written for each head; in a step counted in the block's bins of the
// row. Few branches and addresses: with four heads this was a sixth of a tile's instructions.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>

#include "gpu/decode/decode_stages.hpp"
#include "gpu/functors/lengths.hpp"
#include "gpu/functors/score_bins.hpp"
#include "gpu/functors/shards.hpp"
#include "gpu/functors/whole_numbers.hpp"
#include "gpu/packed_scores/stage.cuh"
#include "gpu/packed_scores/tiles.cuh"

namespace skt::gpu {

// What a score needs beside the sum over tables, of a lane's two keys; loaded before the sum, which hides the wait.
template <class Lanes>
struct KeyPair {
  __half2 norms = {};
  std::uint16_t allowed[Lanes::lists];  // two bytes of the mask

  // `key` is the lane's first of the tile, which lies in `page`, `first_head` the first head's among [batch, heads].
  __device__ void load(const ScoreArguments& kernel, const Tile& tile, std::int32_t page, int key,
                       std::int64_t first_head, int heads_left) {
    const skt_score_packed_args& args = kernel.args;
    const TileFactors of_tile(kernel, tile, page);
    const bool holds_keys = key < tile.kv.length;
    if (holds_keys) {
      norms = *reinterpret_cast<const __half2*>(of_tile.norms + key % unsigned{kTileKeys});
    }
#pragma unroll
    for (int head = 0; head < Lanes::lists; ++head) allowed[head] = 0x0101;
    if (args.mask.allowed == nullptr || !holds_keys) return;
#pragma unroll
    for (int head = 0; head < Lanes::lists; ++head) {
      if (head >= heads_left) return;
      allowed[head] = *reinterpret_cast<const std::uint16_t*>(of_tile.mask(args, to_int(first_head) + head, key));
    }
  }
};

// How L2 should treat scores: keep them until the selection has read them, as far as the caller lets it
// (skt_score_packed in gpu/socketlab_gpu.h); in a step the selection drops them (gpu/selection/row.cuh).
__device__ inline std::uint64_t score_policy() {
  std::uint64_t stays;
  asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(stays));
  return stays;
}
__device__ inline void store_scores(float* to, float2 scores, std::uint64_t policy) {
  asm volatile("st.global.L2::cache_hint.v2.f32 [%0], {%1, %2}, %3;" ::"l"(to), "f"(scores.x), "f"(scores.y),
               "l"(policy)
               : "memory");
}
__device__ inline void store_scores(__nv_bfloat16* to, __nv_bfloat162 scores, std::uint64_t policy) {
  std::uint32_t both = 0;
  std::memcpy(&both, &scores, sizeof both);
  asm volatile("st.global.L2::cache_hint.b32 [%0], %1, %2;" ::"l"(to), "r"(both), "l"(policy) : "memory");
}

// Which bin of a row counts a score; of any score, so that no branch stands around it. A step's, and that of a rank.
struct BinOfStep {
  std::uint32_t lowest;
  __device__ int operator()(float score) const { return bin_of_score(score, lowest); }
};
template <bool negative>
struct BinOfShard {
  __device__ int operator()(float score) const {
    if constexpr (negative) return shard_bin_of_score(score);
    return shard_bin_of_bits(to_int(__float_as_uint(score) & 0x7fffffffu));  // of any NaN too
  }
};

// Counts a candidate's score in the bins at shared-memory address `counts`.
template <class BinOf>
__device__ inline void count_score(float score, bool is_candidate, BinOf bin_of, std::uint32_t counts) {
  const bool adds = is_candidate && may_be_selected(score);
  const std::uint32_t bin = bin_of(score);
  asm volatile("{\n .reg .pred p;\n setp.ne.s32 p, %1, 0;\n @p red.shared.add.u32 [%0], 1;\n}" ::"r"(counts + 4 * bin),
               "r"(int{adds})
               : "memory");
}

// One more at an address of shared memory.
__device__ inline void count_at(std::uint32_t address) {
  asm volatile("red.shared.add.u32 [%0], 1;" ::"r"(address) : "memory");
}
// The same of a candidate's score that may be selected.
__device__ inline void count_selectable(float score, std::uint32_t lowest, std::uint32_t counts) {
  count_at(counts + 4 * bin_of_score(score, lowest));
}

// Of a rank: how many keys the tile's sequence has from the rank's first on, which may be more than are here. No length
// counts for more than the most that the ranks are told, here as in gpu/selection/shards.cuh.
__device__ inline int whole_length(const ScoreArguments& kernel, const Tile& tile) {
  const std::int32_t* lengths = kernel.args.sequences.lengths;
  if (lengths == nullptr) return kernel.bins.whole_length;
  const int sequence = to_int(tile.kv.row / static_cast<unsigned>(to_int(kernel.args.shape.kv_heads)));
  return min(given_length(lengths, sequence), kernel.bins.whole_length);
}

// Candidates, which are counted, are the keys sink .. candidates_end - 1.
template <class Lanes, class BinOf>
__device__ void write_scores(const skt_score_packed_args& args, int sink, int candidates_end, BinOf bin_of, int length,
                             int key, std::int64_t row, int heads_left, const KeyPair<Lanes>& pair,
                             const Lanes (&sums)[kLaneKeys], std::uint32_t counts, std::uint64_t policy) {
  const int left = length - key;
  if (left <= 0) return;
  const bool first_is_candidate = key >= sink && key < candidates_end;
  const bool second_is_candidate = key + 1 >= sink && key + 1 < candidates_end;
  float* out = static_cast<float*>(args.scores) + row * args.shape.capacity + key;
#pragma unroll
  for (int head = 0; head < Lanes::lists; ++head) {
    if (head >= heads_left) return;
    const bool first_allowed = (pair.allowed[head] & 0xff) != 0;
    const bool second_allowed = pair.allowed[head] > 0xff;
    const float2 score = {first_allowed ? sums[0].score(head, __low2float(pair.norms)) : -INFINITY,
                          second_allowed ? sums[1].score(head, __high2float(pair.norms)) : -INFINITY};
    if (left > 1) {
      store_scores(out, score, policy);
    } else {
      *out = score.x;
    }
    count_score(score.x, first_is_candidate, bin_of, counts + 4 * head * kScoreBins);
    count_score(score.y, second_is_candidate, bin_of, counts + 4 * head * kScoreBins);
    out += args.shape.capacity;
  }
}

// Adds the block's counts to the row's and leaves them 0.
__device__ inline void add_to_row(const RowBins& bins, std::int64_t row, int heads, std::uint32_t* counts) {
  if (bins.counts == nullptr) return;
  for (int i = threadIdx.x; i < heads * kScoreBins; i += blockDim.x) {
    if (counts[i] == 0) continue;
    atomicAdd(&bins.counts[row * kScoreBins + i], counts[i]);
    counts[i] = 0;
  }
}

}  // namespace skt::gpu
