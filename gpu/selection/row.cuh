// How does a warp read its share of a row of scores?
//
// In batches of loads that are all in flight before the first is used, one batch ahead. The first is asked for before
// it is known what to look for, so that finding that out hides its wait.
#pragma once

#include <cuda_bf16.h>

#include <cstdint>

#include "gpu/device/barrier.cuh"
#include "gpu/functors/ordered_key.hpp"

namespace skt::gpu {

constexpr int kBatch = 12;  // reads of a thread in flight, and as many ahead
constexpr int kBatchKeys = 32 * kBatch;

// Scores as they come from memory, of either enum skt_type that they have, and the number that each stands for.
__device__ inline float score_of(float score) {
  return score;
}
__device__ inline float score_of(std::uint16_t bf16) {
  return __uint_as_float(std::uint32_t{bf16} << 16);
}
template <class Score>
constexpr bool kIsBf16 = sizeof(Score) == 2;

// Volatile, so that the reads of a batch are not moved one by one to where each is used.
__device__ inline float score_at(const float* at) {
  float score;
  asm volatile("ld.global.f32 %0, [%1];" : "=f"(score) : "l"(at) : "memory");
  return score;
}
__device__ inline std::uint16_t score_at(const std::uint16_t* at) {
  std::uint16_t score;
  asm volatile("ld.global.u16 %0, [%1];" : "=h"(score) : "l"(at) : "memory");
  return score;
}

// NaN if not `reads`.
__device__ inline std::uint16_t score_if(bool reads, const std::uint16_t* at) {
  std::uint16_t score;
  asm volatile(
      "{\n\t.reg .pred reads;\n\tsetp.ne.s32 reads, %2, 0;\n\tmov.u16 %0, 0x7fff;\n\t"
      "@reads ld.global.u16 %0, [%1];\n\t}"
      : "=&h"(score)
      : "l"(at), "r"(int{reads})
      : "memory");
  return score;
}
__device__ inline float score_if(bool reads, const float* at) {
  float score;
  asm volatile(
      "{\n\t.reg .pred reads;\n\tsetp.ne.s32 reads, %2, 0;\n\tmov.f32 %0, 0f7fffffff;\n\t"
      "@reads ld.global.f32 %0, [%1];\n\t}"
      : "=&f"(score)
      : "l"(at), "r"(int{reads})
      : "memory");
  return score;
}

template <class Score>
struct Batch {
  Score scores[kBatch];

  __device__ float score(int i) const { return score_of(scores[i]); }
};

// Scores of a line of memory. A share is whole lines where the row does not end.
template <class Score>
constexpr int kLineScores = 128 / int{sizeof(Score)};

// The keys begin .. end - 1 of a row, in index order. Those below `sink` and from window_begin on are selected whatever
// they score, unless they may never be.
template <class Score>
struct Share {
  const Score* scores;
  int begin, end;
  int sink, window_begin;

  // Lane l gets the scores of first + l, first + l + 32, ..; behind the end NaN.
  __device__ Batch<Score> load(int first) const {
    Batch<Score> batch = {};
    const int lane = threadIdx.x % 32;
    const int key = first + lane;
    if (first + kBatchKeys <= end) {
#pragma unroll
      for (int i = 0; i < kBatch; ++i) batch.scores[i] = score_at(scores + key + 32 * i);
    } else if (first < end) {
#pragma unroll
      for (int i = 0; i < kBatch; ++i) batch.scores[i] = score_if(key + 32 * i < end, scores + key + 32 * i);
    }
    return batch;
  }
  // Calls visit(first, batch) for each batch of the share; `now` is load(begin).
  template <class Visit>
  __device__ void for_each_batch(Batch<Score> now, Visit&& visit) const {
    for (int first = begin; first < end; first += kBatchKeys) {
      const Batch<Score> next = load(first + kBatchKeys);
      visit(first, now);
      now = next;
    }
  }
  // Calls visit(ordered key) for every candidate: a key outside sink and window that may be selected.
  template <class Visit>
  __device__ void for_each_candidate(const Batch<Score>& now, Visit&& visit) const {
    const int candidates_begin = max(begin, sink);
    const int candidates_end = min(end, window_begin);
    const int lane = threadIdx.x % 32;
    for_each_batch(now, [&](int first, const Batch<Score>& batch) {
#pragma unroll
      for (int i = 0; i < kBatch; ++i) {
        const int key = first + 32 * i + lane;
        const std::uint32_t ordered = ordered_key(batch.score(i));
        if (key >= candidates_begin && key < candidates_end && ordered != kNeverSelected) visit(ordered);
      }
    });
  }
  // Behind the last read of scores that nobody else wants: they need not be written from L2 to memory. A line of 128
  // bytes is one share's alone. Of all lanes.
  __device__ void drop() const {
    const int lane = threadIdx.x % 32;
    warp_barrier();
    for (int key = begin + lane * kLineScores<Score>; key < end; key += 32 * kLineScores<Score>) {
      asm volatile("discard.global.L2 [%0], 128;" ::"l"(scores + key) : "memory");
    }
  }
  __device__ bool is_forced(int key) const { return key < sink || key >= window_begin; }
  // Whether all keys of a batch are in the share and none is forced.
  __device__ bool is_plain(int first) const { return first >= sink && first + kBatchKeys <= min(end, window_begin); }
};

}  // namespace skt::gpu
