// What does a rank that holds some keys of each row count, and which of them does it select?
//
// CPU twin: gpu/check/references/shards.hpp.
// Arithmetic: comparisons and whole numbers, so that the lists of all ranks are together that of select_keys_kernel,
// whatever the runs of keys are.
// Method: gpu/functors/shards.hpp. Each digit's counts, summed over the ranks, say which bin of the interval holds the
// threshold. With the second digit every key is marked (gpu/selection/marks.cuh): selected whatever the digits behind
// say, or in the first digit's bin and so open. From then on only the scores of open keys are read, few as they are. A
// row that is settled before the last digit, because all of a bin is taken or no rank has keys enough, counts nothing
// more. Of the last digit every rank sees the counts of every other: how many ties stand before its own.
// Bytes: the own scores once to the second digit, and once more to the first where they were not counted when made; two
// bits to a key written once and read twice; 8 KB of counts to a row and digit, in the last from each rank.
#pragma once

#include "gpu/functors/shards.hpp"
#include "gpu/selection/kernel.cuh"

namespace skt::gpu {

static_assert(kShardBins == kSelectBins);

// What skt_count_shard and skt_select_shard have in common.
struct ShardInputs {
  const float* scores;
  const std::int32_t* counts;  // [2, rows, kShardBins]
  Word* marks;                 // [rows, words of a row]
  std::int64_t rows, capacity;
  int first, keys, used, budget, sink, window;
  const std::int32_t* lengths;
  int heads, sparsity;

  // How many keys the row has on all ranks.
  __device__ int length_of_row() const {
    return length_of(lengths, lengths == nullptr ? 0 : to_int(blockIdx.y) / heads, used);
  }
  // Those of this rank.
  __device__ ShardRow row() const { return shard_row(first, keys, length_of_row(), sink, window); }
  __device__ const float* row_scores() const { return scores + blockIdx.y * capacity; }
};

inline ShardInputs shard_inputs(const skt_shard& of) {
  return {of.scores,
          of.counts,
          reinterpret_cast<Word*>(of.marks),
          all_rows(of.shape),
          of.shape.capacity,
          to_int(of.first),
          to_int(of.keys),
          to_int(of.sequences.used),
          to_int(of.list.budget),
          to_int(of.list.sink),
          to_int(of.list.window),
          of.sequences.lengths,
          to_int(of.shape.heads),
          to_int(of.list.sparsity)};
}

// A block's keys, and a warp's share of them, by the places of the own cache.
struct ShardKeys {
  BlockKeys block;
  Share<float> share;

  // The block's bits, as they lie in device memory and in the block's own.
  __device__ KeyBits marked(const ShardInputs& shard) const {
    const std::int64_t row_words = ceil_div<std::int64_t>(shard.capacity, 32);
    return bits_at(shard.marks + blockIdx.y * row_words + block.begin / 32);
  }
  __device__ KeyBits bits_at(Word* words) const { return {words, (block.end - block.begin + 31) / 32, block.begin}; }
};
__device__ inline ShardKeys shard_keys(const ShardInputs& shard) {
  const ShardRow row = shard.row();
  const int per_warp = keys_per_warp<float>(row.length, cluster_size());
  const BlockKeys block = keys_of_block(row.length, per_warp);
  const int warp = threadIdx.x / 32;
  const int begin = min(block.begin + warp * per_warp, block.end);
  return {block, {shard.row_scores(), begin, min(begin + per_warp, block.end), row.sink, row.window_begin}};
}

// Calls visit(word) for each word of a warp's share; of each lane.
template <class Visit>
__device__ void for_each_word(const Share<float>& share, const KeyBits& bits, Visit&& visit) {
  if (share.begin >= share.end) return;
  const int lane = threadIdx.x % 32;
  const int end = (share.end - bits.first_key + 31) / 32;
  for (int i = (share.begin - bits.first_key) / 32 + lane; i < end; i += 32) visit(i);
}

// Calls visit(ordered key, bit) for each open key of a word.
template <class Visit>
__device__ void for_each_open(const Share<float>& share, const KeyBits& bits, int word, Visit&& visit) {
  for (std::uint32_t left = bits.word[word].tied; left != 0; left &= left - 1) {
    const int bit = __ffs(left) - 1;
    visit(ordered_key(score_at(share.scores + bits.first_key + 32 * word + bit)), 1u << bit);
  }
}

// Those of this thread's bins, of the row.
__device__ inline uint4 counts_of_bins(const std::int32_t* row_counts) {
  return reinterpret_cast<const uint4*>(row_counts)[my_bins()];
}

// The bin of a digit that holds the threshold. Fewer candidates than are asked for, which the first digit tells, are all
// taken.
__device__ inline Threshold by_digit(const Threshold& threshold, int digit, const uint4& counts,
                                     ThresholdShared& shared) {
  SelectedBin found;
  if (!find_bin(counts, threshold.need, shared, found)) return everything(kAll);
  if (digit == 0) {
    const std::uint32_t begin = shard_bin_begin(to_int(found.bin));
    return narrowed(threshold, begin, shard_bin_begin(to_int(found.bin) + 1) - 1 - begin, found);
  }
  const int shift = shard_shift(threshold.width);
  return narrowed(threshold, threshold.base + (found.bin << shift), (1u << shift) - 1, found);
}

// By the digits before `digit` that all ranks' counts are summed of.
__device__ inline Threshold by_digits_before(const ShardInputs& shard, int digit, ThresholdShared& shared) {
  const std::uint32_t budget = budget_of(shard.length_of_row(), shard.budget, shard.sparsity);
  if (budget == 0) return nothing_but_forced();
  Threshold threshold = everything(budget);
  for (int d = 0; d < min(digit, kShardDigits - 1) && threshold.is_divisible(); ++d) {
    const std::int32_t* row_counts = shard.counts + (d * shard.rows + blockIdx.y) * kShardBins;
    threshold = by_digit(threshold, d, counts_of_bins(row_counts), shared);
  }
  return threshold;
}

// The last digit, counted by each rank: gathered [ranks, rows, kShardBins].
struct LastCounts {
  const std::int32_t* gathered;
  std::int64_t rows;
  int rank, ranks;

  __device__ const std::int32_t* of(int r) const { return gathered + (r * rows + blockIdx.y) * kShardBins; }
  __device__ uint4 sum() const {
    uint4 sum = {0, 0, 0, 0};
    for (int r = 0; r < ranks; ++r) {
      const uint4 counts = counts_of_bins(of(r));
      sum = {sum.x + counts.x, sum.y + counts.y, sum.z + counts.z, sum.w + counts.w};
    }
    return sum;
  }
  // Of `need` ties in the bin, those of this rank. Counts that nobody made may lead beside the row's bins.
  __device__ std::uint32_t own_ties(std::uint32_t need, std::uint32_t bin) const {
    bin = min(bin, std::uint32_t{kShardBins - 1});
    std::uint32_t before = 0;
    for (int r = 0; r < rank; ++r) before += of(r)[bin];
    return ties_of_rank(need, before, of(rank)[bin]);
  }
};

// The threshold of the whole row, with how many ties are this rank's. `wide`: by the digits before the last.
__device__ inline Threshold settled_threshold(const Threshold& wide, const LastCounts& last, ThresholdShared& shared) {
  if (!wide.is_divisible()) return wide;
  Threshold threshold = by_digit(wide, kShardDigits - 1, last.sum(), shared);
  if (threshold.need != kAll) threshold.need = last.own_ties(threshold.need, threshold.base - wide.base);
  return threshold;
}

}  // namespace skt::gpu
