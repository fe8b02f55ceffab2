// What does a rank that holds some keys of each row count, and which of them does it select?
//
// CPU twin: gpu/check/references/shards.hpp.
// Arithmetic: comparisons and whole numbers, so that the lists of all ranks are together that of select_keys_kernel,
// whatever the runs of keys are.
// Method: gpu/functors/shards.hpp. Each digit's counts, summed over the ranks, say which bin of the interval holds the
// threshold. A row that is settled before the last digit, because all of a bin is taken or no rank has keys enough,
// counts nothing more. Of the last digit every rank sees the counts of every other: how many ties stand before its own.
// Bytes: the own scores once to a digit and once more to the list, mostly from L2; 8 KB of counts to a row and digit, and
// 4 KB to a rank in the last.
#pragma once

#include "gpu/functors/shards.hpp"
#include "gpu/selection/kernel.cuh"

namespace skt::gpu {

static_assert(kShardBins == kSelectBins);

// What skt_count_shard and skt_select_shard have in common.
struct ShardInputs {
  const float* scores;
  const std::int32_t* counts;  // [2, rows, kShardBins]
  std::int64_t rows, capacity;
  int first, keys, used, budget, sink, window;
  const std::int32_t* lengths;
  int rows_per_length, sparsity;

  __device__ int length_of_row() const {
    return length_of(lengths, lengths == nullptr ? 0 : to_int(blockIdx.y) / rows_per_length, used);
  }
};

template <class Arguments>
ShardInputs shard_inputs(const Arguments& args) {
  return {args.scores,          args.counts,         args.rows,         args.capacity,
          to_int(args.first),   to_int(args.keys),   to_int(args.used), to_int(args.budget),
          to_int(args.sink),    to_int(args.window), args.lengths,      to_int(args.rows_per_length),
          to_int(args.sparsity)};
}

// A block's keys, and a warp's share of them, by the places of the own cache.
struct ShardKeys {
  BlockKeys block;
  Share share;
};
__device__ inline ShardKeys shard_keys(const ShardInputs& shard) {
  const ShardRow row = shard_row(shard.first, shard.keys, shard.length_of_row(), shard.sink, shard.window);
  const int per_warp = keys_per_warp(row.length, cluster_size());
  const BlockKeys block = keys_of_block(row.length, per_warp);
  const int warp = threadIdx.x / 32;
  const int begin = min(block.begin + warp * per_warp, block.end);
  return {block,
          {shard.scores + blockIdx.y * shard.capacity, begin, min(begin + per_warp, block.end), row.sink,
           row.window_begin}};
}

// Those of this thread's bins, of the row.
__device__ inline uint4 counts_of_bins(const std::int32_t* row_counts, int bins) {
  if (my_bins() >= bins / 4) return {0, 0, 0, 0};
  return reinterpret_cast<const uint4*>(row_counts)[my_bins()];
}

// The bin of a digit that holds the threshold. Fewer candidates than are asked for, which the first digit tells, are all
// taken.
__device__ inline Threshold by_digit(const Threshold& threshold, int digit, const uint4& counts,
                                     ThresholdShared& shared) {
  SelectedBin found;
  if (!find_bin(counts, threshold.need, shared, found)) return everything(kAll);
  const int shift = shard_shift(digit);
  return narrowed(threshold, threshold.base + (found.bin << shift), (1u << shift) - 1, found);
}

// By the digits before `digit` that all ranks' counts are summed of.
__device__ inline Threshold by_digits_before(const ShardInputs& shard, int digit, ThresholdShared& shared) {
  const std::uint32_t budget = budget_of(shard.length_of_row(), shard.budget, shard.sparsity);
  if (budget == 0) return nothing_but_forced();
  Threshold threshold = {0, kAll, 32, budget, kAll};
  for (int d = 0; d < min(digit, kShardDigits - 1) && threshold.is_divisible(); ++d) {
    const std::int32_t* row_counts = shard.counts + (d * shard.rows + blockIdx.y) * kShardBins;
    threshold = by_digit(threshold, d, counts_of_bins(row_counts, kShardBins), shared);
  }
  return threshold;
}

// The last digit, counted by each rank: gathered [ranks, rows, kLastShardBins].
struct LastCounts {
  const std::int32_t* gathered;
  std::int64_t rows;
  int rank, ranks;

  __device__ const std::int32_t* of(int r) const { return gathered + (r * rows + blockIdx.y) * kLastShardBins; }
  __device__ uint4 sum() const {
    uint4 sum = {0, 0, 0, 0};
    for (int r = 0; r < ranks; ++r) {
      const uint4 counts = counts_of_bins(of(r), kLastShardBins);
      sum = {sum.x + counts.x, sum.y + counts.y, sum.z + counts.z, sum.w + counts.w};
    }
    return sum;
  }
  // Of `need` ties in the bin, those of this rank.
  __device__ std::uint32_t own_ties(std::uint32_t need, std::uint32_t bin) const {
    std::uint32_t before = 0;
    for (int r = 0; r < rank; ++r) before += of(r)[bin];
    return ties_of_rank(need, before, of(rank)[bin]);
  }
};

// The threshold of the whole row, with how many ties are this rank's.
__device__ inline Threshold settled_threshold(const ShardInputs& shard, const LastCounts& last,
                                              ThresholdShared& shared) {
  Threshold threshold = by_digits_before(shard, kShardDigits - 1, shared);
  if (!threshold.is_divisible()) return threshold;
  threshold = by_digit(threshold, kShardDigits - 1, last.sum(), shared);
  if (threshold.need != kAll) threshold.need = last.own_ties(threshold.need, threshold.base % kLastShardBins);
  return threshold;
}

}  // namespace skt::gpu
