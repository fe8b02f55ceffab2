// Device memory of one check: filled with a pattern that is NaN in every floating type and -1 in every integer type,
// so that an element nobody wrote shows, and freed at the end of its scope. The same pattern lies before and behind
// it: what is read there shows as NaN, and what is written there is an error. Bare memory has neither.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpu/check/device/call.hpp"

namespace skt::gpu {

inline bool have_device() {
  int devices = 0;
  return cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
}

// Bare: compute-sanitizer then sees the exact borders (memcheck) and what is read though nothing wrote it
// (initcheck), both of which pattern and guards hide.
enum class Memory { guarded, bare };
inline Memory memory_of_checks = Memory::guarded;  // of the process; set before the first check

template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::int64_t count)
      : count_(count), guard_bytes_(memory_of_checks == Memory::guarded ? kGuardBytes : 0) {
    require(cudaMalloc(&begin_, bytes() + 2 * guard_bytes_), "cudaMalloc");
    if (guard_bytes_ != 0) require(cudaMemset(begin_, 0xff, bytes() + 2 * guard_bytes_), "cudaMemset");
  }
  explicit DeviceArray(std::span<const T> host) : DeviceArray(std::ssize(host)) { set(host); }
  explicit DeviceArray(const std::vector<T>& host) : DeviceArray(std::span<const T>(host)) {}
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { cudaFree(begin_); }

  // As many numbers as it has.
  void set(std::span<const T> host) {
    require(cudaMemcpy(data(), host.data(), bytes(), cudaMemcpyHostToDevice), "copy to the device");
  }
  void poison() {
    if (guard_bytes_ != 0) require(cudaMemset(data(), 0xff, bytes()), "cudaMemset");
  }
  T* data() { return reinterpret_cast<T*>(begin_ + guard_bytes_); }
  const T* data() const { return reinterpret_cast<const T*>(begin_ + guard_bytes_); }
  std::int64_t size() const { return count_; }
  std::size_t bytes() const { return count_ * sizeof(T); }

  // Waits for everything launched before. Throws if something was written beside the array. Of bare memory zeros: what
  // nobody writes is not read back either.
  std::vector<T> to_host() const {
    require(cudaDeviceSynchronize(), "kernel");
    if (guard_bytes_ == 0) return std::vector<T>(count_);
    static thread_local std::vector<T> kept;  // with the guards: one copy to wait for, to pages that are there
    const std::size_t all = count_ + 2 * kGuards;
    if (kept.size() < all) kept = std::vector<T>(all);
    const std::span<T> host(kept.data(), all);
    require(cudaMemcpy(host.data(), begin_, host.size_bytes(), cudaMemcpyDeviceToHost), "copy from the device");
    require_guard(host.first(kGuards), "before");
    require_guard(host.last(kGuards), "behind");
    std::vector<T> numbers(host.begin() + kGuards, host.end() - kGuards);
    if (kept.size() * sizeof(T) > kMostKeptBytes) kept = std::vector<T>();
    return numbers;
  }

 private:
  static constexpr std::size_t kGuardBytes = 4096;  // four rows of 256 fp32 numbers, and alignment is kept
  static constexpr std::int64_t kGuards = kGuardBytes / sizeof(T);
  static constexpr std::size_t kMostKeptBytes = 1 << 28;

  static void require_guard(std::span<const T> guard, const char* where) {
    for (const std::byte byte : std::as_bytes(guard)) {
      if (byte != std::byte{0xff}) throw std::runtime_error(std::string("memory written ") + where + " an output");
    }
  }

  char* begin_ = nullptr;
  std::int64_t count_ = 0;
  std::size_t guard_bytes_ = 0;
};

// Before what is launched behind it on any stream.
template <class... Arrays>
void poison_all(Arrays&... arrays) {
  (arrays.poison(), ...);
  require(cudaDeviceSynchronize(), "poison");
}

}  // namespace skt::gpu
