// Calls of the C interface that are refused before anything is read.
#pragma once

#include <cstdint>
#include <string>

#include "gpu/socketlab_gpu.h"

namespace skt::gpu {

// Pointers that look right and are never followed.
template <class T>
T* somewhere(std::uintptr_t offset = 0) {
  return reinterpret_cast<T*>(std::uintptr_t{4096} + offset);
}

// The line to one change of the good arguments.
template <class Args, class Change>
std::string refused(int (*function)(const Args*, CUstream_st*, skt_error*), Args args, Change&& change) {
  change(args);
  skt_error error = {};
  return function(&args, nullptr, &error) == SKT_BAD_ARGUMENT ? error.message : "";
}

}  // namespace skt::gpu
