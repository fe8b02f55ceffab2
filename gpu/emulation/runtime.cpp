#include "gpu/emulation/runtime.hpp"

#include <map>

#include "gpu/emulation/device.hpp"
#include "gpu/emulation/settings.hpp"

namespace skt::emulation {
namespace {

cudaError_t last_error = cudaSuccess;

// What a kernel was allowed.
struct Allowed {
  int shared_bytes = kUsualSharedBytes;
  unsigned cluster = kPortableCluster;
};
Allowed& allowed(const void* kernel) {
  static std::map<const void*, Allowed> of_kernel;
  return of_kernel[kernel];
}

}  // namespace

std::recursive_mutex& launch_mutex() {
  static std::recursive_mutex mutex;
  return mutex;
}

cudaError_t note(cudaError_t error) {
  if (error != cudaSuccess) last_error = error;
  return error;
}

int most_shared_bytes(const void* kernel) {
  return allowed(kernel).shared_bytes;
}

unsigned largest_cluster(const void* kernel) {
  return allowed(kernel).cluster;
}

}  // namespace skt::emulation

using namespace skt::emulation;

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, enum cudaDeviceAttr attribute, int) {
  const std::lock_guard lock(launch_mutex());
  switch (attribute) {
    case cudaDevAttrMultiProcessorCount:
      *value = settings().multiprocessors;
      return cudaSuccess;
    case cudaDevAttrComputeCapabilityMajor:
      *value = kMajor;
      return cudaSuccess;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      *value = kMostSharedBytes;
      return cudaSuccess;
    default:
      return note(cudaErrorNotSupported);
  }
}

cudaError_t cudaGetLastError() {
  const std::lock_guard lock(launch_mutex());
  const cudaError_t error = last_error;
  last_error = cudaSuccess;
  return error;
}

cudaError_t cudaDeviceSynchronize() {
  const std::lock_guard lock(launch_mutex());
  note(finish_launches());
  return cudaGetLastError();
}

const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "no error";
    case cudaErrorLaunchFailure:
      return "the emulated device ended a kernel: its line on standard error says why";
    case cudaErrorInvalidConfiguration:
      return "invalid configuration of a launch";
    case cudaErrorInvalidValue:
      return "invalid argument";
    case cudaErrorMemoryAllocation:
      return "out of memory";
    case cudaErrorNotSupported:
      return "the emulated device does not know this";
    default:
      return "an error of the emulated device";
  }
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes* attributes, const void* kernel) {
  const std::lock_guard lock(launch_mutex());
  *attributes = {};
  attributes->maxDynamicSharedSizeBytes = most_shared_bytes(kernel);
  return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void* kernel, enum cudaFuncAttribute attribute, int value) {
  const std::lock_guard lock(launch_mutex());
  if (attribute == cudaFuncAttributeNonPortableClusterSizeAllowed) {
    allowed(kernel).cluster = value != 0 ? kMostCluster : kPortableCluster;
  }
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
  if (value < 0 || value > kMostSharedBytes) return note(cudaErrorInvalidValue);
  allowed(kernel).shared_bytes = value;
  return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, const void* kernel, const cudaLaunchConfig_t* config) {
  const std::lock_guard lock(launch_mutex());
  if (shape_of(*config).cluster > largest_cluster(kernel)) return note(cudaErrorInvalidConfiguration);
  *clusters = kActiveClusters;
  return cudaSuccess;
}

}  // extern "C"
