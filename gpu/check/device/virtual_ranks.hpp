// Collectives between ranks that are all on one GPU: what NCCL does between several, in the order of the ranks, on a
// stream that may be captured.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <vector>

#include "gpu/check/device/call.hpp"

namespace skt::gpu {

// Each of the arrays [count], one to a rank, becomes the sum of all.
void all_reduce_sum(const std::vector<std::int32_t*>& arrays, std::int64_t count, cudaStream_t stream);

// On the device, four bytes to a word; at least one.
void copy_words(const void* from, void* to, std::int64_t words, cudaStream_t stream);

// Rank r's array [count] becomes row r of `gathered` [ranks, count], which stands for that of every rank.
template <class T>
void all_gather(const std::vector<T*>& arrays, std::int64_t count, T* gathered, cudaStream_t stream) {
  static_assert(sizeof(T) == 4);
  for (std::size_t r = 0; r < arrays.size(); ++r) copy_words(arrays[r], gathered + r * count, count, stream);
}

}  // namespace skt::gpu
