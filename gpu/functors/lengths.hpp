// How many keys has a sequence of a step, where does its window begin, and how many of the others are selected?
//
// By a number for all sequences, or by one of each in device memory, so that one captured graph serves every length.
// Whole numbers only. Every stage asks these functions, so that none counts a sequence otherwise than another does.
#pragma once

#include <cstdint>

#include "gpu/functors/host_device.hpp"

namespace skt::gpu {

// `lengths` null: `most` for all. A length outside 0 .. most counts as the nearer end: arrays hold no more. A kernel of
// a step reads it before its wait (gpu/device/launch.cuh), so from L2: an L1 might hold that of the step before.
SKT_HD inline int length_of(const std::int32_t* lengths, int sequence, int most) {
  if (lengths == nullptr) return most;
#ifdef __CUDA_ARCH__
  const int length = __ldcg(lengths + sequence);
#else
  const int length = lengths[sequence];
#endif
  return length < 0 ? 0 : length < most ? length : most;
}

// The last `window` keys begin here; all keys where there are no more.
SKT_HD constexpr int window_begin(int length, int window) {
  return length > window ? length - window : 0;
}

// The best of the keys beside sink and window: `most`, or with a sparsity one key in so many, rounded down, at least
// one, at most `most`.
SKT_HD constexpr int budget_of(int length, int most, int sparsity) {
  if (sparsity == 0) return most;
  const int share = length / sparsity;
  const int wanted = share > 1 ? share : 1;
  return wanted < most ? wanted : most;
}

}  // namespace skt::gpu
