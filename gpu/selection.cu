// Selects the `budget` best keys of each row, exactly, joined with the sink and window keys (paper, Algorithm
// 3).
//
// CPU twin: select_keys in estimators/selection.hpp, here in rising order of index.
// Arithmetic: integers only (gpu/ordered_key.hpp), so the result depends on neither block size nor cluster
// size nor on the order in which keys are gathered. Method: gpu/selection_threshold.cuh finds the bin of the
// budget-th largest key, in the counts made with the scores or by passes over the row; one more pass marks
// the keys above that bin and gathers those in it, which then settle the threshold in shared memory;
// gpu/selection_places.cuh lists what is marked.
// Bytes: every score is read once where it was counted when made; else twice more, mostly from L2; once more
// for each time that the threshold's bin holds over 4096 keys, as ties do.
#include <cuda_runtime.h>

#include <cstddef>

#include "gpu/decode_stages.hpp"
#include "gpu/launch.cuh"
#include "gpu/selection_places.cuh"

namespace skt::gpu {
namespace {

constexpr int kBatch = 16;          // reads of a thread in flight
constexpr int kLargestCluster = 8;  // what every sm_90 device grants

struct Shared {
  ThresholdShared threshold;
  PlacesShared places;
  std::uint32_t gathered_here;
  std::uint32_t gathered[kGatheredKeys];   // keys of this block in the threshold's interval, in any order
  std::uint32_t positions[kGatheredKeys];  // and where they stand in the block's share
  std::uint32_t of_row[kGatheredKeys];     // all blocks' keys
};

// Of the row to a warp: a multiple of 32.
__host__ __device__ int keys_per_warp(std::int64_t keys, int cluster) {
  const std::int64_t unit = static_cast<std::int64_t>(cluster) * kSelectThreads;
  return static_cast<int>((keys + unit - 1) / unit * 32);
}

struct KernelArguments {
  skt_select_keys_args args;
  const std::uint32_t* row_bins;  // or null
  std::uint32_t* part_counts;     // or null
};

// Volatile, so that the reads of a batch are not moved one by one to where each is used.
__device__ float score_at(const float* at) {
  float score;
  asm volatile("ld.global.f32 %0, [%1];" : "=f"(score) : "l"(at) : "memory");
  return score;
}

// What one warp works on: the keys begin .. end - 1 of the row, in index order.
struct Share {
  const float* scores;
  int begin, end;
  int sink, window_begin;

  __device__ std::uint32_t ordered(float score, int key) const {
    const std::uint32_t of_score = ordered_key(score);
    return of_score != kNeverSelected && (key < sink || key >= window_begin) ? kForced : of_score;
  }
  // Calls visit(key, score), 32 lanes together; lanes behind the end see any score. A batch is read before its
  // first visit, so that reads overlap.
  template <class Visit>
  __device__ void for_each_score(Visit&& visit) const {
    const int lane = threadIdx.x % 32;
    for (int first = begin; first < end; first += 32 * kBatch) {
      float batch[kBatch];
#pragma unroll
      for (int i = 0; i < kBatch; ++i) batch[i] = score_at(scores + min(first + 32 * i + lane, end - 1));
#pragma unroll
      for (int i = 0; i < kBatch; ++i) {
        if (first + 32 * i >= end) return;
        visit(first + 32 * i + lane, batch[i]);
      }
    }
  }
  // The same with the ordered key; lanes behind the end see kNeverSelected.
  template <class Visit>
  __device__ void for_each(Visit&& visit) const {
    for_each_score(
        [&](int key, float score) { visit(key, key < end ? ordered(score, key) : kNeverSelected); });
  }
};

// A score that every key of at least `base` reaches, and of the keys below only such as tie with it in fp32:
// the score of that key where it is positive, else the lowest.
__device__ float score_floor(std::uint32_t base) {
  constexpr std::uint32_t zero = 0x80000000u;
  constexpr std::uint32_t infinity = 0x7f800000u;
  return base > zero ? __uint_as_float(min(base - zero, infinity)) : -INFINITY;
}

__device__ uint4 sum_of_cluster(const uint4* bins) {
  cluster_barrier();
  uint4 sum = {0, 0, 0, 0};
  for (int rank = 0; rank < cluster_size(); ++rank) {
    const uint4 counts = shared_of(bins, rank)[my_bins()];
    sum = {sum.x + counts.x, sum.y + counts.y, sum.z + counts.z, sum.w + counts.w};
  }
  return sum;
}

// The threshold's interval, with no more keys in it than can be gathered unless they all tie or are all taken.
__device__ Threshold gatherable_threshold(const KernelArguments& kernel, const Share& share, Shared& shared) {
  const auto budget = static_cast<std::uint32_t>(kernel.args.budget);
  if (budget == 0) return nothing_but_forced();
  Threshold threshold = everything(budget);
  if (kernel.row_bins != nullptr) {
    threshold = from_row_bins(kernel.row_bins + static_cast<std::int64_t>(blockIdx.y) * kScoreBins, budget,
                              shared.threshold);
  }
  for (int round = 0; threshold.is_divisible() && threshold.count > kGatheredKeys; ++round) {
    const auto visit = [&](auto&& count) {
      share.for_each([&](int, std::uint32_t ordered) { count(ordered); });
    };
    threshold = narrow(threshold, shared.threshold.bins[round % 2], shared.threshold, visit, sum_of_cluster);
  }
  return threshold;
}

// Marks what is certain or tied by now, and gathers what a divisible interval leaves open. Few keys reach
// `floor`, which no score outside both reaches; the others cost a comparison.
__device__ void mark_keys(const Share& share, const Threshold& threshold, const KeyBits& bits, Shared& shared) {
  const bool gathers = threshold.is_divisible();
  const float floor = score_floor(threshold.base);
  share.for_each_score([&](int key, float score) {
    const bool inside = key < share.end;
    const bool forced = key < share.sink || key >= share.window_begin;
    const bool looks = inside && (forced || score >= floor);
    const int position = key - bits.first_key;
    std::uint32_t certain = 0;
    std::uint32_t tied = 0;
    if (__any_sync(~0u, looks)) {
      const std::uint32_t ordered = looks ? share.ordered(score, key) : kNeverSelected;
      const bool open = threshold.contains(ordered);
      certain = __ballot_sync(~0u, threshold.is_above(ordered));
      tied = __ballot_sync(~0u, open && !gathers);
      if (gathers && open) {
        const std::uint32_t slot = atomicAdd(&shared.gathered_here, 1u);
        shared.gathered[slot] = ordered;
        shared.positions[slot] = static_cast<std::uint32_t>(position);
      }
    }
    if (threadIdx.x % 32 == 0) {
      bits.certain[position / 32] = certain;
      bits.tied[position / 32] = tied;
    }
  });
}

// The threshold itself, from the gathered keys of all blocks; then this block's own of them are marked.
__device__ Threshold settle(Threshold threshold, const KeyBits& bits, Shared& shared) {
  cluster_barrier();
  // Warp w brings the keys of blocks w, w + kSelectWarps, ..; lane r of each warp knows the count of block r.
  const int lane = static_cast<int>(threadIdx.x % 32);
  const std::uint32_t of_rank = lane < cluster_size() ? *shared_of(&shared.gathered_here, lane) : 0u;
  const std::uint32_t count = __reduce_add_sync(~0u, of_rank);
  for (int rank = static_cast<int>(threadIdx.x) / 32; rank < cluster_size(); rank += kSelectWarps) {
    const std::uint32_t first = __reduce_add_sync(~0u, lane < rank ? of_rank : 0u);
    const auto here = static_cast<int>(__shfl_sync(~0u, of_rank, rank));
    const std::uint32_t* keys = shared_of(shared.gathered, rank);
#pragma unroll 4
    for (int i = lane; i < here; i += 32) shared.of_row[first + i] = keys[i];
  }
  __syncthreads();
  const auto visit = [&](auto&& each) {
    for (std::uint32_t i = threadIdx.x; i < count; i += kSelectThreads) each(shared.of_row[i]);
  };
  const auto own_bins = [](const uint4* bins) {
    __syncthreads();
    return bins[my_bins()];
  };
  for (int round = 0; threshold.is_divisible(); ++round) {
    threshold = narrow(threshold, shared.threshold.bins[round % 2], shared.threshold, visit, own_bins);
  }
  for (std::uint32_t i = threadIdx.x; i < shared.gathered_here; i += kSelectThreads) {
    const std::uint32_t key = shared.gathered[i];
    const std::uint32_t position = shared.positions[i];
    if (threshold.is_above(key)) atomicOr(&bits.certain[position / 32], 1u << position % 32);
    if (threshold.contains(key)) atomicOr(&bits.tied[position / 32], 1u << position % 32);
  }
  __syncthreads();
  return threshold;
}

// Grid: [cluster, rows].
__global__ void __launch_bounds__(kSelectThreads, 2) select_keys_kernel(KernelArguments kernel) {
  launch_next_kernel();
  wait_for_previous_kernel();
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
  auto* words = reinterpret_cast<std::uint32_t*>(memory + sizeof(Shared));
  const KeyBits bits = {words, words + kSelectWarps * per_warp / 32, (block_end - block_begin + 31) / 32,
                        block_begin};
  if (threadIdx.x == 0) shared.gathered_here = 0;
  if (kernel.part_counts != nullptr && threadIdx.x == 0) kernel.part_counts[blockIdx.y] = 0;
  __syncthreads();
  Threshold threshold = gatherable_threshold(kernel, share, shared);
  mark_keys(share, threshold, bits, shared);
  if (threshold.is_divisible()) threshold = settle(threshold, bits, shared);
  __syncthreads();
  const std::int64_t list = args.sink + args.budget + args.window;
  std::int32_t* selected = args.selected + blockIdx.y * list;
  const Words mine = my_words(bits);
  Place total = {};
  const Place before = places_before(bits, mine, shared.places, total);
  write_list(bits, mine, before, threshold.need, selected);
  const std::int64_t count = total.selected(threshold.need);
  if (cluster_rank() == 0 && threadIdx.x == 0) args.counts[blockIdx.y] = static_cast<std::int32_t>(count);
  for (std::int64_t i = count + cluster_rank() * kSelectThreads + threadIdx.x; i < list;
       i += cluster_size() * kSelectThreads) {
    selected[i] = -1;
  }
  cluster_barrier();  // no block leaves while another reads its shared memory
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

// The largest cluster of which the device holds one for every row at once, as clusters that wait for room cost
// a whole second round; if rows are too many for that, the smallest that fits. One block to a row below sm_90
// and for short rows.
cudaError_t choose_spread(const skt_select_keys_args& args, Launch& shape) {
  Device device;
  cudaError_t status = query_device(device);
  if (status != cudaSuccess) return status;
  const int largest = device.major < 9 ? 1 : kLargestCluster;
  shape = spread(args, largest);
  for (int cluster = largest; cluster >= 1; --cluster) {
    const Launch candidate = spread(args, cluster);
    if (candidate.shared_bytes > static_cast<std::size_t>(device.shared_bytes)) break;
    shape = candidate;
    if (cluster == 1 || static_cast<std::int64_t>(cluster) * kSelectThreads > args.keys) continue;
    int active = 0;
    status = active_clusters(select_keys_kernel, shape, active);
    if (status != cudaSuccess || active >= args.rows) return status;
  }
  return cudaSuccess;
}

}  // namespace

int launch_select_keys(const skt_select_keys_args& args, const RowBins& bins, std::uint32_t* part_counts,
                       CUstream_st* stream, skt_error* error) {
  const Validation check = validate(args, error);
  if (check.failed()) return check.code();
  Launch shape;
  if (const cudaError_t status = choose_spread(args, shape); status != cudaSuccess) {
    return cuda_failure(status, error);
  }
  return launch(select_keys_kernel, shape, stream, {args, bins.counts, part_counts}, error);
}

}  // namespace skt::gpu

int skt_select_keys(const skt_select_keys_args* args, CUstream_st* stream, skt_error* error) {
  return skt::gpu::launch_select_keys(*args, {}, nullptr, stream, error);
}
