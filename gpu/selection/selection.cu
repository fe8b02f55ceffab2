// How is the selection launched: over how many blocks does a row spread? The kernel: gpu/selection/kernel.cuh.
#include "gpu/selection/kernel.cuh"

namespace skt::gpu {
namespace {

constexpr int kLargestCluster = 8;          // what every sm_90 device grants
constexpr std::int64_t kFewestKeys = 4096;  // to a block: with fewer, what a cluster exchanges weighs more

Validation validate(const skt_select_keys_args& args, skt_error* error) {
  Validation check(error);
  check.in_range("rows", args.rows, 1, 65535);
  check.cache(args.capacity);
  check.in_range("keys", args.keys, 0, args.capacity);
  check.list(args.budget, args.sink, args.window);
  check.sparsity(args.sparsity);
  check.pointer("scores", args.scores);
  check.pointer("selected", args.selected);
  check.pointer("counts", args.counts, 4);
  check.optional_pointer("lengths", args.lengths, 4);
  if (args.lengths != nullptr) {
    check.in_range("rows_per_length", args.rows_per_length, 1, args.rows);
    if (!check.failed()) check.multiple_of("rows", args.rows, args.rows_per_length);
  }
  return check;
}

// How one row is spread over `cluster` blocks: beside the rest, two bits to a key.
Launch spread(const skt_select_keys_args& args, int cluster) {
  Launch shape;
  shape.cluster = cluster;
  shape.grid = grid_of(cluster, args.rows);
  shape.carveout = cudaSharedmemCarveoutMaxShared;
  shape.threads = kSelectThreads;
  const std::size_t bits = kSelectWarps * std::int64_t(keys_per_warp(args.keys, cluster)) / 32 * sizeof(Word);
  shape.shared_bytes = sizeof(SelectionShared) + bits;
  return shape;
}

// The largest cluster of which the device holds one for every row at once. Of clusters above a pair, which fits
// wherever two multiprocessors are neighbours, an eighth is to spare: where all were needed, the last at times began
// only when another had ended, 8 to 12 us late. If rows are too many for that, the smallest that fits. One block to a
// row below sm_90 and for short rows.
cudaError_t choose_spread(const skt_select_keys_args& args, Launch& shape) {
  Device device;
  cudaError_t status = query_device(device);
  if (status != cudaSuccess) return status;
  const int largest = device.has_clusters ? kLargestCluster : 1;
  shape = spread(args, largest);
  for (int cluster = largest; cluster >= 1; --cluster) {
    const Launch candidate = spread(args, cluster);
    if (to_int(candidate.shared_bytes) > device.shared_bytes) break;
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
                       Inputs inputs, CUstream_st* stream, skt_error* error) {
  const Validation check = validate(args, error);
  if (check.failed()) return check.code();
  Launch shape;
  if (const cudaError_t status = choose_spread(args, shape); status != cudaSuccess) {
    return cuda_failure(status, error);
  }
  return launch(select_keys_kernel, shape, stream, {args, bins, progress, inputs}, error);
}

}  // namespace skt::gpu

int skt_select_keys(const skt_select_keys_args* args, CUstream_st* stream, skt_error* error) {
  return skt::gpu::launch_select_keys(*args, {}, {}, skt::gpu::Inputs::may_be_in_flight, stream, error);
}
