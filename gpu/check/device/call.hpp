// Calls of CUDA and of the C interface that must succeed.
#pragma once

#include <cuda_runtime.h>

#include <stdexcept>
#include <string>

#include "gpu/socketlab_gpu.h"

namespace skt::gpu {

inline void require(cudaError_t status, const char* what) {
  if (status != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}

// What the library says it does not have.
struct Unsupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// An operation that must be accepted; its message becomes the exception's.
inline void require(int code, const skt_error& error) {
  if (code == SKT_UNSUPPORTED) throw Unsupported(error.message);
  if (code != SKT_OK) throw std::runtime_error(error.message);
}

// Calls one operation and waits for nothing.
template <class Arguments>
void call(int (*operation)(const Arguments*, cudaStream_t, skt_error*), const Arguments& arguments,
          cudaStream_t stream = nullptr) {
  skt_error error = {};
  require(operation(&arguments, stream, &error), error);
}

}  // namespace skt::gpu
