// Selects the `budget` best keys of each row, exactly, joined with the sink and window keys (paper, Algorithm
// 3).
//
// CPU twin: select_keys in estimators/selection.hpp, here in rising order of index.
// Arithmetic: comparisons and whole numbers (gpu/functors/ordered_key.hpp), so the result depends on neither block
// size nor cluster size nor on the order in which keys are gathered. Method: gpu/selection/threshold.cuh
// finds the bin of the budget-th largest key, in the counts made with the scores or in its own; one more pass
// marks the keys above that bin and gathers those in it (gpu/selection/marks.cuh), which then settle the
// threshold in shared memory; gpu/selection/places.cuh lists what is marked. Bytes: every score is read once
// where it was counted when made, else once more, mostly from L2; and once more for each time that the
// threshold's bin holds over 4096 keys, as ties do.
#include <cuda_runtime.h>

#include <cstddef>

#include "gpu/decode/decode_stages.hpp"
#include "gpu/decode/row_progress.cuh"
#include "gpu/device/launch.cuh"
#include "gpu/functors/packed_codes.hpp"
#include "gpu/selection/places.cuh"

namespace skt::gpu {
namespace {

constexpr int kLargestCluster = 8;          // what every sm_90 device grants
constexpr std::int64_t kFewestKeys = 4096;  // to a block: with fewer, what a cluster exchanges weighs more

struct alignas(16) Shared {
  ThresholdShared threshold;
  MarksShared marks;
  Place row_total, row_before;  // this block's share
  Place warp_totals[kSelectWarps];
  std::uint32_t of_row[kGatheredKeys];  // all blocks' gathered keys, in order of the blocks
};

// Of the row to a warp: a multiple of 32.
__host__ __device__ int keys_per_warp(std::int64_t keys, int cluster) {
  const std::int64_t unit = static_cast<std::int64_t>(cluster) * kSelectThreads;
  return static_cast<int>((keys + unit - 1) / unit * 32);
}

struct KernelArguments {
  skt_select_keys_args args;
  RowBins bins;
  RowAwait scores;
  std::uint32_t* selected;  // counters of the rows' progress; or null
};

__device__ uint4 sum_of_cluster(const std::uint32_t* bins) {
  cluster_barrier();
  uint4 sum = {0, 0, 0, 0};
  for (int rank = 0; rank < cluster_size(); ++rank) {
    const uint4 counts = reinterpret_cast<const uint4*>(shared_of(bins, rank))[my_bins()];
    sum = {sum.x + counts.x, sum.y + counts.y, sum.z + counts.z, sum.w + counts.w};
  }
  return sum;
}

__device__ uint4 count_scores(const Share& share, const Batch& first_batch, std::uint32_t lowest, std::uint32_t* bins) {
  clear(bins);
  share.for_each_candidate(first_batch,
                           [&](std::uint32_t ordered) { atomicAdd(&bins[score_bin(ordered, lowest)], 1u); });
  return sum_of_cluster(bins);
}

// What was counted with the scores; zeros if nothing was.
__device__ uint4 counted_before(const KernelArguments& kernel) {
  if (kernel.bins.counts == nullptr) return {0, 0, 0, 0};
  const std::uint32_t* row_bins = kernel.bins.counts + static_cast<std::int64_t>(blockIdx.y) * kScoreBins;
  return reinterpret_cast<const uint4*>(row_bins)[my_bins()];
}

// The threshold's interval, with no more keys in it than can be gathered unless they all tie or are all
// taken. Leaves load(share.begin) in `batch`.
__device__ Threshold gatherable_threshold(const KernelArguments& kernel, uint4 counts, const Share& share, Batch& batch,
                                          ThresholdShared& shared) {
  const auto budget = static_cast<std::uint32_t>(kernel.args.budget);
  if (budget == 0) return nothing_but_forced();
  if (kernel.bins.counts == nullptr) {
    counts = count_scores(share, batch, kernel.bins.lowest, shared.bins[1]);
    batch = share.load(share.begin);
  }
  Threshold threshold = from_score_bins(counts, kernel.bins.lowest, budget, shared);
  for (int round = 0; threshold.is_divisible() && threshold.count > kGatheredKeys; ++round) {
    const auto visit = [&](auto&& count) { share.for_each_candidate(batch, count); };
    threshold = narrow(threshold, shared.bins[round % 2], shared, visit, sum_of_cluster);
    batch = share.load(share.begin);
  }
  return threshold;
}

// The marks of the row in all: before this block's share, and altogether. Brings the gathered keys of all
// blocks, if keys are gathered, and returns their number. No block reads another's memory behind it.
struct Gathered {
  std::uint32_t begin, end;  // of this block's, among the row's
  std::uint32_t count;
};
__device__ Gathered exchange(bool gathers, Shared& shared) {
  cluster_barrier();
  const int lane = static_cast<int>(threadIdx.x % 32);
  const Place of_rank = lane < cluster_size() ? *shared_of(&shared.marks.here, lane) : Place{0, 0};
  const auto before = [&](std::uint32_t value, int rank) { return __reduce_add_sync(~0u, lane < rank ? value : 0u); };
  const Place total = {before(of_rank.certain, 32), before(of_rank.tied, 32)};
  const Place mine = {before(of_rank.certain, cluster_rank()), before(of_rank.tied, cluster_rank())};
  const int warps = kSelectWarps / cluster_size();  // bring the keys of one block
  const int rank = static_cast<int>(threadIdx.x) / 32 / warps;
  if (gathers && rank < cluster_size()) {
    const std::uint32_t first = before(of_rank.tied, rank);
    const auto here = static_cast<int>(__shfl_sync(~0u, of_rank.tied, rank));
    const std::uint32_t* keys = shared_of(shared.marks.gathered, rank);
#pragma unroll 4
    for (int i = static_cast<int>(threadIdx.x) - 32 * warps * rank; i < here; i += 32 * warps) {
      shared.of_row[first + i] = keys[i];
    }
  }
  if (threadIdx.x == 0) {  // what is gathered is yet to be counted
    shared.row_total = {total.certain, gathers ? 0 : total.tied};
    shared.row_before = {mine.certain, gathers ? 0 : mine.tied};
  }
  __syncthreads();
  cluster_arrive();
  return {mine.tied, mine.tied + shared.marks.here.tied, total.tied};
}

__device__ void add_of_block(Place& sum, std::uint32_t certain, std::uint32_t tied) {
  certain = __reduce_add_sync(~0u, certain);
  tied = __reduce_add_sync(~0u, tied);
  if (threadIdx.x % 32 != 0) return;
  if (certain != 0) atomicAdd(&sum.certain, certain);
  if (tied != 0) atomicAdd(&sum.tied, tied);
}

// The threshold itself, from the gathered keys of all blocks; then they are counted, and this block's own of
// them are marked by it.
__device__ Threshold settle(Threshold threshold, const Gathered& row, const KeyBits& bits, Shared& shared) {
  const auto visit = [&](auto&& each) {
    for (std::uint32_t i = threadIdx.x; i < row.count; i += kSelectThreads) each(shared.of_row[i]);
  };
  const auto own_bins = [](const std::uint32_t* bins) {
    __syncthreads();
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
  __syncthreads();
  return threshold;
}

// Grid: [cluster, rows].
__global__ void __launch_bounds__(kSelectThreads, 2) select_keys_kernel(KernelArguments kernel) {
  launch_next_kernel();
  extern __shared__ __align__(16) std::byte memory[];
  Shared& shared = *reinterpret_cast<Shared*>(memory);
  const skt_select_keys_args& args = kernel.args;
  const int keys = static_cast<int>(args.keys);
  const int per_warp = keys_per_warp(args.keys, cluster_size());
  const int block_begin = min(cluster_rank() * kSelectWarps * per_warp, keys);
  const int block_end = min(block_begin + kSelectWarps * per_warp, keys);
  const int begin = min(block_begin + static_cast<int>(threadIdx.x / 32) * per_warp, block_end);
  const Share share = {args.scores + blockIdx.y * args.capacity, begin, min(begin + per_warp, block_end),
                       static_cast<int>(min(args.sink, args.keys)),
                       static_cast<int>(args.keys - min(args.window, args.keys))};
  const KeyBits bits = {reinterpret_cast<Word*>(memory + sizeof(Shared)), (block_end - block_begin + 31) / 32,
                        block_begin};
  if (threadIdx.x == 0) shared.marks.here = {0, 0};
  wait_for_row(kernel.scores, blockIdx.y);
  const uint4 counts = counted_before(kernel);
  Batch batch = share.load(share.begin);
  __syncthreads();
  Threshold threshold = gatherable_threshold(kernel, counts, share, batch, shared.threshold);
  mark_share(share, batch, threshold, bits);
  count_and_gather(share, threshold.is_divisible(), bits, shared.marks);
  if (kernel.bins.counts != nullptr) share.drop();
  const Gathered gathered = exchange(threshold.is_divisible(), shared);
  if (threshold.is_divisible()) threshold = settle(threshold, gathered, bits, shared);
  const std::int64_t list = args.sink + args.budget + args.window;
  std::int32_t* selected = args.selected + blockIdx.y * list;
  const Words mine = my_words(bits);
  Place before = places_before(bits, mine, shared.warp_totals);
  before = {before.certain + shared.row_before.certain, before.tied + shared.row_before.tied};
  write_list(bits, mine, before, threshold.need, selected);
  const std::int64_t count = shared.row_total.selected(threshold.need);
  if (cluster_rank() == 0 && threadIdx.x == 0) args.counts[blockIdx.y] = static_cast<std::int32_t>(count);
  for (std::int64_t i = count + cluster_rank() * kSelectThreads + threadIdx.x; i < list;
       i += cluster_size() * kSelectThreads) {
    selected[i] = -1;
  }
  if (kernel.selected != nullptr) {
    __syncthreads();
    if (threadIdx.x == 0) {
      count_up(&kernel.selected[blockIdx.y], kWholeRow / static_cast<std::uint32_t>(cluster_size()));
    }
  }
  cluster_wait();  // no block leaves while another reads its shared memory
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
  check.in_range("sink + budget + window", check.failed() ? 1 : args.sink + args.budget + args.window, 1, most);
  check.pointer("scores", args.scores);
  check.pointer("selected", args.selected);
  check.pointer("counts", args.counts, 4);
  return check;
}

// How one row is spread over `cluster` blocks: beside the rest, two bits to a key.
Launch spread(const skt_select_keys_args& args, int cluster) {
  Launch shape;
  shape.cluster = cluster;
  shape.grid = dim3(static_cast<unsigned>(cluster), static_cast<unsigned>(args.rows));
  shape.carveout = cudaSharedmemCarveoutMaxShared;
  shape.threads = kSelectThreads;
  shape.shared_bytes =
      sizeof(Shared) + static_cast<std::size_t>(kSelectWarps) * keys_per_warp(args.keys, cluster) / 32 * 8;
  return shape;
}

// The largest cluster of which the device holds one for every row at once. Of clusters above a pair, which
// fits wherever two multiprocessors are neighbours, an eighth is to spare: where all were needed, the last at
// times began only when another had ended, 8 to 12 us late. If rows are too many for that, the smallest that
// fits. One block to a row below sm_90 and for short rows.
cudaError_t choose_spread(const skt_select_keys_args& args, Launch& shape) {
  Device device;
  cudaError_t status = query_device(device);
  if (status != cudaSuccess) return status;
  const int largest = device.has_clusters ? kLargestCluster : 1;
  shape = spread(args, largest);
  for (int cluster = largest; cluster >= 1; --cluster) {
    const Launch candidate = spread(args, cluster);
    if (candidate.shared_bytes > static_cast<std::size_t>(device.shared_bytes)) break;
    shape = candidate;
    if (cluster == 1 || cluster * kFewestKeys > args.keys) continue;
    const std::int64_t wanted = cluster > 2 ? args.rows + args.rows / 8 : args.rows;
    int active = 0;
    status = active_clusters(select_keys_kernel, shape, device, active);
    if (status != cudaSuccess || active >= wanted) return status;
  }
  return cudaSuccess;
}

}  // namespace

int check_select_keys(const skt_select_keys_args& args, skt_error* error) {
  return validate(args, error).code();
}

int launch_select_keys(const skt_select_keys_args& args, const RowBins& bins, const RowProgress& progress,
                       CUstream_st* stream, skt_error* error) {
  const Validation check = validate(args, error);
  if (check.failed()) return check.code();
  Launch shape;
  if (const cudaError_t status = choose_spread(args, shape); status != cudaSuccess) {
    return cuda_failure(status, error);
  }
  const auto tiles = static_cast<std::uint32_t>((args.keys + kTileKeys - 1) / kTileKeys);
  return launch(select_keys_kernel, shape, stream, {args, bins, {progress.scored, tiles}, progress.selected}, error);
}

}  // namespace skt::gpu

int skt_select_keys(const skt_select_keys_args* args, CUstream_st* stream, skt_error* error) {
  return skt::gpu::launch_select_keys(*args, {}, {}, stream, error);
}
