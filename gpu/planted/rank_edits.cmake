# Edits of what several ranks do with one sequence, as those of edits.cmake: sharded-step or select-shards must fail every one.

edit(ties-to-the-last-rank selection/shards.cu selection/shards.cuh
[[for (int r = 0; r < rank; ++r) before]]
[[for (int r = rank + 1; r < ranks; ++r) before]])
edit(ties-of-the-own-rank-before-it selection/shards.cu selection/shards.cuh
[[for (int r = 0; r < rank; ++r) before]]
[[for (int r = 0; r <= rank; ++r) before]])
edit(counts-of-the-last-rank-lost selection/shards.cu selection/shards.cuh
[[for (int r = 0; r < ranks; ++r) {]]
[[for (int r = 0; r < max(ranks - 1, 1); ++r) {]])
edit(second-digit-not-read selection/shards.cu selection/shards.cuh
[[shard.counts + (d * shard.rows + blockIdx.y) * kShardBins;]]
[[shard.counts + blockIdx.y * kShardBins;]])
edit(last-digit-cut-short selection/shards.cu functors/shards.hpp
[[width - kShardBinBits : 0;]]
[[width - kShardBinBits : 1;]])
edit(first-digit-of-one-width selection/shards.cu functors/shards.hpp
[[  if (bin <= kFirstFine) return]]
[[  if (bin <= kShardBins) return]])
edit(marks-of-every-row-in-one selection/shards.cu selection/shards.cuh
[[shard.marks + blockIdx.y * row_words + block.begin / 32]]
[[shard.marks + block.begin / 32]])
edit(open-keys-above-not-taken selection/shards.cu selection/shards.cu
[[      if (threshold.is_above(key)) word.certain |= bit;]]
[[]])
edit(open-keys-below-taken-for-ties selection/shards.cu selection/shards.cu
[[      word.tied &= ~bit;]]
[[      if (threshold.is_above(key)) word.tied &= ~bit;]])
edit(settled-rows-left-open selection/shards.cu selection/shards.cu
[[  if (threshold.width > kShardBinBits) return;]]
[[  if (threshold.width > 0) return;]])
edit(window-of-own-keys-left-out packed_scores/packed_scores.cu packed_scores/kernel.cuh
[[    write(BinOfShard<Lanes::negative>{}, whole_length(kernel, tile));]]
[[    write(BinOfShard<Lanes::negative>{}, tile.kv.length);]])
edit(window-of-a-length-beyond-the-most packed_scores/packed_scores.cu packed_scores/writing.cuh
[[min(given_length(lengths, sequence), kernel.bins.whole_length)]]
[[given_length(lengths, sequence)]])
edit(sink-of-own-keys-left-out packed_scores/packed_scores.cu packed_scores/packed_scores.cu
[[place_in_shard(to_int(args.list.sink), to_int(args.first), to_int(args.sequences.used));]]
[[place_in_shard(to_int(args.list.sink), 0, to_int(args.sequences.used));]])
edit(counts-of-the-step-before-left scores/soft_buckets.cu scores/soft_buckets.cu
[[: all_rows(args->shape) * kShardBins;]]
[[: kShardBins;]])
edit(negative-scores-in-rising-bits packed_scores/signed.cu functors/shards.hpp
[[bits ^ ((bits >> 31) & 0x7fffffff)]]
[[bits]])
edit(scores-of-a-rank-in-bins-of-a-step packed_scores/packed_scores.cu packed_scores/kernel.cuh
[[  if (kernel.bins.of_shards) {]]
[[  if (kernel.bins.of_shards && kernel.args.rule != SKT_SOFT_COLLISION) {]])
edit(window-of-every-rank selection/shards.cu functors/shards.hpp
[[place_in_shard(window_begin(used, window), first, length)};]]
[[window_begin(length, window)};]])
edit(sink-of-every-rank selection/shards.cu functors/shards.hpp
[[place_in_shard(sink, first, length),]]
[[place_in_shard(sink, 0, length),]])
edit(budget-of-own-keys selection/shards.cu selection/shards.cuh
[[budget_of(shard.length_of_row(), shard.budget, shard.sparsity);]]
[[budget_of(shard.keys, shard.budget, shard.sparsity);]])
edit(blocks-of-a-rank-not-summed selection/shards.cu selection/kernel.cuh
[[for (int rank = 0; rank < cluster_size(); ++rank) {
    const uint4 counts]]
[[for (int rank = 0; rank < 1; ++rank) {
    const uint4 counts]])
edit(empty-rank-of-weight-one attention/merge_parts.cu attention/merge_parts.cu
[[SoftmaxPart<float>{part[dim], part[dim + 1]});]]
[[part[dim + 1] > 0 ? SoftmaxPart<float>{part[dim], part[dim + 1]} : SoftmaxPart<float>{0, 1});]])
edit(ranks-merged-without-rescaling attention/merge_parts.cu attention/merge_parts.cu
[[vector = vector * both.left_factor + part[d] * both.right_factor;]]
[[vector = vector + part[d];]])
edit(last-rank-not-merged attention/merge_parts.cu attention/merge_parts.cu
[[rank < args.ranks; ++rank]]
[[rank < max(args.ranks - 1, std::int64_t{1}); ++rank]])
edit(part-already-divided attention/merge_rows.cu attention/merge_rows.cu
[[      part[d] = vector;]]
[[      part[d] = vector / total.sum;]])
edit(value-scales-left-out-of-parts attention/merge_rows.cu attention/merge_rows.cu
[[vector *= value_scale;]]
[[    if (args.part == nullptr) vector *= value_scale;]])
