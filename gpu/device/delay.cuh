// Delays beside every barrier, wait and fence of the kernels, so that one that is missing or too weak shows in every
// run of gpu-check and not by luck (docs/gpu/testing.md).
//
// Only in a build with SKT_GPU_DELAYS; else delay_here() is nothing, and the code of the kernels is the same bytes as
// without it. A delay holds up a warp, and by it whatever waits for that warp. Which warps, and how long, depends on
// the place, the block, the warp and a seed, SKT_DELAY_SEED in the environment: 1 if it is not set, no delays for 0.
// The lanes of one warp are never held up apart, as the compiler lets them go on together behind a loop.
#pragma once

#include <cuda_runtime.h>

#ifdef SKT_GPU_DELAYS
#include <cstdlib>
#endif

namespace skt::gpu {

#ifdef SKT_GPU_DELAYS

static __device__ unsigned delay_seed = 0;  // of this unit of compilation

// Sets the seed of this unit once, also while a graph is being captured. Of every launch.
[[maybe_unused]] static cudaError_t seed_delays() {
  static const cudaError_t seeded = [] {
    const char* text = std::getenv("SKT_DELAY_SEED");
    const unsigned seed = text == nullptr ? 1 : static_cast<unsigned>(std::strtoul(text, nullptr, 10));
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    cudaStream_t stream = nullptr;
    cudaError_t status = cudaThreadExchangeStreamCaptureMode(&mode);
    if (status == cudaSuccess) status = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    if (status == cudaSuccess) {
      status = cudaMemcpyToSymbolAsync(delay_seed, &seed, sizeof seed, 0, cudaMemcpyHostToDevice, stream);
    }
    if (status == cudaSuccess) status = cudaStreamSynchronize(stream);
    if (status == cudaSuccess) status = cudaStreamDestroy(stream);
    return status == cudaSuccess ? cudaThreadExchangeStreamCaptureMode(&mode) : status;
  }();
  return seeded;
}

constexpr unsigned kBankBytes = 128;  // from a word of shared memory to the next of its bank

// Of the shared memory that the launch asks for, which begins at own_words below.
__device__ inline unsigned dynamic_shared_bytes() {
  unsigned bytes = 0;
  asm volatile("mov.u32 %0, %dynamic_smem_size;" : "=r"(bytes));
  return bytes;
}

// Keeps the block's shared memory, of at least 32 * kBankBytes, busy for 256 cycles: all lanes read one bank, which
// holds up the loads of other warps. What is read is not used. An array, as its address says which block of the cluster
// it is in: a load by a bare offset means the cluster's first block, and is an illegal instruction in every other one.
__device__ inline void read_one_bank() {
  extern __shared__ volatile unsigned own_words[];
#pragma unroll
  for (int i = 0; i < 8; ++i) static_cast<void>(own_words[threadIdx.x % 32 * (kBankBytes / sizeof(unsigned))]);
}

// Not inlined: it stands at every place, and leaves the code around it as it is. The lanes of a warp take the same
// branches, so that those who came together leave together, as an aligned barrier wants them. It waits for nobody, so
// that it ends whatever others do.
__device__ __noinline__ static void delay_at(unsigned site) {
  constexpr unsigned kOneWarpIn = 8;
  constexpr unsigned kLengths = 5;  // 1 to 16 us
  const unsigned seed = delay_seed;
  if (seed == 0) return;
  const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  unsigned hash = seed;
  for (const unsigned word : {site, block, threadIdx.x / 32}) {  // the finalizer of MurmurHash3 behind each word
    hash ^= word * 0xcc9e2d51u;
    hash = (hash ^ hash >> 16) * 0x85ebca6bu;
    hash = (hash ^ hash >> 13) * 0xc2b2ae35u;
    hash ^= hash >> 16;
  }
  if (hash % kOneWarpIn != 0) return;
  const unsigned us = 1u << (hash >> 4) % kLengths;
  const bool sleeps = (hash >> 3 & 1) != 0 || dynamic_shared_bytes() < 32 * kBankBytes;
  if (sleeps) {
    __nanosleep(1000 * us);
  } else {
    for (unsigned i = 0; i < 8 * us; ++i) read_one_bank();  // 1 us: 8 times 256 cycles
  }
}

// `site`: the line that it stands in, or that of the caller who passes it on.
__device__ __forceinline__ void delay_here(unsigned site = __builtin_LINE()) {
  delay_at(site);
}

#else

inline cudaError_t seed_delays() {
  return cudaSuccess;
}
__device__ __forceinline__ void delay_here(unsigned = 0) {}

#endif

}  // namespace skt::gpu
