// Device memory of one check: filled with a pattern that is NaN in every floating type and -1 in every
// integer type, so that an element nobody wrote shows, and freed at the end of its scope.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpu/socketlab_gpu.h"

namespace skt::gpu {

inline void require(cudaError_t status, const char* what) {
  if (status != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}

// An operation that must be accepted; its message becomes the exception's.
inline void require(int code, const skt_error& error) {
  if (code != SKT_OK) throw std::runtime_error(error.message);
}

inline bool have_device() {
  int devices = 0;
  return cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
}

template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::int64_t count) : count_(count) {
    require(cudaMalloc(&data_, bytes() + (bytes() == 0)), "cudaMalloc");
    poison();
  }
  explicit DeviceArray(std::span<const T> host) : DeviceArray(static_cast<std::int64_t>(host.size())) {
    require(cudaMemcpy(data_, host.data(), bytes(), cudaMemcpyHostToDevice), "copy to the device");
  }
  explicit DeviceArray(const std::vector<T>& host) : DeviceArray(std::span<const T>(host)) {}
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { cudaFree(data_); }

  void poison() { require(cudaMemset(data_, 0xff, bytes()), "cudaMemset"); }
  T* data() { return data_; }
  std::int64_t size() const { return count_; }
  std::size_t bytes() const { return static_cast<std::size_t>(count_) * sizeof(T); }

  // Waits for everything launched before.
  std::vector<T> to_host() const {
    std::vector<T> host(static_cast<std::size_t>(count_));
    require(cudaDeviceSynchronize(), "kernel");
    require(cudaMemcpy(host.data(), data_, bytes(), cudaMemcpyDeviceToHost), "copy from the device");
    return host;
  }

 private:
  T* data_ = nullptr;
  std::int64_t count_ = 0;
};

}  // namespace skt::gpu
