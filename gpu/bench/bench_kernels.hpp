// What gpu-bench needs beside the operations: random inputs made on the device, and the two yardsticks.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace skt::gpu {

// Independent N(0, deviation^2) numbers rounded to bf16; element i is a pure function of (seed, i).
void fill_normal_bf16(void* out, std::int64_t count, float deviation, std::uint64_t seed, cudaStream_t stream);

// N(0,1) rounded to bf16 and kept in fp32: hyperplanes that the tensor cores hash by as they are.
void fill_normal_f32(float* out, std::int64_t count, std::uint64_t seed, cudaStream_t stream);

// The bytes of e4m3 of bf16 numbers, each divided by `scale`, to the nearest; `count` a multiple of 2.
void cast_to_e4m3(void* out, const void* numbers, std::int64_t count, float scale, cudaStream_t stream);

// Copies `bytes` bytes, a multiple of 16, by 16-byte loads and stores: the yardstick for memory.
void copy_only(void* out, const void* data, std::int64_t bytes, cudaStream_t stream);

// Reads `bytes` bytes, a multiple of 16, once, and does nothing else: the floor of scoring. `sink` [1] is written only
// if all words read are 0.
void read_only(const void* data, std::int64_t bytes, std::uint32_t* sink, cudaStream_t stream);

}  // namespace skt::gpu
