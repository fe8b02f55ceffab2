// How does a warp read its share of a row of scores?
//
// In batches of loads that are all in flight before the first is used, one batch ahead. The first is asked for before
// it is known what to look for, so that finding that out hides its wait.
#pragma once

#include <cuda_bf16.h>

#include <climits>
#include <cstdint>
#include <cstring>

#include "gpu/device/barrier.cuh"
#include "gpu/functors/ordered_key.hpp"

namespace skt::gpu {

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

// Eight scores, which lie at a multiple of 16 bytes, two to a word.
constexpr int kEight = 8;
struct EightScores {
  __nv_bfloat162 pairs[kEight / 2];
};
__device__ inline EightScores eight_scores_at(const std::uint16_t* at) {
  uint4 words;
  asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w)
               : "l"(at)
               : "memory");
  EightScores scores;
  std::memcpy(&scores, &words, sizeof scores);
  return scores;
}

// The first `count`, and zeros.
__device__ inline EightScores some_scores_at(const std::uint16_t* at, int count) {
  std::uint16_t each[kEight];
#pragma unroll
  for (int i = 0; i < kEight; ++i) {
    each[i] = 0;
    if (i < count) each[i] = score_at(at + i);
  }
  EightScores scores;
  std::memcpy(&scores, each, sizeof scores);
  return scores;
}

// What a thread reads at once of the keys first .. first + kKeys - 1 of a row, of which those from `end` on are not there.
// for_each() calls visit(key, score) for them, and may for keys from `end` on.
template <class Score>
struct Batch;

// Lane l has the keys first + l, first + l + 32, ..; NaN for those that are not there.
template <>
struct Batch<float> {
  static constexpr int kReads = 12;
  static constexpr int kKeys = 32 * kReads;
  float scores[kReads] = {};

  __device__ void load(const float* row, int first, int end) {
    const int key = first + static_cast<int>(threadIdx.x) % 32;
    if (first + kKeys <= end) {
#pragma unroll
      for (int i = 0; i < kReads; ++i) scores[i] = score_at(row + key + 32 * i);
    } else if (first < end) {
#pragma unroll
      for (int i = 0; i < kReads; ++i) scores[i] = score_if(key + 32 * i < end, row + key + 32 * i);
    }
  }
  template <class Visit>
  __device__ void for_each(int first, Visit&& visit) const {
    const int key = first + static_cast<int>(threadIdx.x) % 32;
#pragma unroll
    for (int i = 0; i < kReads; ++i) visit(key + 32 * i, scores[i]);
  }
};

// Lane l has eight keys from key(first, i) on, of each of its reads.
template <>
struct Batch<std::uint16_t> {
  static constexpr int kReads = 3;
  static constexpr int kKeys = 32 * kEight * kReads;
  EightScores scores[kReads] = {};

  __device__ static int key(int first, int i) { return first + kEight * (static_cast<int>(threadIdx.x) % 32 + 32 * i); }
  __device__ void load(const std::uint16_t* row, int first, int end) {
#pragma unroll
    for (int i = 0; i < kReads; ++i) {
      const int left = end - key(first, i);
      if (left >= kEight) {
        scores[i] = eight_scores_at(row + key(first, i));
      } else if (left > 0) {
        scores[i] = some_scores_at(row + key(first, i), left);
      }
    }
  }
  template <class Visit>
  __device__ void for_each(int first, Visit&& visit) const {
#pragma unroll
    for (int i = 0; i < kReads; ++i) {
#pragma unroll
      for (int pair = 0; pair < kEight / 2; ++pair) {
        const float2 two = __bfloat1622float2(scores[i].pairs[pair]);
        visit(key(first, i) + 2 * pair, two.x);
        visit(key(first, i) + 2 * pair + 1, two.y);
      }
    }
  }
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
  int unscored_begin = INT_MAX;  // of the window; from here on also what scores NaN or -infinity

  __device__ Batch<Score> load(int first) const {
    Batch<Score> batch;
    batch.load(scores, first, end);
    return batch;
  }
  // Calls visit(first, batch) for each batch of the share; `now` is load(begin).
  template <class Visit>
  __device__ void for_each_batch(Batch<Score> now, Visit&& visit) const {
    for (int first = begin; first < end; first += Batch<Score>::kKeys) {
      const Batch<Score> next = load(first + Batch<Score>::kKeys);
      visit(first, now);
      now = next;
    }
  }
  // Calls visit(ordered key) for every candidate: a key outside sink and window that may be selected.
  template <class Visit>
  __device__ void for_each_candidate(const Batch<Score>& now, Visit&& visit) const {
    const int candidates_begin = max(begin, sink);
    const int candidates_end = min(end, window_begin);
    for_each_batch(now, [&](int first, const Batch<Score>& batch) {
      batch.for_each(first, [&](int key, float score) {
        const std::uint32_t ordered = ordered_key(score);
        if (key >= candidates_begin && key < candidates_end && ordered != kNeverSelected) visit(ordered);
      });
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
  // Whether all of the keys from `first` on are in the share and none is forced.
  __device__ bool is_plain(int first, int keys) const {
    return first >= sink && first + keys <= min(end, window_begin);
  }
};

}  // namespace skt::gpu
