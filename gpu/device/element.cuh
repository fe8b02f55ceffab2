// Rows of fp32, fp16, bf16 or e4m3 as fp32 numbers, 16 bytes to a load.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "gpu/functors/e4m3.hpp"
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
__device__ inline float to_float(E4m3 x) {
  return e4m3_number(x);
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
// Two bytes of e4m3 as fp32 numbers: exact, a NaN stays one.
__device__ inline float2 e4m3_pair(std::uint16_t bytes) {
#if __CUDA_ARCH__ >= 890
  std::uint32_t halves;
  asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(halves) : "h"(bytes));
  __half2 pair;
  memcpy(&pair, &halves, sizeof pair);
  return __half22float2(pair);
#else
  return {e4m3_number({static_cast<std::uint8_t>(bytes & 0xff)}), e4m3_number({static_cast<std::uint8_t>(bytes >> 8)})};
#endif
}
__device__ inline void to_floats(const Chunk<E4m3>& chunk, float (&numbers)[16]) {
  std::uint16_t pairs[8];
  memcpy(pairs, &chunk, sizeof pairs);
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const float2 pair = e4m3_pair(pairs[i]);
    numbers[2 * i] = pair.x;
    numbers[2 * i + 1] = pair.y;
  }
}

// `count` numbers from place `at` of a row of the type that Element names; with E4m3, which queries are never, of the
// type that `type` does.
template <class Stored, int count>
__device__ inline void load_floats(const void* row, std::int64_t at, float (&numbers)[count]) {
  constexpr int per_load = kPerLoad<Stored>;
#pragma unroll
  for (int i = 0; i < count / per_load; ++i) {
    float loaded[per_load];
    to_floats(load_chunk(static_cast<const Stored*>(row) + at + i * per_load), loaded);
#pragma unroll
    for (int e = 0; e < per_load; ++e) numbers[i * per_load + e] = loaded[e];
  }
}
template <class Element, int count>
__device__ inline void load_query(int type, const void* query, std::int64_t at, float (&numbers)[count]) {
  if constexpr (!std::is_same_v<Element, E4m3>) {
    load_floats<Element>(query, at, numbers);
  } else if (type == SKT_F16) {
    load_floats<__half>(query, at, numbers);
  } else if (type == SKT_BF16) {
    load_floats<__nv_bfloat16>(query, at, numbers);
  } else {
    load_floats<float>(query, at, numbers);
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
