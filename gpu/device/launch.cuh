// How is a kernel launched? As a dependent launch (sm_90): its blocks may become resident while the kernel before it
// drains.
//
// Every block calls wait_for_previous_kernel(), or waits for its row's counters (gpu/decode/row_progress.cuh), before it
// writes to global memory or reads what a kernel still running may write. A step has two exceptions. Blocks of the merge
// that append wait for nothing: they read what is settled, and write codes and norms that no stage of the step uses.
// Attention to a whole sequence reads keys and values and writes its parts first, and waits at its end.
//
// What is settled (Inputs::settled) is read before the wait: codes, norms, lengths and the block table by prepared rows
// and packed scores, lengths by the selection, queries and lengths by the attention. The half-tables' kernel lets the
// first of these begin only behind its own wait, when all before the step is done.
//
// launch_next_kernel() lets the next kernel become resident. At the start call it: selection, merge, packed scores whose
// rows are not counted, and prepared rows and attention of settled inputs. All others call it behind their wait. On
// sm_80 both functions are nothing, and the stream orders all.
#pragma once

#include <cuda_runtime.h>

#include "gpu/device/delay.cuh"
#include "gpu/device/validate.hpp"
#include "gpu/functors/whole_numbers.hpp"

namespace skt::gpu {

__device__ inline void wait_for_previous_kernel(unsigned site = __builtin_LINE()) {
#if __CUDA_ARCH__ >= 900
  delay_here(site);
  cudaGridDependencySynchronize();
  delay_here(~site);
#endif
}

__device__ inline void launch_next_kernel(unsigned site = __builtin_LINE()) {
#if __CUDA_ARCH__ >= 900
  delay_here(site);
  cudaTriggerProgrammaticLaunchCompletion();
  delay_here(~site);
#endif
}

// Whether this build has code of sm_90 or above, which such a device then runs: a build for sm_80 alone runs there too,
// but knows no clusters, and none of its kernels waits.
constexpr bool kBuiltForSm90 = [] {
  for (const int architecture : {__CUDA_ARCH_LIST__}) {
    if (architecture >= 900) return true;
  }
  return false;
}();

struct Device {
  int multiprocessors = 0;
  bool has_clusters = false;  // and dependent launches
  int shared_bytes = 0;       // the most that one block may ask for
};

inline cudaError_t query_device(Device& device) {
  int id = 0;
  cudaError_t status = cudaGetDevice(&id);
  if (status == cudaSuccess) {
    status = cudaDeviceGetAttribute(&device.multiprocessors, cudaDevAttrMultiProcessorCount, id);
  }
  int major = 0;
  if (status == cudaSuccess) status = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, id);
  device.has_clusters = kBuiltForSm90 && major >= 9;
  if (status == cudaSuccess) {
    status = cudaDeviceGetAttribute(&device.shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, id);
  }
  return status;
}

inline int cuda_failure(cudaError_t status, skt_error* error) {
  if (status == cudaSuccess) return SKT_OK;
  if (error != nullptr) {
    std::snprintf(error->message, sizeof error->message, "CUDA: %s", cudaGetErrorString(status));
  }
  return SKT_CUDA_ERROR;
}

inline dim3 grid_of(std::int64_t x, std::int64_t y = 1, std::int64_t z = 1) {
  return dim3(static_cast<unsigned>(x), static_cast<unsigned>(y), static_cast<unsigned>(z));
}

constexpr int kPortableCluster = 8;  // of blocks: what every device of sm_90 grants

struct Launch {
  dim3 grid;
  int threads = 0;
  std::size_t shared_bytes = 0;
  int cluster = 1;  // blocks to a cluster along x; 1 below sm_90; above kPortableCluster only behind active_clusters()
  // How shared memory and L1 divide. The stages of a step ask for the same: a change waits for the kernel before to
  // end.
  int carveout = cudaSharedmemCarveoutDefault;
};

// One thread to each of `count` keys of every row, `threads` to a block: grid [ceil(count / threads), rows].
inline Launch thread_to_a_key(std::int64_t count, int threads, std::int64_t rows) {
  Launch shape;
  shape.grid = grid_of(ceil_div(count, threads), rows);
  shape.threads = threads;
  return shape;
}

// Lets the kernel ask for all shared memory that its own static arrays leave, whose size is `most`. The same for every
// launch: host threads that launch one kernel with different sizes do not take it from one another.
template <class Arguments>
cudaError_t allow_shared_memory(void (*kernel)(Arguments), const Device& device, int& most) {
  cudaFuncAttributes attributes = {};
  const cudaError_t status = cudaFuncGetAttributes(&attributes, kernel);
  if (status != cudaSuccess) return status;
  most = device.shared_bytes - to_int(attributes.sharedSizeBytes);
  if (attributes.maxDynamicSharedSizeBytes == most) return cudaSuccess;
  return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most);
}

// How many clusters of this shape the device holds at once; 0 where it grants none so large.
template <class Arguments>
cudaError_t active_clusters(void (*kernel)(Arguments), const Launch& shape, const Device& device, int& active) {
  int most = 0;
  const bool portable = shape.cluster <= kPortableCluster;
  cudaError_t status = allow_shared_memory(kernel, device, most);
  if (status == cudaSuccess && !portable) {
    status = cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  }
  if (status != cudaSuccess) return status;
  cudaLaunchAttribute cluster = {};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = shape.cluster;
  cluster.val.clusterDim.y = 1;
  cluster.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = shape.grid;
  config.blockDim = grid_of(shape.threads);
  config.dynamicSmemBytes = shape.shared_bytes;
  config.attrs = &cluster;
  config.numAttrs = 1;
  status = cudaOccupancyMaxActiveClusters(&active, kernel, &config);
  if (status == cudaSuccess || portable) return status;
  active = 0;
  cudaGetLastError();  // else the next caller of it would find this error; one of another kind shows with a smaller cluster
  return cudaSuccess;
}

// Static: each unit of compilation has a seed of its own (gpu/device/delay.cuh).
template <class Arguments>
static int launch(void (*kernel)(Arguments), const Launch& shape, cudaStream_t stream, const Arguments& arguments,
                  skt_error* error) {
  Device device;
  int most = 0;
  cudaError_t status = query_device(device);
  if (status == cudaSuccess) status = allow_shared_memory(kernel, device, most);
  if (status == cudaSuccess) status = seed_delays();
  if (status != cudaSuccess) return cuda_failure(status, error);
  Validation validation(error);
  validation.in_range("shared memory of a block for these sizes, in bytes,", shape.shared_bytes, 0, most);
  if (validation.failed()) return SKT_UNSUPPORTED;
  status = cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, shape.carveout);
  if (status != cudaSuccess) return cuda_failure(status, error);
  cudaLaunchAttribute attributes[2] = {};
  cudaLaunchConfig_t config = {};
  config.gridDim = shape.grid;
  config.blockDim = grid_of(shape.threads);
  config.dynamicSmemBytes = shape.shared_bytes;
  config.stream = stream;
  config.attrs = attributes;
  if (device.has_clusters) {
    attributes[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[0].val.programmaticStreamSerializationAllowed = 1;
    attributes[1].id = cudaLaunchAttributeClusterDimension;
    attributes[1].val.clusterDim.x = shape.cluster;
    attributes[1].val.clusterDim.y = 1;
    attributes[1].val.clusterDim.z = 1;
    config.numAttrs = shape.cluster > 1 ? 2 : 1;
  }
  return cuda_failure(cudaLaunchKernelEx(&config, kernel, arguments), error);
}

}  // namespace skt::gpu
