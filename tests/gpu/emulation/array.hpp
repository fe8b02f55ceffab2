#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "tests/catch.hpp"

namespace skt::emulated_tests {

// An array on the emulated device, which the host reads as its own.
template <class T>
struct Array {
  explicit Array(std::size_t elements) : count(elements) {
    REQUIRE(cudaMalloc(&memory, count * sizeof(T)) == cudaSuccess);
  }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() { cudaFree(memory); }

  T* data() const { return static_cast<T*>(memory); }
  T& operator[](std::size_t i) const { return data()[i]; }

  std::size_t count;
  void* memory = nullptr;
};

}  // namespace skt::emulated_tests
