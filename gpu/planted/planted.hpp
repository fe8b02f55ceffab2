// Which fault does this library carry?
//
// The naive_*.cu are plain second implementations of the operations; with SKT_PLANTED=none they compute what gpu/
// computes, and gpu-check must pass them. Each other value plants one fault, and gpu-check must fail it. What a library
// does not have itself it takes from libsocketlab_gpu, and so does it the refusals: an operation first runs the right
// one, then writes its own result over the outputs. The decode step of every library is its own operations one after
// the other (naive_decode_step.cu).
#pragma once

#include <cuda_runtime.h>
#include <dlfcn.h>

#include "gpu/device/element.cuh"
#include "gpu/device/launch.cuh"
#include "gpu/device/validate.hpp"

namespace skt::gpu {

enum class Planted {
  none,
  // naive_index.cu
  little_endian_codes,
  greater_for_at_least,
  sixteen_planes_wrap,
  norms_overflow,
  norms_off_by_one_tail,
  hyperplanes_not_rounded,
  // naive_scores.cu
  missing_inverse_sqrt_dim,
  temperature_dropped,
  noise_corners,
  mask_ignored,
  wrong_kv_head,
  off_by_one_tail,
  int32_wrap,
  bad_codes_race,
  // naive_packed.cu
  low_half_shifted,
  straddling_codes_cut,
  // naive_selection.cu
  sink_and_window_twice,
  ties_broken_upward,
  threshold_off_by_one,
  shared_accumulator_race,
  // naive_attention.cu
  wrong_stride_for_values,
  minus_one_entries_loaded,
  parts_merged_without_rescaling,
  page_offset_of_token_dropped
};

#ifndef SKT_PLANTED
#define SKT_PLANTED none
#endif
inline constexpr Planted kPlanted = Planted::SKT_PLANTED;

// The right operation of this name, in the library that this one is linked to.
template <class Function>
Function* right(const char* name) {
  void* library = dlopen("libsocketlab_gpu.so", RTLD_NOW | RTLD_NOLOAD);
  return library == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(library, name));
}

inline int launched(skt_error* error) {
  const cudaError_t status = cudaGetLastError();
  if (status == cudaSuccess) return SKT_OK;
  if (error != nullptr) std::snprintf(error->message, sizeof error->message, "%s", cudaGetErrorString(status));
  return SKT_CUDA_ERROR;
}

}  // namespace skt::gpu
