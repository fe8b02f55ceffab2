// How many query heads does one look-up of a half-table serve, and how do two halves become a term of the sum?
//
// One head: fp32 entries, each term added to the running fp32 sum in order of tables. Four heads that share a kv head:
// their entries side by side in fp16, so that a code is taken apart once for four and a look-up brings two; terms are
// added in fp16 over 4 tables and then in fp32. Wrong if a score differed from its twin in
// gpu/check/references/host_twin.cpp.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>

#include "gpu/functors/half_score.hpp"

namespace skt::gpu {

// The rule by which two halves make a term.
struct SoftCollision {                     // p = high * low
  static constexpr bool negative = false;  // whether a score may be
  __device__ static float add(float high, float low, float sum) { return fmaf(high, low, sum); }
};
struct SignedProjection {  // partial sums of sign(w_i.k) (w_i.q)
  static constexpr bool negative = true;
  __device__ static float add(float high, float low, float sum) { return sum + (high + low); }
};

// The word at a shared-memory address, `begin` known to the compiler and so part of the load. By its address and not by
// a pointer: the pointer would be added to every offset, which the masking instruction does for nothing.
__device__ inline std::uint32_t word_at(std::uint32_t address, int begin) {
  std::uint32_t word;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(word) : "r"(address + begin));
  return word;
}
__device__ inline float float_at(std::uint32_t address, int begin) {
  return __uint_as_float(word_at(address, begin));
}
__device__ inline __half2 pair_at(std::uint32_t address, int begin) {
  const std::uint32_t word = word_at(address, begin);
  return *reinterpret_cast<const __half2*>(&word);
}

template <class Rule>
struct OneHead {
  static constexpr int heads = 1;
  static constexpr bool shares = false;  // whether heads share a list
  static constexpr int lists = 1;        // of heads scored together
  static constexpr int threads = 768;    // of a block, one to a multiprocessor: 80 registers to each
  static constexpr int words_per_entry = 1;
  static constexpr bool kept_as_given = true;
  static constexpr bool negative = Rule::negative;
  float sum = 0;

  // The term of a table whose halves begin `high_begin` and `low_begin` bytes behind what the addresses of its entries
  // count from.
  template <bool first_of_chain>
  __device__ void add(std::uint32_t high, int high_begin, std::uint32_t low, int low_begin, int /*next_pair*/) {
    sum = Rule::add(float_at(high, high_begin), float_at(low, low_begin), sum);
  }
  __device__ void end_chain() {}
  __device__ float score(int, float norm) const { return norm * sum; }

  // Four entries as they are kept, from the fp32 entries of the heads from `first` on, `stride` floats to a head; of no
  // head: 0.
  __device__ static void store(float4* to, int /*next_pair*/, const float* first, std::int64_t /*stride*/,
                               int heads_left) {
    *to = heads_left > 0 ? *reinterpret_cast<const float4*>(first) : float4{};
  }
};

template <bool shares_>
struct FourHeads {
  static constexpr int heads = 4;
  static constexpr bool shares = shares_;
  static constexpr int lists = shares ? 1 : heads;
  static constexpr int threads = 640;  // 96 registers: the sums of 4 heads beside the words
  static constexpr int words_per_entry = 2;
  static constexpr bool kept_as_given = false;
  static constexpr bool negative = SoftCollision::negative;
  float sum[4] = {};
  __half2 chain[2];

  template <bool first_of_chain>
  __device__ void add(std::uint32_t high, int high_begin, std::uint32_t low, int low_begin, int next_pair) {
#pragma unroll
    for (int pair = 0; pair < 2; ++pair) {
      const __half2 h = pair_at(high, high_begin + pair * next_pair);
      const __half2 l = pair_at(low, low_begin + pair * next_pair);
      chain[pair] = first_of_chain ? __hmul2(h, l) : __hfma2(h, l, chain[pair]);
    }
  }
  __device__ void end_chain() {
#pragma unroll
    for (int pair = 0; pair < 2; ++pair) {
      sum[2 * pair] += __low2float(chain[pair]);
      sum[2 * pair + 1] += __high2float(chain[pair]);
    }
  }
  // Of a list that heads share the largest of theirs; heads that there are not have sums of 0.
  __device__ float score(int head, float norm) const {
    const float any = shares ? larger(larger(sum[0], sum[1]), larger(sum[2], sum[3])) : sum[head];
    return norm * (any * kHalfSumScale);
  }

  // Of heads 0 and 1, then, `next_pair` places on, of heads 2 and 3.
  __device__ static void store(float4* to, int next_pair, const float* first, std::int64_t stride, int heads_left) {
    float4 entries[4];
#pragma unroll
    for (int head = 0; head < 4; ++head) {
      entries[head] = head < heads_left ? *reinterpret_cast<const float4*>(first + head * stride) : float4{};
    }
#pragma unroll
    for (int pair = 0; pair < 2; ++pair) {
      const float4& a = entries[2 * pair];
      const float4& b = entries[2 * pair + 1];
      to[pair * next_pair] = {word_of(a.x, b.x), word_of(a.y, b.y), word_of(a.z, b.z), word_of(a.w, b.w)};
    }
  }

 private:
  // NaN where one is.
  __device__ static float larger(float a, float b) { return a > b || a != a ? a : b; }
  __device__ static float word_of(float first_head, float second_head) {
    const __half2 pair = __floats2half2_rn(first_head * kHalfEntryScale, second_head * kHalfEntryScale);
    return __uint_as_float(*reinterpret_cast<const unsigned*>(&pair));
  }
};

}  // namespace skt::gpu
