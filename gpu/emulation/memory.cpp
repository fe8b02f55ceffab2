#include "gpu/emulation/memory.hpp"

#include <cuda_runtime_api.h>
#include <sys/mman.h>

#include <cstring>
#include <map>
#include <mutex>

#include "gpu/emulation/device.hpp"
#include "gpu/emulation/runtime.hpp"

namespace skt::emulation {
namespace {

constexpr std::size_t kPageBytes = 4096, kAlignment = 256;  // the runtime's promise

struct Allocation {
  void* mapped;
  std::size_t mapped_bytes, bytes;
};
std::map<std::uintptr_t, Allocation>& allocations() {
  static std::map<std::uintptr_t, Allocation> all;
  return all;
}

std::size_t rounded_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

void* allocate(std::size_t bytes) {
  const std::size_t used = rounded_up(bytes, kAlignment), pages = rounded_up(used, kPageBytes);
  void* mapped =
      mmap(nullptr, pages + 2 * kPageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  auto* first = static_cast<char*>(mapped);
  mprotect(first, kPageBytes, PROT_NONE);
  mprotect(first + kPageBytes + pages, kPageBytes, PROT_NONE);
  constexpr std::size_t kMostFilled = std::size_t{1} << 30;  // more would have to be there; then it holds 0
  if (bytes <= kMostFilled) std::memset(first + kPageBytes, 0xff, pages);
  char* data = first + kPageBytes + pages - used;
  allocations()[reinterpret_cast<std::uintptr_t>(data)] = {mapped, pages + 2 * kPageBytes, bytes};
  return data;
}

template <class Work>
cudaError_t behind_launches(Work work) {
  const std::lock_guard lock(launch_mutex());
  if (const cudaError_t error = note(finish_launches()); error != cudaSuccess) return error;
  work();
  return cudaSuccess;
}

}  // namespace

void require_allocated(const void* from, std::int64_t bytes, const char* what) {
  const auto at = reinterpret_cast<std::uintptr_t>(from);
  const auto behind = allocations().upper_bound(at);
  if (behind != allocations().begin()) {
    const auto& [begin, allocation] = *std::prev(behind);
    if (at - begin + static_cast<std::size_t>(bytes) <= allocation.bytes) return;
  }
  fail("%s of %lld bytes at %p, which are in no allocation", what, static_cast<long long>(bytes), from);
}

}  // namespace skt::emulation

using namespace skt::emulation;

extern "C" {

cudaError_t cudaMalloc(void** pointer, size_t bytes) {
  const std::lock_guard lock(launch_mutex());
  *pointer = bytes == 0 ? nullptr : allocate(bytes);
  return bytes == 0 || *pointer != nullptr ? cudaSuccess : note(cudaErrorMemoryAllocation);
}

cudaError_t cudaFree(void* pointer) {
  const std::lock_guard lock(launch_mutex());
  if (pointer == nullptr) return cudaSuccess;
  const cudaError_t error = note(finish_launches());
  const auto found = allocations().find(reinterpret_cast<std::uintptr_t>(pointer));
  if (found == allocations().end()) return note(cudaErrorInvalidValue);
  munmap(found->second.mapped, found->second.mapped_bytes);
  allocations().erase(found);
  return error;
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, enum cudaMemcpyKind) {
  return behind_launches([=] {
    if (bytes != 0) std::memmove(to, from, bytes);
  });
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, enum cudaMemcpyKind, cudaStream_t stream) {
  return on_stream(stream, [=] { return cudaMemcpy(to, from, bytes, cudaMemcpyDefault); });
}

cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                         enum cudaMemcpyKind) {
  return behind_launches([=] {
    for (size_t i = 0; i < height; ++i) {
      std::memcpy(static_cast<char*>(to) + i * to_pitch, static_cast<const char*>(from) + i * from_pitch, width);
    }
  });
}

cudaError_t cudaMemset(void* to, int value, size_t bytes) {
  return behind_launches([=] { std::memset(to, value, bytes); });
}

cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
  return on_stream(stream, [=] { return cudaMemset(to, value, bytes); });
}

}  // extern "C"
