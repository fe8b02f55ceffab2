// Over how many blocks does a row spread whose scores are read once or more and whose keys take two bits each?
#pragma once

#include <algorithm>

#include "gpu/selection/kernel.cuh"

namespace skt::gpu {

constexpr int kLargestCluster = 12;  // with more, blocks share a multiprocessor (docs/experiments/gpu_selection.md)
static_assert(kLargestCluster <= kSelectWarps);
static_assert([] {
  for (int blocks = 1; blocks <= kLargestCluster; ++blocks) {
    if (kWholeRow % blocks != 0) return false;
  }
  return true;
}());
constexpr std::int64_t kFewestKeys = 4096;  // to a block: with fewer, what a cluster exchanges weighs more

struct RowsToSpread {
  std::int64_t rows, keys;
};

// How one row is spread over `cluster` blocks: beside the rest, two bits to a key.
template <class Score>
Launch spread(const RowsToSpread& of, int cluster) {
  Launch shape;
  shape.cluster = cluster;
  shape.grid = grid_of(cluster, of.rows);
  shape.carveout = cudaSharedmemCarveoutMaxShared;
  shape.threads = kSelectThreads;
  const std::size_t bits = kSelectWarps * std::int64_t(keys_per_warp<Score>(of.keys, cluster)) / 32 * sizeof(Word);
  shape.shared_bytes = sizeof(SelectionShared) + bits;
  return shape;
}

// The largest cluster of which the device holds one for every row at once. Of clusters above a pair, which fits
// wherever two multiprocessors are neighbours, an eighth is to spare: where all were needed, the last at times began
// only when another had ended, 8 to 12 us late. If rows are too many for that, the smallest that fits. One block to a
// row below sm_90 and for short rows.
template <class Score, class Arguments>
cudaError_t choose_spread(void (*kernel)(Arguments), const RowsToSpread& of, Launch& shape) {
  Device device;
  cudaError_t status = query_device(device);
  if (status != cudaSuccess) return status;
  const int largest = device.has_clusters ? kLargestCluster : 1;
  shape = spread<Score>(of, std::min(largest, kPortableCluster));
  for (int cluster = largest; cluster >= 1; --cluster) {
    const Launch candidate = spread<Score>(of, cluster);
    if (to_int(candidate.shared_bytes) > device.shared_bytes) break;
    if (cluster == 1 || cluster * kFewestKeys > of.keys) {
      shape = candidate;
      continue;
    }
    const std::int64_t wanted = cluster > 2 ? of.rows + of.rows / 8 : of.rows;
    int active = 0;
    status = active_clusters(kernel, candidate, device, active);
    if (active > 0) shape = candidate;
    if (status != cudaSuccess || active >= wanted) return status;
  }
  return cudaSuccess;
}

}  // namespace skt::gpu
