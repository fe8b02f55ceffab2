// In which order does the selection rank scores?
//
// ordered_key maps a float to an integer so that a < b (as floats) gives a smaller key; -0 and +0 share one, as they
// tie. Key 0 is kept for what must never be selected: -infinity, which a forbidden key scores, and NaN. It would be
// wrong if a sort by key differed from a sort by value; tests/gpu/functors/ordered_key_test.cpp.
#pragma once

#include <cstdint>
#include <cstring>

#include "gpu/functors/host_device.hpp"

namespace skt::gpu {

inline constexpr std::uint32_t kNeverSelected = 0;

SKT_HD inline std::uint32_t ordered_key(float score) {
  const float no_negative_zero = score + 0.0f;  // -0 + 0 = +0
  std::uint32_t bits = 0;
  std::memcpy(&bits, &no_negative_zero, sizeof bits);
  const bool negative = bits >> 31;
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  constexpr std::uint32_t kInfinity = 0x7f800000u;
  if (magnitude > kInfinity || (negative && magnitude == kInfinity)) return kNeverSelected;
  return negative ? ~bits : bits | 0x80000000u;
}

// The number that a score must reach: score >= reached_by(key) exactly where ordered_key(score) >= key, for 1 <= key.
// NaN, which no score reaches, for a key above that of +infinity.
SKT_HD inline float reached_by(std::uint32_t key) {
  constexpr std::uint32_t kZero = 0x80000000u;
  constexpr std::uint32_t kLowest = 0x00800000u;  // of the largest negative number
  const std::uint32_t bits = key >= kZero ? key - kZero : ~(key < kLowest ? kLowest : key);
  float score = 0;
  std::memcpy(&score, &bits, sizeof score);
  return score;
}

}  // namespace skt::gpu
