# One barrier, wait or fence of a fast kernel left out or weakened each, for a build with SKT_GPU_DELAYS, where its delay
# stays (gpu/device/delay.cuh), and for the emulated device (gpu/emulation/faults.py). What edits.cmake has already is
# not repeated. The beginning of a name says how a GPU looks for it (gpu/planted/kill_matrix.sh): those of `warp-` order
# the lanes of one warp, which no delay holds up apart, and go to racecheck. Three kinds a GPU may not show at all: those of
# `fence-` order memory or wait for words on their way, which a delay only gives time; those of `copy-` await a copy that
# the waiting warp began itself; those of `block-` keep a block in its cluster while others read its shared memory, which
# keeps its bytes for a while.
#
# Left out of the list, as sm_90 does without:
# - the warp barrier behind wait_for_bytes, as each lane waits itself;
# - the warp barrier behind those of a warp's slots, as all threads of the block meet before the first copy;
# - the last wait of the attention, behind whose last round nothing is copied, and that of a row which is attended to whole,
#   behind which only a step that follows without a copy in between could find an older one's list;
# - what is compiled for sm_80 only.
# Also the warp barrier before the last count_tiles() of signed products: it orders global memory within a warp, which
# no delay parts and racecheck does not see.

# Packed scores
edit(copy-to-slot-not-awaited packed_scores/packed_scores.cu packed_scores/stage.cuh
[[wait_for_bytes(barriers_ + slot * 8, next_ / kSlots % 2);]]
[[delay_here();]])
edit(fence-of-read-slots packed_scores/packed_scores.cu packed_scores/stage.cuh
[[empty_ = zero_when_read(stage, count);]]
[[empty_ = 0;]])
edit(fence-of-read-slots-of-four-heads packed_scores/four_heads.cu packed_scores/stage.cuh
[[empty_ = zero_when_read(stage, count);]]
[[empty_ = 0;]])
edit(tables-not-awaited packed_scores/packed_scores.cu packed_scores/tables.cuh
[[wait_for_bytes(barrier_, copies_++ % 2);]]
[[delay_here();]])
edit(tables-of-four-heads-not-awaited packed_scores/four_heads.cu packed_scores/tables.cuh
[[      block_barrier();]]
[[      delay_here();]])
edit(copies-begin-before-their-barriers packed_scores/packed_scores.cu packed_scores/kernel.cuh
[[  block_barrier();  // counts and block_tables]]
[[  delay_here();]])
edit(rows-finished-before-scored packed_scores/packed_scores.cu packed_scores/kernel.cuh
[[    block_barrier();
    finish_rows]]
[[    delay_here();
    finish_rows]])
edit(rows-of-four-heads-finished-before-scored packed_scores/four_heads.cu packed_scores/kernel.cuh
[[    block_barrier();
    finish_rows]]
[[    delay_here();
    finish_rows]])
edit(counts-taken-while-others-count packed_scores/packed_scores.cu packed_scores/kernel.cuh
[[  block_barrier();  // all of the block have written]]
[[  delay_here();]])
edit(rows-counted-before-the-wait packed_scores/packed_scores.cu packed_scores/kernel.cuh
[[  wait_for_previous_kernel();
  if (rows_counted) launch_next_kernel();]]
[[  if (rows_counted) launch_next_kernel();
  wait_for_previous_kernel();]])
edit(warp-slot-refilled packed_scores/packed_scores.cu packed_scores/stage.cuh
[[    warp_barrier();
    ++next_;]]
[[    ++next_;]])
edit(fence-of-copy-barriers packed_scores/packed_scores.cu device/bulk_copy.cuh
[[  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");]]
[[]])
edit(fence-of-scores packed_scores/packed_scores.cu decode/row_progress.cuh
[[  __threadfence();]]
[[]])

edit(half-sums-read-before-written packed_scores/grouped_signed.cu packed_scores/grouped_kernel.cuh
[[  if (!in_flight) wait_for_previous_kernel();]]
[[  if (!in_flight) delay_here();]])
edit(copy-of-tile-not-awaited packed_scores/grouped_signed.cu packed_scores/grouped_products.cuh
[[    wait_for_first_of(kernel.ring_tiles);]]
[[    delay_here();]])
edit(copy-of-last-tile-not-awaited packed_scores/grouped_signed.cu packed_scores/grouped_products.cuh
[[    wait_for_first_of(kernel.ring_tiles);]]
[[    wait_for_first_of(kernel.ring_tiles + 1);]])
edit(warp-tile-of-other-lanes packed_scores/grouped_signed.cu packed_scores/grouped_products.cuh
[[    wait_for_first_of(kernel.ring_tiles);
    warp_barrier();]]
[[    wait_for_first_of(kernel.ring_tiles);]])
edit(warp-tile-refilled packed_scores/grouped_signed.cu packed_scores/grouped_kernel.cuh
[[        warp_barrier();
        ring.copy_next<]]
[[        ring.copy_next<]])
edit(fence-of-bulk-additions packed_scores/grouped_signed.cu device/bulk_copy.cuh
[[  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");]]
[[]])
edit(weights-not-awaited packed_scores/grouped_signed.cu packed_scores/grouped_weights.cuh
[[put_weights<sets>(projection, at, words, unit_scale, row);
  });
  block_barrier();]]
[[put_weights<sets>(projection, at, words, unit_scale, row);
  });
  delay_here();]])
edit(largest-not-awaited packed_scores/grouped_signed.cu packed_scores/grouped_weights.cuh
[[.largest, largest);
  });
  block_barrier();]]
[[.largest, largest);
  });
  delay_here();]])
edit(largest-found-before-cleared packed_scores/grouped_signed.cu packed_scores/prepare_rows.cuh
[[  block_barrier();
  put_weights_of_row]]
[[  delay_here();
  put_weights_of_row]])
edit(counts-added-before-all-are-counted packed_scores/grouped_signed.cu packed_scores/grouped_kernel.cuh
[[    if (counted) show_to_bulk_additions();
    block_barrier();]]
[[    if (counted) show_to_bulk_additions();
    delay_here();]])
edit(counts-cleared-before-added packed_scores/grouped_signed.cu packed_scores/grouped_kernel.cuh
[[    if (more) {
      block_barrier();]]
[[    if (more) {
      delay_here();]])

# Selection
edit(sum-of-own-block-awaited selection/selection.cu selection/kernel.cuh
[[  cluster_barrier();
  uint4 sum]]
[[  block_barrier();
  uint4 sum]])
edit(marks-of-own-block-awaited selection/selection.cu selection/kernel.cuh
[[  cluster_see();
  const int lane]]
[[  block_barrier();
  const int lane]])
edit(block-leaves-before-the-last-read selection/selection.cu selection/kernel.cuh
[[  cluster_wait();  // no block leaves while another reads its shared memory]]
[[  delay_here();]])
edit(counts-of-gathered-not-awaited selection/selection.cu selection/kernel.cuh
[[    block_barrier();
    return reinterpret_cast<const uint4*>(bins)[my_bins()];]]
[[    delay_here();
    return reinterpret_cast<const uint4*>(bins)[my_bins()];]])
edit(list-written-before-settled selection/selection.cu selection/kernel.cuh
[[  block_barrier();
  return threshold;]]
[[  delay_here();
  return threshold;]])
edit(marks-cleared-late selection/selection.cu selection/kernel.cuh
[[  block_barrier();
  Threshold threshold = gatherable_threshold]]
[[  delay_here();
  Threshold threshold = gatherable_threshold]])
edit(list-counted-before-written selection/selection.cu selection/kernel.cuh
[[    block_barrier();
    if (threadIdx.x == 0) {
      count_up]]
[[    delay_here();
    if (threadIdx.x == 0) {
      count_up]])
edit(sums-of-warps-not-awaited selection/selection.cu selection/threshold.cuh
[[  block_barrier();
  total = 0;]]
[[  delay_here();
  total = 0;]])
edit(bin-not-awaited selection/selection.cu selection/threshold.cuh
[[  block_barrier();
  return shared.selected;]]
[[  delay_here();
  return shared.selected;]])
edit(bins-cleared-late selection/selection.cu selection/threshold.cuh
[[threadIdx.x] = {0, 0, 0, 0};
  block_barrier();]]
[[threadIdx.x] = {0, 0, 0, 0};
  delay_here();]])
edit(places-of-warps-not-awaited selection/selection.cu selection/places.cuh
[[  block_barrier();]]
[[  delay_here();]])
edit(selection-begins-with-thread-0-waiting selection/selection.cu decode/row_progress.cuh
[[  block_barrier();]]
[[  delay_here();]])
edit(scores-of-short-rows-not-awaited selection/selection.cu decode/row_progress.cuh
[[return wait_for_previous_kernel();]]
[[return delay_here();]])
edit(warp-marks selection/selection.cu selection/marks.cuh
[[  });
  warp_barrier();]]
[[  });]])
edit(warp-positions selection/selection.cu selection/marks.cuh
[[  warp_barrier();
#pragma unroll 1]]
[[#pragma unroll 1]])
edit(fence-of-dropped-scores selection/selection.cu selection/row.cuh
[[    warp_barrier();]]
[[]])
edit(fence-of-lists selection/selection.cu decode/row_progress.cuh
[[  __threadfence();]]
[[]])
edit(fence-of-awaited-scores selection/selection.cu decode/row_progress.cuh
[[ld.acquire.gpu.u32]]
[[ld.relaxed.gpu.u32]])

# Attention
edit(attention-begins-with-thread-0-waiting attention/attention.cu decode/row_progress.cuh
[[  block_barrier();]]
[[  delay_here();]])
edit(list-of-short-rows-not-awaited attention/attention.cu decode/row_progress.cuh
[[return wait_for_previous_kernel();]]
[[return delay_here();]])
edit(rings-overwritten-while-read attention/attention.cu attention/attention.cu
[[    block_barrier();
    auto* vectors]]
[[    delay_here();
    auto* vectors]])
edit(vectors-of-warps-not-awaited attention/attention.cu attention/attention.cu
[[    block_barrier();
    constexpr int group]]
[[    delay_here();
    constexpr int group]])
edit(parts-not-awaited attention/merge_rows.cu attention/merge_rows.cu
[[  wait_for_previous_kernel();]]
[[  delay_here();]])
edit(vectors-of-groups-not-awaited attention/merge_rows.cu attention/parts.cuh
[[  block_barrier();]]
[[  delay_here();]])
edit(warp-rounds attention/attention.cu attention/rows.cuh
[[    warp_barrier();                  // of every lane; and every lane has done with the round before
]]
[[]])
edit(fence-of-awaited-lists attention/attention.cu decode/row_progress.cuh
[[ld.acquire.gpu.u32]]
[[ld.relaxed.gpu.u32]])

# Half-tables, index building and the published kernels
edit(warp-planes scores/soft_buckets.cu scores/buckets_kernel.cuh
[[  warp_barrier();
  const int entries]]
[[  const int entries]])
edit(warp-halves scores/soft_buckets.cu scores/buckets_kernel.cuh
[[  warp_barrier();
  const int low]]
[[  const int low]])
edit(hyperplanes-of-index-not-awaited index/build_index.cu index/build_kernel.cuh
[[  block_barrier();]]
[[  delay_here();]])
edit(hyperplanes-of-table-not-awaited index/key_codes.cu index/key_codes.cu
[[    block_barrier();
    if (thread < keys_here)]]
[[    delay_here();
    if (thread < keys_here)]])
edit(index-written-while-read index/build_index.cu index/build_index.cu
[[  wait_for_previous_kernel();]]
[[  delay_here();]])
edit(codes-written-while-read index/key_codes.cu index/key_codes.cu
[[  wait_for_previous_kernel();
  launch_next_kernel();
  extern]]
[[  delay_here();
  launch_next_kernel();
  extern]])
edit(codes-not-awaited index/key_codes.cu index/key_codes.cu
[[  wait_for_previous_kernel();
  launch_next_kernel();
  const skt_pack_codes_args& args]]
[[  delay_here();
  launch_next_kernel();
  const skt_pack_codes_args& args]])
edit(norms-written-while-read index/value_norms.cu index/value_norms.cu
[[  wait_for_previous_kernel();]]
[[  delay_here();]])
edit(buckets-not-awaited scores/collision_scores.cu scores/collision_scores.cu
[[  wait_for_previous_kernel();]]
[[  delay_here();]])
edit(best-keys-not-awaited selection/published_list.cu selection/published_list.cu
[[  wait_for_previous_kernel();]]
[[  delay_here();]])

# Several ranks. The kernel of a step, which has the first passage too, reads what other threads of the block wrote there only
# behind its next barrier.
edit(row-totals-not-awaited selection/shards.cu selection/kernel.cuh
[[  block_barrier();
  cluster_arrive();]]
[[  delay_here();
  cluster_arrive();]])
edit(sums-not-awaited selection/shards.cu selection/shards.cu
[[  wait_for_previous_kernel();
  const ShardKeys keys = shard_keys(kernel.shard);
  const KeyBits marked]]
[[  delay_here();
  const ShardKeys keys = shard_keys(kernel.shard);
  const KeyBits marked]])
edit(gathered-counts-not-awaited selection/shards.cu selection/shards.cu
[[  wait_for_previous_kernel();
  const ShardKeys keys = shard_keys(kernel.shard);
  const KeyBits bits]]
[[  delay_here();
  const ShardKeys keys = shard_keys(kernel.shard);
  const KeyBits bits]])
edit(block-leaves-with-counts-unread selection/shards.cu selection/shards.cu
[[    reinterpret_cast<uint4*>(kernel.counts + std::int64_t{blockIdx.y} * kShardBins)[my_bins()] = counts;
  }
  cluster_wait();]]
[[    reinterpret_cast<uint4*>(kernel.counts + std::int64_t{blockIdx.y} * kShardBins)[my_bins()] = counts;
  }
  delay_here();]])
edit(parts-of-ranks-not-awaited attention/merge_parts.cu attention/merge_parts.cu
[[  wait_for_previous_kernel();]]
[[  delay_here();]])

# Lists of kv heads, whole sequences and appended keys
edit(sums-of-a-tile-not-awaited packed_scores/grouped_signed.cu packed_scores/prepare_rows.cuh
[[  block_barrier();
  return join]]
[[  delay_here();
  return join]])
edit(half-sums-not-awaited packed_scores/grouped_signed.cu packed_scores/prepare_rows.cuh
[[  wait_for_previous_kernel();
  if (!is_there) return;]]
[[  delay_here();
  if (!is_there) return;]])
edit(prepared-weights-not-awaited packed_scores/grouped_signed.cu packed_scores/grouped_kernel.cuh
[[    weights_of_rows.put(memory.weights);
    block_barrier();]]
[[    weights_of_rows.put(memory.weights);
    delay_here();]])
edit(normalisers-not-awaited packed_scores/grouped_signed.cu packed_scores/shared_list.cuh
[[    block_barrier();
  }

 private:
  __device__ int count()]]
[[    delay_here();
  }

 private:
  __device__ int count()]])
edit(keys-appended-ahead-of-the-cache attention/attention.cu attention/attention.cu
[[  if (!settled) wait_for_previous_kernel();
  launch_next_kernel();]]
[[  launch_next_kernel();
  if (!settled) wait_for_previous_kernel();]])
