// What must a rank count, select and merge? The stages of skt_count_shard, skt_select_shard and skt_merge_parts of
// gpu/socketlab_gpu.h once more, for one row, in plain loops on the host.
//
// It shares with the kernels which part of a sequence a rank holds, the digits (gpu/functors/shards.hpp), the order of
// scores and the merge of two parts; finding a bin and taking ties are written again. It would be wrong if the lists of
// all ranks were not a sort's: tests/gpu/check/references/shards_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpu/check/problems/runs.hpp"

namespace skt::gpu {

// Of a whole row: `used` keys on all ranks.
struct ShardRule {
  std::int64_t used, budget, sink, window;
};

using Counts = std::vector<std::int32_t>;

// A row of one rank: scores of its own keys.
struct ShardScores {
  std::span<const float> scores;  // [run.keys]
  Run run;
};

// Of digit sums.size(), where `sums` holds the counts of the digits before it, summed over the ranks.
Counts twin_shard_counts(const ShardScores& own, const ShardRule& rule, std::span<const Counts> sums);

// Own keys of the list, rising, as places of the own run. sums: of digits 0 and 1; last: of digit 2, of each rank.
std::vector<std::int32_t> twin_shard_selection(const ShardScores& own, const ShardRule& rule,
                                               std::span<const Counts> sums, std::span<const Counts> last,
                                               std::int64_t rank);

// The same exchanged as it must be: each rank's keys at their positions in the sequence, one rank's after the other's.
std::vector<std::int32_t> twin_sharded_list(std::span<const float> scores, const Runs& runs, const ShardRule& rule);

struct MergedRow {
  std::vector<float> output;  // [dim]
  float log_sum_exp = 0;
};

// Of parts [dim + 2] of a row, in the order of the ranks.
MergedRow twin_merged_parts(std::span<const std::vector<float>> parts);

}  // namespace skt::gpu
