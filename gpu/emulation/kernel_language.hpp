// CUDA's words for what device.hpp does, so that a kernel reads as C++. Only what the kernels use, and what a user's may
// (own_kernels.py): a name that is missing is an error of the compiler that says it.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "gpu/emulation/device.hpp"

// NOLINTBEGIN(bugprone-reserved-identifier): the names are CUDA's
#undef __launch_bounds__
#define __launch_bounds__(...)
#undef __device__
#define __device__
#undef __host__
#define __host__
#undef __global__
#define __global__
#undef __noinline__
#undef __forceinline__
#define __forceinline__ inline
#undef __align__
#define __align__(n) alignas(n)

// Two registers that are loaded together. They have not the size of CUDA's: no array in memory of the project's is read as
// uint2, and sources of a user's have CUDA's own (own_kernels.py).
#ifndef SKT_OWN_KERNELS
#define uint2 skt::emulation::LateWords
#endif

static constexpr auto& threadIdx = skt::emulation::places.thread;
static constexpr auto& blockIdx = skt::emulation::places.block;
static constexpr auto& blockDim = skt::emulation::places.block_dim;
static constexpr auto& gridDim = skt::emulation::places.grid_dim;

// Barriers, waits and fences.
inline void __syncthreads() {
  skt::emulation::sync_threads();
}
inline void __syncwarp(unsigned mask = ~0u) {
  skt::emulation::sync_warp(mask);
}
inline void __threadfence() {
  skt::emulation::fence_memory();
}
inline void __nanosleep(unsigned) {
  skt::emulation::poll();
}
inline void cudaGridDependencySynchronize() {
  skt::emulation::wait_for_kernel_before();
}
inline void cudaTriggerProgrammaticLaunchCompletion() {
  skt::emulation::let_next_kernel_begin();
}

// Collectives of a warp.
template <class T>
T __shfl_sync(unsigned mask, T value, int lane) {
  using namespace skt::emulation;
  return from_word<T>(shuffle(mask, word_of(value), static_cast<unsigned>(lane)));
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int distance) {
  using namespace skt::emulation;
  return from_word<T>(shuffle(mask, word_of(value), threadIdx.x ^ static_cast<unsigned>(distance)));
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned distance) {
  using namespace skt::emulation;
  const unsigned lane = threadIdx.x % 32;
  return from_word<T>(shuffle(mask, word_of(value), lane >= distance ? lane - distance : lane));
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned distance) {
  using namespace skt::emulation;
  const unsigned lane = threadIdx.x % 32;
  return from_word<T>(shuffle(mask, word_of(value), lane + distance < 32 ? lane + distance : lane));
}
inline unsigned __ballot_sync(unsigned mask, int vote) {
  return skt::emulation::ballot(mask, vote != 0);
}
inline int __all_sync(unsigned mask, int vote) {
  return skt::emulation::ballot(mask, vote == 0) == 0;
}
inline int __any_sync(unsigned mask, int vote) {
  return skt::emulation::ballot(mask, vote != 0) != 0;
}
inline unsigned __reduce_add_sync(unsigned mask, unsigned value) {
  return skt::emulation::reduce_add(mask, value);
}
inline int __reduce_add_sync(unsigned mask, int value) {
  return static_cast<int>(skt::emulation::reduce_add(mask, static_cast<unsigned>(value)));
}
inline unsigned __reduce_max_sync(unsigned mask, unsigned value) {
  return skt::emulation::reduce_max(mask, value);
}

// Memory. A thread runs alone between its waits, so that no two additions meet.
inline std::uint32_t __cvta_generic_to_shared(const void* pointer) {
  return skt::emulation::shared_address(pointer);
}
template <class T>
T __ldg(const T* at) {
  return *at;
}
template <class T>
T __ldcg(const T* at) {
  return *at;
}
template <class T>
T __ldcs(const T* at) {
  return *at;
}
template <class T>
void __stcg(T* at, T value) {
  *at = value;
}
template <class T, class Change>
T exchanged(T* at, Change change) {
  const T old = *at;
  *at = change(old);
  skt::emulation::note_change(at, static_cast<std::uint64_t>(old), static_cast<std::uint64_t>(*at));
  if (skt::emulation::wake_pollers(at)) skt::emulation::step_back();
  return old;
}
template <class T>
T atomicAdd(T* at, std::type_identity_t<T> value) {
  return exchanged(at, [=](T old) { return static_cast<T>(old + value); });
}
template <class T>
T atomicMax(T* at, std::type_identity_t<T> value) {
  return exchanged(at, [=](T old) { return old < value ? value : old; });
}
template <class T>
T atomicMin(T* at, std::type_identity_t<T> value) {
  return exchanged(at, [=](T old) { return value < old ? value : old; });
}
template <class T>
T atomicAnd(T* at, std::type_identity_t<T> value) {
  return exchanged(at, [=](T old) { return static_cast<T>(old & value); });
}
template <class T>
T atomicOr(T* at, std::type_identity_t<T> value) {
  return exchanged(at, [=](T old) { return static_cast<T>(old | value); });
}

// Single instructions.
constexpr int __popc(unsigned x) {
  return __builtin_popcount(x);
}
inline int __clz(int x) {
  return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x));
}
inline int __ffs(int x) {
  return __builtin_ffs(x);
}
inline float __uint_as_float(unsigned x) {
  return skt::emulation::from_word<float>(x);
}
inline unsigned __float_as_uint(float x) {
  return skt::emulation::word_of(x);
}
inline float __uint2float_rn(unsigned x) {
  return static_cast<float>(x);
}
inline float __fsqrt_rn(float x) {
  return std::sqrt(x);
}
constexpr unsigned __dp4a(unsigned a, unsigned b, unsigned sum) {
  for (int i = 0; i < 32; i += 8) sum += (a >> i & 0xff) * (b >> i & 0xff);
  return sum;
}
inline unsigned __byte_perm(unsigned low, unsigned high, unsigned selector) {
  const std::uint64_t bytes = std::uint64_t{high} << 32 | low;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned which = selector >> 4 * i & 0xf;
    unsigned byte = static_cast<unsigned>(bytes >> 8 * (which & 7)) & 0xff;
    if ((which & 8) != 0) byte = (byte & 0x80) != 0 ? 0xff : 0;  // its sign
    result |= byte << 8 * i;
  }
  return result;
}
constexpr unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((std::uint64_t{high} << 32 | low) >> (shift & 31));
}
template <class A, class B>
constexpr std::common_type_t<A, B> min(A a, B b) {
  using C = std::common_type_t<A, B>;
  return static_cast<C>(b) < static_cast<C>(a) ? static_cast<C>(b) : static_cast<C>(a);
}
template <class A, class B>
constexpr std::common_type_t<A, B> max(A a, B b) {
  using C = std::common_type_t<A, B>;
  return static_cast<C>(a) < static_cast<C>(b) ? static_cast<C>(b) : static_cast<C>(a);
}

template <class... Parameters, class... Given>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...), Given&&... given) {
  const auto launch = [&](Parameters... arguments) {
    return skt::emulation::launch(skt::emulation::shape_of(*config), config->stream,
                                  reinterpret_cast<const void*>(kernel), [=] { kernel(arguments...); });
  };
  return launch(std::forward<Given>(given)...);
}
template <class... Parameters>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, void (*kernel)(Parameters...)) {
  return cudaFuncGetAttributes(attributes, reinterpret_cast<const void*>(kernel));
}
template <class... Parameters>
cudaError_t cudaFuncSetAttribute(void (*kernel)(Parameters...), cudaFuncAttribute attribute, int value) {
  return cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), attribute, value);
}
template <class... Parameters>
cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, void (*kernel)(Parameters...),
                                           const cudaLaunchConfig_t* config) {
  return cudaOccupancyMaxActiveClusters(clusters, reinterpret_cast<const void*>(kernel), config);
}
// NOLINTEND(bugprone-reserved-identifier)
