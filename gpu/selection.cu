// Selects the `budget` best keys of each row, exactly, joined with the sink and window keys (paper, Algorithm
// 3).
//
// CPU twin: select_keys in estimators/selection.hpp, here in rising order of index.
// Arithmetic: integers only (gpu/ordered_key.hpp), so the result depends on neither block size nor cluster
// size. Method: a radix search for the budget-th largest key. Between the smallest and the largest key
// present, a histogram over 256 equal intervals finds the interval that holds it; that interval is divided
// again, until its keys tie or are all taken: at most 4 rounds for 32 bits. Then each selected key finds its
// place in the list by counting what is selected before it.
// Bytes: every score is read once if a block's share of the row fits its shared memory, else up to 7 times,
// mostly from L2.
#include <cuda_runtime.h>

#include "gpu/cluster.cuh"
#include "gpu/launch.cuh"
#include "gpu/ordered_key.hpp"

namespace skt::gpu {
namespace {

constexpr int kThreads = 512;
constexpr int kWarps = kThreads / 32;
constexpr int kBinBits = 8;  // few bins, as each round brings every block's bins to every block of the row
constexpr int kBins = 1 << kBinBits;
constexpr int kBatch = 8;           // reads of a thread in flight
constexpr int kLargestCluster = 8;  // what every sm_90 device grants
// Two blocks with their shares resident fit the 228 KB of a multiprocessor of sm_90.
constexpr std::int64_t kResidentBytes = 96 * 1024;

struct Counts {
  std::uint32_t candidates;  // allowed keys outside sink and window
  std::uint32_t lowest, highest;
};

struct Totals {
  std::uint32_t certain, tied;
};

struct Shared {
  std::uint32_t bins[2][kBins];  // of this block, of rounds by turns: others may still read the last round's
  std::uint32_t row_bins[kLargestCluster / 2][kBins];
  std::uint32_t warp_totals[2][kWarps];
  Counts block, row;
  Totals block_total, before, total;
  std::uint32_t bin, taken_above, in_bin;
};

// Sink and window keys rank above every score: the largest score, +infinity, has the key 0xff800000.
constexpr std::uint32_t kForced = ~0u;

// The keys in [base, base + span]: the interval that holds the threshold, 2^width wide or less. `need` of
// them, lowest index first, are selected; keys above are all selected, keys below none.
struct Threshold {
  std::uint32_t base;
  std::uint32_t span;
  int width;  // 0 .. 32
  std::uint32_t need;

  __device__ bool contains(std::uint32_t key) const { return key - base <= span; }
  __device__ bool is_above(std::uint32_t key) const { return key > base && !contains(key); }
};

// The row's keys as they lie in memory, or this block's share of them once moved to shared memory.
struct KeysInMemory {
  const float* scores;
  int sink, window_begin;

  __device__ float read(int key) const { return scores[key]; }
  __device__ std::uint32_t ordered(float score, int key) const {
    const std::uint32_t of_score = ordered_key(score);
    return of_score != kNeverSelected && (key < sink || key >= window_begin) ? kForced : of_score;
  }
};
struct KeysInShared {
  const std::uint32_t* keys;
  int first;

  __device__ std::uint32_t read(int key) const { return keys[key - first]; }
  __device__ std::uint32_t ordered(std::uint32_t of_score, int) const { return of_score; }
};

// What one warp works on: the keys begin .. end - 1 of the row, in index order.
struct Share {
  int begin, end;

  // Calls visit(key, ordered key), 32 lanes together; lanes behind the end see kNeverSelected. A batch is
  // read before its first visit, so that reads overlap.
  template <class Keys, class Visit>
  __device__ void for_each(const Keys& keys, Visit&& visit) const {
    const int lane = threadIdx.x % 32;
    for (int first = begin; first < end; first += 32 * kBatch) {
      decltype(keys.read(0)) batch[kBatch];
#pragma unroll
      for (int i = 0; i < kBatch; ++i) batch[i] = keys.read(min(first + 32 * i + lane, end - 1));
#pragma unroll
      for (int i = 0; i < kBatch; ++i) {
        const int key = first + 32 * i + lane;
        visit(key, key < end ? keys.ordered(batch[i], key) : kNeverSelected);
      }
    }
  }
};

// Counts the candidates of the row; `keep(key, ordered key)` sees every key of the warp's share.
template <class Keys, class Keep>
__device__ Counts count_candidates(const Share& share, const Keys& keys, Keep&& keep, Shared& shared) {
  if (threadIdx.x == 0) shared.block = {0, ~0u, 0};
  __syncthreads();
  Counts mine = {0, ~0u, 0};
  share.for_each(keys, [&](int key, std::uint32_t ordered) {
    keep(key, ordered);
    if (ordered == kNeverSelected || ordered == kForced) return;
    ++mine.candidates;
    mine.lowest = min(mine.lowest, ordered);
    mine.highest = max(mine.highest, ordered);
  });
  mine.candidates = __reduce_add_sync(~0u, mine.candidates);
  mine.lowest = __reduce_min_sync(~0u, mine.lowest);
  mine.highest = __reduce_max_sync(~0u, mine.highest);
  if (threadIdx.x % 32 == 0) {
    atomicAdd(&shared.block.candidates, mine.candidates);
    atomicMin(&shared.block.lowest, mine.lowest);
    atomicMax(&shared.block.highest, mine.highest);
  }
  cluster_barrier();
  if (threadIdx.x < 32) {  // lane r brings the counts of block r
    Counts row = {0, ~0u, 0};
    if (static_cast<int>(threadIdx.x) < cluster_size())
      row = *shared_of(&shared.block, static_cast<int>(threadIdx.x));
    row.candidates = __reduce_add_sync(~0u, row.candidates);
    row.lowest = __reduce_min_sync(~0u, row.lowest);
    row.highest = __reduce_max_sync(~0u, row.highest);
    if (threadIdx.x == 0) shared.row = row;
  }
  __syncthreads();
  return shared.row;
}

// Sum of `value` over the threads before this one, and over all of them.
__device__ std::uint32_t scan_block(std::uint32_t value, std::uint32_t* warp_totals, std::uint32_t& total) {
  const int lane = threadIdx.x % 32;
  std::uint32_t inclusive = value;
  for (int offset = 1; offset < 32; offset *= 2) {
    const std::uint32_t before = __shfl_up_sync(~0u, inclusive, offset);
    if (lane >= offset) inclusive += before;
  }
  if (lane == 31) warp_totals[threadIdx.x / 32] = inclusive;
  __syncthreads();
  std::uint32_t before = 0;
  total = 0;
  for (int warp = 0; warp < kWarps; ++warp) {
    if (warp < static_cast<int>(threadIdx.x / 32)) before += warp_totals[warp];
    total += warp_totals[warp];
  }
  return before + inclusive - value;
}

// The row's bin `threadIdx.x` counted from the highest; 0 for threads behind the last bin. Threads of equal
// remainder by kBins share a bin's blocks.
__device__ std::uint32_t row_bin(const std::uint32_t* bins, Shared& shared) {
  constexpr int sharers = kThreads / kBins;
  constexpr int blocks = kLargestCluster / sharers;
  const int bin = static_cast<int>(threadIdx.x) % kBins;
  const int sharer = static_cast<int>(threadIdx.x) / kBins;
  std::uint32_t sum = 0;
#pragma unroll
  for (int i = 0; i < blocks; ++i) {
    const int rank = sharer * blocks + i;
    if (rank < cluster_size()) sum += shared_of(bins, rank)[bin];
  }
  shared.row_bins[sharer][bin] = sum;
  __syncthreads();
  if (threadIdx.x >= kBins) return 0;
  std::uint32_t all = 0;
  for (int i = 0; i < sharers; ++i) all += shared.row_bins[i][kBins - 1 - bin];
  return all;
}

// One round: the threshold's interval, divided by up to 256, narrowed to the part that holds the threshold.
template <class Keys>
__device__ Threshold narrow(const Share& share, const Keys& keys, const Threshold& threshold,
                            std::uint32_t* bins, Shared& shared) {
  const int shift = max(threshold.width - kBinBits, 0);
  if (threadIdx.x < kBins) bins[threadIdx.x] = 0;
  __syncthreads();
  share.for_each(keys, [&](int, std::uint32_t ordered) {
    if (threshold.contains(ordered)) atomicAdd(&bins[(ordered - threshold.base) >> shift], 1u);
  });
  cluster_barrier();
  const std::uint32_t in_bin = row_bin(bins, shared);
  std::uint32_t total = 0;
  const std::uint32_t above = scan_block(in_bin, shared.warp_totals[0], total);
  if (above < threshold.need && threshold.need <= above + in_bin) {
    shared.bin = kBins - 1 - threadIdx.x;
    shared.taken_above = above;
    shared.in_bin = in_bin;
  }
  __syncthreads();
  const std::uint32_t begin = shared.bin << shift;  // of the bin, from base
  Threshold narrower = {threshold.base + begin, min((1u << shift) - 1, threshold.span - begin), shift,
                        threshold.need - shared.taken_above};
  if (narrower.need == shared.in_bin)
    narrower.need = ~0u;  // the whole interval is taken: no need to divide it
  return narrower;
}

template <class Keys>
__device__ Threshold find_threshold(const Share& share, const Keys& keys, const Counts& row,
                                    std::uint32_t budget, Shared& shared) {
  if (budget == 0 || row.candidates == 0) return {kForced - 1, 0, 0, 0};  // only forced keys are above
  const std::uint32_t span = row.highest - row.lowest;
  Threshold threshold = {row.lowest, span, 32 - __clz(static_cast<int>(span)), budget};
  if (budget >= row.candidates) threshold.need = ~0u;
  for (int round = 0; threshold.width > 0 && threshold.need != ~0u; ++round) {
    threshold = narrow(share, keys, threshold, shared.bins[round % 2], shared);
  }
  return threshold;
}

struct Place {
  std::uint32_t certain;  // selected whatever the ties do
  std::uint32_t tied;     // in the threshold's interval

  __device__ std::uint32_t selected(std::uint32_t need) const { return certain + min(tied, need); }
};

// What comes before this warp in the row, and the row's total.
template <class Keys>
__device__ Place places_before(const Share& share, const Keys& keys, const Threshold& threshold,
                               Shared& shared, Place& total) {
  Place warp = {0, 0};
  share.for_each(keys, [&](int, std::uint32_t ordered) {
    warp.certain += threshold.is_above(ordered) ? 1u : 0u;
    warp.tied += threshold.contains(ordered) ? 1u : 0u;
  });
  warp = {__reduce_add_sync(~0u, warp.certain), __reduce_add_sync(~0u, warp.tied)};
  if (threadIdx.x % 32 == 0) {
    shared.warp_totals[0][threadIdx.x / 32] = warp.certain;
    shared.warp_totals[1][threadIdx.x / 32] = warp.tied;
  }
  __syncthreads();
  Place before = {0, 0};
  Place block = {0, 0};
  for (int w = 0; w < kWarps; ++w) {
    if (w < static_cast<int>(threadIdx.x / 32)) {
      before.certain += shared.warp_totals[0][w];
      before.tied += shared.warp_totals[1][w];
    }
    block.certain += shared.warp_totals[0][w];
    block.tied += shared.warp_totals[1][w];
  }
  if (threadIdx.x == 0) shared.block_total = {block.certain, block.tied};
  cluster_barrier();
  if (threadIdx.x < 32) {  // lane r brings the totals of block r
    const int rank = static_cast<int>(threadIdx.x);
    Totals of_rank = {0, 0};
    if (rank < cluster_size()) of_rank = *shared_of(&shared.block_total, rank);
    const bool earlier = rank < cluster_rank();
    const Totals all = {__reduce_add_sync(~0u, of_rank.certain), __reduce_add_sync(~0u, of_rank.tied)};
    const Totals earlier_blocks = {__reduce_add_sync(~0u, earlier ? of_rank.certain : 0u),
                                   __reduce_add_sync(~0u, earlier ? of_rank.tied : 0u)};
    if (rank == 0) {
      shared.total = all;
      shared.before = earlier_blocks;
    }
  }
  __syncthreads();
  total = {shared.total.certain, shared.total.tied};
  return {before.certain + shared.before.certain, before.tied + shared.before.tied};
}

template <class Keys>
__device__ void write_list(const Share& share, const Keys& keys, const Threshold& threshold, Place before,
                           std::int32_t* list) {
  const std::uint32_t lanes_before = (1u << threadIdx.x % 32) - 1u;
  share.for_each(keys, [&](int key, std::uint32_t ordered) {
    const bool is_certain = threshold.is_above(ordered);
    const bool is_tied = threshold.contains(ordered);
    const std::uint32_t certain = __ballot_sync(~0u, is_certain);
    const std::uint32_t tied = __ballot_sync(~0u, is_tied);
    if ((certain | tied) == 0) return;  // as in most groups of 32
    const Place here = {before.certain + __popc(certain & lanes_before),
                        before.tied + __popc(tied & lanes_before)};
    if (is_certain || (is_tied && here.tied < threshold.need)) list[here.selected(threshold.need)] = key;
    before.certain += __popc(certain);
    before.tied += __popc(tied);
  });
}

template <class Keys>
__device__ void select_from(const skt_select_keys_args& args, const Share& share, const Keys& keys,
                            const Counts& row, Shared& shared) {
  const Threshold threshold =
      find_threshold(share, keys, row, static_cast<std::uint32_t>(min(args.budget, args.keys)), shared);
  Place total = {};
  const Place before = places_before(share, keys, threshold, shared, total);
  const std::int64_t list = args.sink + args.budget + args.window;
  std::int32_t* selected = args.selected + blockIdx.y * list;
  write_list(share, keys, threshold, before, selected);
  const std::int64_t count = total.selected(threshold.need);
  if (cluster_rank() == 0 && threadIdx.x == 0) args.counts[blockIdx.y] = static_cast<std::int32_t>(count);
  for (std::int64_t i = count + cluster_rank() * kThreads + threadIdx.x; i < list;
       i += cluster_size() * kThreads) {
    selected[i] = -1;
  }
  cluster_barrier();  // no block leaves while another reads its shared memory
}

struct KernelArguments {
  skt_select_keys_args args;
  std::int64_t resident_keys;  // of a block, in shared memory; 0: they stay in memory
};

// Grid: [cluster, rows].
__global__ void __launch_bounds__(kThreads, 2) select_keys_kernel(KernelArguments kernel) {
  launch_next_kernel();
  wait_for_previous_kernel();
  extern __shared__ std::uint32_t resident_keys[];
  __shared__ Shared shared;
  const skt_select_keys_args& args = kernel.args;
  const int keys = static_cast<int>(args.keys);
  const int per_warp = (keys + cluster_size() * kThreads - 1) / (cluster_size() * kThreads) * 32;
  const int block_begin = min(cluster_rank() * kWarps * per_warp, keys);
  const int block_end = min(block_begin + kWarps * per_warp, keys);
  Share share;
  share.begin = min(block_begin + static_cast<int>(threadIdx.x / 32) * per_warp, block_end);
  share.end = min(share.begin + per_warp, block_end);
  const KeysInMemory in_memory = {args.scores + blockIdx.y * args.capacity,
                                  static_cast<int>(min(args.sink, args.keys)),
                                  static_cast<int>(args.keys - min(args.window, args.keys))};
  if (kernel.resident_keys == 0) {
    const Counts row = count_candidates(
        share, in_memory, [](int, std::uint32_t) {}, shared);
    select_from(args, share, in_memory, row, shared);
    return;
  }
  const auto keep = [&](int key, std::uint32_t ordered) {
    if (key < share.end) resident_keys[key - block_begin] = ordered;
  };
  const Counts row = count_candidates(share, in_memory, keep, shared);  // its barrier makes the keys visible
  select_from(args, share, KeysInShared{resident_keys, block_begin}, row, shared);
}

Validation validate(const skt_select_keys_args& args, skt_error* error) {
  Validation check(error);
  check.in_range("rows", args.rows, 1, 65535);
  check.cache(args.capacity);
  check.in_range("keys", args.keys, 0, args.capacity);
  constexpr std::int64_t most = (std::int64_t{1} << 31) - 1;
  check.in_range("budget", args.budget, 0, most);
  check.in_range("sink", args.sink, 0, most);
  check.in_range("window", args.window, 0, most);
  check.in_range("sink + budget + window", check.failed() ? 1 : args.sink + args.budget + args.window, 1,
                 most);
  check.pointer("scores", args.scores);
  check.pointer("selected", args.selected);
  check.pointer("counts", args.counts, 4);
  return check;
}

// How one row is spread over `cluster` blocks.
Launch spread(const skt_select_keys_args& args, const Device& device, int cluster,
              std::int64_t& resident_keys) {
  const std::int64_t unit = static_cast<std::int64_t>(cluster) * kThreads;
  const std::int64_t keys_per_block = (args.keys + unit - 1) / unit * kThreads;
  const std::int64_t bytes = keys_per_block * static_cast<std::int64_t>(sizeof(std::uint32_t));
  const bool fits =
      bytes <= kResidentBytes && bytes + static_cast<std::int64_t>(sizeof(Shared)) <= device.shared_bytes;
  resident_keys = fits ? keys_per_block : 0;
  Launch shape;
  shape.cluster = cluster;
  shape.grid = dim3(static_cast<unsigned>(cluster), static_cast<unsigned>(args.rows));
  shape.threads = kThreads;
  shape.shared_bytes = fits ? static_cast<std::size_t>(bytes) : 0;
  return shape;
}

// The largest cluster of which the device holds one for every row at once: clusters that wait for room cost a
// whole second round. One block to a row below sm_90, for short rows and for more rows than fit.
cudaError_t choose_spread(const skt_select_keys_args& args, Launch& shape, std::int64_t& resident_keys) {
  Device device;
  cudaError_t status = query_device(device);
  if (status != cudaSuccess) return status;
  const int largest = device.major < 9 ? 1 : kLargestCluster;
  for (int cluster = largest; cluster >= 1; --cluster) {
    shape = spread(args, device, cluster, resident_keys);
    if (cluster == 1 || static_cast<std::int64_t>(cluster) * kThreads > args.keys) continue;
    int active = 0;
    status = active_clusters(select_keys_kernel, shape, active);
    if (status != cudaSuccess || active >= args.rows) return status;
  }
  return cudaSuccess;
}

}  // namespace
}  // namespace skt::gpu

using namespace skt::gpu;

int skt_select_keys(const skt_select_keys_args* args, CUstream_st* stream, skt_error* error) {
  const Validation check = validate(*args, error);
  if (check.failed()) return check.code();
  Launch shape;
  std::int64_t resident_keys = 0;
  if (const cudaError_t status = choose_spread(*args, shape, resident_keys); status != cudaSuccess) {
    return cuda_failure(status, error);
  }
  return launch(select_keys_kernel, shape, stream, {*args, resident_keys}, error);
}
