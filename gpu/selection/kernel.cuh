// Selects the `budget` best keys of each row, exactly, joined with the sink and window keys (paper, Algorithm 3).
//
// CPU twin: select_keys in estimators/selection.hpp, here in rising order of index.
// Arithmetic: comparisons and whole numbers (gpu/functors/ordered_key.hpp), so the result depends on neither block size
// nor cluster size nor on the order in which keys are gathered.
// Method: gpu/selection/threshold.cuh finds the bin of the budget-th largest key, in the counts made with the scores or
// in its own; one more pass marks the keys above that bin and gathers those in it (gpu/selection/marks.cuh), which then
// settle the threshold in shared memory; gpu/selection/places.cuh lists what is marked.
// Bytes: every score is read once where it was counted when made, else once more, mostly from L2; and once more for
// each time that the threshold's bin holds over 4096 keys, as ties do. Of bf16 scores most bins hold one number: nothing is
// gathered then, and no bin divided.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "gpu/decode/decode_stages.hpp"
#include "gpu/decode/row_progress.cuh"
#include "gpu/device/barrier.cuh"
#include "gpu/device/launch.cuh"
#include "gpu/functors/lengths.hpp"
#include "gpu/functors/packed_codes.hpp"
#include "gpu/rest/arguments.hpp"
#include "gpu/selection/places.cuh"

namespace skt::gpu {

struct alignas(16) SelectionShared {
  ThresholdShared threshold;
  MarksShared marks;
  // Aligned, so that loads of two totals take in nothing else: row_total is written while others still read them.
  alignas(16) Place warp_totals[kSelectWarps];
  Place row_total, row_before;          // this block's share
  std::uint32_t of_row[kGatheredKeys];  // all blocks' gathered keys, in order of the blocks
};

// Of the row to a warp: whole words of bits and lines of scores.
template <class Score>
__host__ __device__ int keys_per_warp(std::int64_t keys, int cluster) {
  const auto lines = static_cast<unsigned>(cluster) * kSelectWarps * kLineScores<Score>;
  return to_int(ceil_div(static_cast<unsigned>(keys), lines) * kLineScores<Score>);
}

struct SelectionArguments {
  skt_select_keys_args args;
  RowBins bins;
  RowProgress progress;
  Inputs inputs;
  ListEnd* ends;  // [rows], where lists end; or null
  int unscored;   // the row's last so many keys, all in its window, may have no scores yet
};

__device__ inline uint4 sum_of_cluster(const std::uint32_t* bins) {
  cluster_barrier();
  uint4 sum = {0, 0, 0, 0};
  for (int rank = 0; rank < cluster_size(); ++rank) {
    const uint4 counts = reinterpret_cast<const uint4*>(shared_of(bins, rank))[my_bins()];
    sum = {sum.x + counts.x, sum.y + counts.y, sum.z + counts.z, sum.w + counts.w};
  }
  return sum;
}

template <class Score>
__device__ uint4 count_scores(const Share<Score>& share, const Batch<Score>& first_batch, std::uint32_t lowest,
                              std::uint32_t* bins) {
  clear(bins);
  share.for_each_candidate(first_batch,
                           [&](std::uint32_t ordered) { atomicAdd(&bins[score_bin(ordered, lowest)], 1u); });
  return sum_of_cluster(bins);
}

// What was counted with the scores; zeros if nothing was.
__device__ inline uint4 counted_before(const SelectionArguments& kernel, int row) {
  if (kernel.bins.counts == nullptr) return {0, 0, 0, 0};
  const std::uint32_t* row_bins = kernel.bins.counts + std::int64_t{row} * kScoreBins;
  return reinterpret_cast<const uint4*>(row_bins)[my_bins()];
}

// The threshold's interval, with no more keys in it than can be gathered unless they all tie or are all taken. Leaves
// load(share.begin) in `batch`.
template <class Score>
__device__ Threshold gatherable_threshold(const SelectionArguments& kernel, std::uint32_t budget, uint4 counts,
                                          const Share<Score>& share, Batch<Score>& batch, ThresholdShared& shared) {
  if (budget == 0) return nothing_but_forced();
  if (kernel.bins.counts == nullptr) {
    counts = count_scores(share, batch, kernel.bins.lowest, shared.bins[1]);
    batch = share.load(share.begin);
  }
  Threshold threshold = from_score_bins(counts, kernel.bins.lowest, budget, shared);
  static_assert(kScoreBinShift <= 16);
  if (kIsBf16<Score> && threshold.width <= kScoreBinShift) threshold.width = 0;  // a bin of one number
  for (int round = 0; threshold.is_divisible() && threshold.count > kGatheredKeys; ++round) {
    const auto visit = [&](auto&& count) { share.for_each_candidate(batch, count); };
    threshold = narrow(threshold, shared.bins[round % 2], shared, visit, sum_of_cluster);
    batch = share.load(share.begin);
  }
  return threshold;
}

// The marks of the row in all: before this block's share, and altogether. Brings the gathered keys of all blocks, if
// keys are gathered, and returns their number. Behind cluster_show(); no block reads another's memory behind it.
struct Gathered {
  std::uint32_t begin, end;  // of this block's, among the row's
  std::uint32_t count;
};
__device__ inline Gathered exchange(bool gathers, SelectionShared& shared) {
  cluster_see();
  const int lane = threadIdx.x % 32;
  const Place of_rank = lane < cluster_size() ? *shared_of(&shared.marks.here, lane) : Place{0, 0};
  const auto before = [&](std::uint32_t value, int rank) { return __reduce_add_sync(~0u, lane < rank ? value : 0u); };
  const Place total = {before(of_rank.certain, 32), before(of_rank.tied, 32)};
  const Place mine = {before(of_rank.certain, cluster_rank()), before(of_rank.tied, cluster_rank())};
  const int warps = kSelectWarps / cluster_size();  // bring the keys of one block
  const int thread = threadIdx.x;
  const int rank = thread / 32 / warps;
  if (gathers && rank < cluster_size()) {
    const std::uint32_t first = before(of_rank.tied, rank);
    const int here = __shfl_sync(~0u, of_rank.tied, rank);
    const std::uint32_t* keys = shared_of(shared.marks.gathered, rank);
#pragma unroll 4
    for (int i = thread - 32 * warps * rank; i < here; i += 32 * warps) {
      shared.of_row[first + i] = keys[i];
    }
  }
  if (threadIdx.x == 0) {  // what is gathered is yet to be counted
    shared.row_total = {total.certain, gathers ? 0 : total.tied};
    shared.row_before = {mine.certain, gathers ? 0 : mine.tied};
  }
  block_barrier();
  cluster_arrive();
  return {mine.tied, mine.tied + shared.marks.here.tied, total.tied};
}

__device__ inline void add_of_block(Place& sum, std::uint32_t certain, std::uint32_t tied) {
  certain = __reduce_add_sync(~0u, certain);
  tied = __reduce_add_sync(~0u, tied);
  if (threadIdx.x % 32 != 0) return;
  if (certain != 0) atomicAdd(&sum.certain, certain);
  if (tied != 0) atomicAdd(&sum.tied, tied);
}

// The threshold itself, from the gathered keys of all blocks; then they are counted, and this block's own of them are
// marked by it.
__device__ inline Threshold settle(Threshold threshold, const Gathered& row, const KeyBits& bits,
                                   SelectionShared& shared) {
  const auto visit = [&](auto&& each) {
    for (std::uint32_t i = threadIdx.x; i < row.count; i += kSelectThreads) each(shared.of_row[i]);
  };
  const auto own_bins = [](const std::uint32_t* bins) {
    block_barrier();
    return reinterpret_cast<const uint4*>(bins)[my_bins()];
  };
  for (int round = 0; threshold.is_divisible(); ++round) {
    threshold = narrow(threshold, shared.threshold.bins[round % 2], shared.threshold, visit, own_bins);
  }
  Place total = {0, 0};
  Place before = {0, 0};
  for (std::uint32_t i = threadIdx.x; i < row.count; i += kSelectThreads) {
    const std::uint32_t key = shared.of_row[i];
    const std::uint32_t certain = threshold.is_above(key) ? 1 : 0;
    const std::uint32_t tied = threshold.contains(key) ? 1 : 0;
    total = {total.certain + certain, total.tied + tied};
    if (i < row.begin) before = {before.certain + certain, before.tied + tied};
    if (tied == 0 && i >= row.begin && i < row.end) {
      const std::uint32_t position = shared.marks.positions[i - row.begin];
      Word& word = bits.word[position / 32];
      atomicAnd(&word.tied, ~(1u << position % 32));
      if (certain != 0) atomicOr(&word.certain, 1u << position % 32);
    }
  }
  add_of_block(shared.row_total, total.certain, total.tied);
  add_of_block(shared.row_before, before.certain, before.tied);
  block_barrier();
  return threshold;
}

// The keys of a block, begin .. end - 1, a share of a multiple of 32 to each warp where the row does not end.
struct BlockKeys {
  int begin, end;
};
__device__ inline BlockKeys keys_of_block(int keys, int per_warp) {
  const int begin = min(cluster_rank() * kSelectWarps * per_warp, keys);
  return {begin, min(begin + kSelectWarps * per_warp, keys)};
}
template <class Score>
__device__ Share<Score> share_of_warp(const SelectionArguments& kernel, int row, const BlockKeys& block, int per_warp,
                                      int length) {
  const skt_select_keys_args& args = kernel.args;
  const int warp = threadIdx.x / 32;
  const int begin = min(block.begin + warp * per_warp, block.end);
  return {static_cast<const Score*>(args.scores) + row * args.shape.capacity,
          begin,
          min(begin + per_warp, block.end),
          to_int(args.list.sink),
          window_begin(length, to_int(args.list.window)),
          length - kernel.unscored};
}

// The thread with the last of the interval's keys that are listed says which it is.
__device__ inline void write_end(const KeyBits& bits, const Words& mine, Place before, const Threshold& threshold,
                                 ListEnd& end) {
  const bool is_open = threshold.need != kAll && threshold.need != 0;
  if (cluster_rank() == 0 && threadIdx.x == 0) {
    end.base = threshold.base;
    end.span = threshold.span;
    if (!is_open) end.cut = threshold.need == 0 ? 0 : INT32_MAX;
  }
  if (!is_open) return;
  for (int i = mine.begin; i < mine.begin + mine.each; ++i) {
    std::uint32_t left = word_at(bits, i).tied;
    const auto here = static_cast<std::uint32_t>(__popc(left));
    if (before.tied < threshold.need && threshold.need <= before.tied + here) {
      for (std::uint32_t place = before.tied + 1; place < threshold.need; ++place) left &= left - 1;
      end.cut = bits.first_key + 32 * i + __ffs(left);
    }
    before.tied += here;
  }
}

// The row's list from what is marked, and its length; -1 behind the last. Where it ends, if `end` is not null. `before`: what
// comes before this thread's words in the block.
__device__ inline void write_row(const skt_select_keys_args& args, int row, const KeyBits& bits, const Words& mine,
                                 Place before, const Threshold& threshold, ListEnd* end, SelectionShared& shared) {
  const std::uint32_t need = threshold.need;
  const std::int64_t list = length_of_list(args.list);
  std::int32_t* selected = args.selected + row * list;
  before = {before.certain + shared.row_before.certain, before.tied + shared.row_before.tied};
  write_list(bits, mine, before, need, selected);
  if (end != nullptr) write_end(bits, mine, before, threshold, *end);
  const std::int64_t count = shared.row_total.selected(need);
  if (cluster_rank() == 0 && threadIdx.x == 0) args.counts[row] = static_cast<std::int32_t>(count);
  for (std::int64_t i = count + cluster_rank() * kSelectThreads + threadIdx.x; i < list;
       i += cluster_size() * kSelectThreads) {
    selected[i] = -1;
  }
}

__device__ inline void write_row(const skt_select_keys_args& args, int row, const KeyBits& bits,
                                 const Threshold& threshold, ListEnd* end, SelectionShared& shared) {
  const Words mine = my_words(bits);
  write_row(args, row, bits, mine, places_before(bits, mine, shared.warp_totals), threshold, end, shared);
}

__device__ inline int length_of_row(const skt_select_keys_args& args, int row) {
  const int query_rows = query_rows_of(args.shape);
  if (args.sequences.lengths == nullptr && query_rows == 1) return scored_length(args.sequences, 0);
  const RowPlace place = place_of_row(row, to_int(args.shape.heads), query_rows);
  return length_before(scored_length(args.sequences, place.sequence), place.behind);
}

// Grid: [cluster, rows]. A block has room for the bits of its share of the keys in use; the row's own keys may be fewer.
template <class Score>
__global__ void __launch_bounds__(kSelectThreads, 2) select_keys_kernel(SelectionArguments kernel) {
  launch_next_kernel();
  extern __shared__ __align__(16) std::byte memory[];
  SelectionShared& shared = *reinterpret_cast<SelectionShared*>(memory);
  const skt_select_keys_args& args = kernel.args;
  if (kernel.inputs == Inputs::may_be_in_flight) wait_for_previous_kernel();
  const int row = static_cast<int>(blockIdx.y);
  const int length = length_of_row(args, row);
  const int per_warp = keys_per_warp<Score>(length, cluster_size());
  const BlockKeys keys = keys_of_block(length, per_warp);
  const Share<Score> share = share_of_warp<Score>(kernel, row, keys, per_warp, length);
  const KeyBits bits = {reinterpret_cast<Word*>(memory + sizeof(SelectionShared)), (keys.end - keys.begin + 31) / 32,
                        keys.begin};
  if (threadIdx.x == 0) shared.marks.here = {0, 0};
  wait_for_row(kernel.progress.scored, row, ceil_div(length, to_int(kTileKeys)));
  const uint4 counts = counted_before(kernel, row);
  Batch<Score> batch = share.load(share.begin);
  const std::uint32_t budget = budget_of(length, to_int(args.list.budget), to_int(args.list.sparsity));
  block_barrier();
  Threshold threshold = gatherable_threshold(kernel, budget, counts, share, batch, shared.threshold);
  mark_share(share, batch, threshold, bits);
  count_and_gather(share, threshold.is_divisible(), bits, shared.marks);
  if (kernel.bins.counts != nullptr && !kernel.bins.scores_stay) share.drop();
  // Marks that are settled are counted while other blocks come.
  const bool gathers = threshold.is_divisible();
  ListEnd* const end = kernel.ends == nullptr ? nullptr : kernel.ends + row;
  cluster_show();
  if (gathers) {
    const Gathered gathered = exchange(true, shared);
    threshold = settle(threshold, gathered, bits, shared);
    write_row(args, row, bits, threshold, end, shared);
  } else {
    block_barrier();
    const Words mine = my_words(bits);
    const Place before = places_before(bits, mine, shared.warp_totals);
    exchange(false, shared);
    write_row(args, row, bits, mine, before, threshold, end, shared);
  }
  if (kernel.progress.selected != nullptr) {
    block_barrier();
    if (threadIdx.x == 0) {
      count_up(&kernel.progress.selected[row], kWholeRow / cluster_size());
    }
  }
  cluster_wait();  // no block leaves while another reads its shared memory
}

}  // namespace skt::gpu
