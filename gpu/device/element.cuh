// Rows of fp32, fp16 or bf16 as fp32 numbers, 16 bytes to a load.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <cstring>

#include "gpu/socketlab_gpu.h"

namespace skt::gpu {

__device__ inline float to_float(float x) {
  return x;
}
__device__ inline float to_float(__half x) {
  return __half2float(x);
}
__device__ inline float to_float(__nv_bfloat16 x) {
  return __bfloat162float(x);
}

template <class Element>
inline constexpr int kPerLoad = 16 / sizeof(Element);

template <class Element>
struct alignas(16) Chunk {
  Element element[kPerLoad<Element>];
};

// The chunk at `row`, 16-byte aligned, by one load.
template <class Element>
__device__ inline Chunk<Element> load_chunk(const Element* row) {
  const uint4 bits = *reinterpret_cast<const uint4*>(row);
  Chunk<Element> chunk;
  memcpy(&chunk, &bits, sizeof chunk);
  return chunk;
}

template <class Element>
__device__ inline void to_floats(const Chunk<Element>& chunk, float (&numbers)[kPerLoad<Element>]) {
#pragma unroll
  for (int i = 0; i < kPerLoad<Element>; ++i) numbers[i] = to_float(chunk.element[i]);
}
// One instruction to a number: __bfloat162float takes two for the upper of a word.
__device__ inline void to_floats(const Chunk<__nv_bfloat16>& chunk, float (&numbers)[8]) {
  std::uint32_t words[4];
  memcpy(words, &chunk, sizeof words);
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    numbers[2 * i] = __uint_as_float(words[i] << 16);
    numbers[2 * i + 1] = __uint_as_float(words[i] & 0xffff0000u);
  }
}

// Writes a number to place `at` of an array of the type that `type` names, rounded to the nearest.
__device__ inline void store_as(int type, void* numbers, std::int64_t at, float number) {
  if (type == SKT_F16) {
    static_cast<__half*>(numbers)[at] = __float2half_rn(number);
  } else if (type == SKT_BF16) {
    static_cast<__nv_bfloat16*>(numbers)[at] = __float2bfloat16_rn(number);
  } else {
    static_cast<float*>(numbers)[at] = number;
  }
}
// Reads one of an array of the type that `type`, of 16 bits, names.
__device__ inline float load_as(int type, const void* numbers, std::int64_t at) {
  return type == SKT_BF16 ? to_float(static_cast<const __nv_bfloat16*>(numbers)[at])
                          : to_float(static_cast<const __half*>(numbers)[at]);
}

// Calls f with a null pointer of the element type that `type` names.
template <class F>
int with_element(int type, F&& f) {
  switch (type) {
    case SKT_F16:
      return f(static_cast<const __half*>(nullptr));
    case SKT_BF16:
      return f(static_cast<const __nv_bfloat16*>(nullptr));
    default:
      return f(static_cast<const float*>(nullptr));
  }
}

// Calls f.template operator()<dim>() for one of the dimensions that kernels are compiled for.
template <class F>
int with_dim(std::int64_t dim, F&& f) {
  switch (dim) {
    case 32:
      return f.template operator()<32>();
    case 64:
      return f.template operator()<64>();
    case 128:
      return f.template operator()<128>();
    default:
      return f.template operator()<256>();
  }
}

}  // namespace skt::gpu
