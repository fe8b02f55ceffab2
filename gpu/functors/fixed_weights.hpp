// What do query heads that share a kv head score by the signed projection, as whole numbers of 8 bits?
//
// So that the tensor cores add them up exactly (gpu/packed_scores/grouped_products.cuh). A head's projections x_i are
// taken as multiples of a unit, its largest |x_i| / 127: x_i = unit * weight_i, and the score
//
//   norm * sum_i sign(w_i.k) x_i = norm * unit * (2 * (sum of the weights whose bit is set) - sum of all).
//
// The score is then rounded to bf16, nearest and ties to even: half the bytes to write and read, and a bin of
// gpu/functors/score_bins.hpp holds one number of 16 octaves, so that the selection need not divide it.
//
// Error: rounding a weight puts x_i off by at most half a unit, and rounding the score puts that off by kScoreRounding
// of itself. Whole numbers lose nothing more. What fp32 adds before and behind: gpu/check/references/signed_scores.hpp.
#pragma once

#include <cmath>

#include "gpu/functors/half_table.hpp"
#include "gpu/functors/host_device.hpp"

namespace skt::gpu {

inline constexpr int kWeightBits = 8;  // the last of them counts negative
inline constexpr int kMostWeight = (1 << (kWeightBits - 1)) - 1;
inline constexpr double kScoreRounding = 0x1p-8;   // bf16 has 8 digits, the first left out of its 16 bits
inline constexpr float kLeastLargest = 0x1p-100f;  // so that neither the unit nor its inverse leaves fp32

// Which two of a table's half sums [high entries, low entries] tell the projection of the plane that is bit `bit` of its code.
struct ProjectionEntries {
  int with, without;
};
SKT_HD constexpr ProjectionEntries projection_entries(int bit, int planes) {
  const int low = low_planes(planes);
  const int half = bit < low ? 1 << high_planes(planes) : 0;
  return {half + (1 << (bit < low ? bit : bit - low)), half};
}
// That projection, from a pointer or what reads as one.
template <class Floats>
SKT_HD float projection_of(Floats half_sums, const ProjectionEntries& entries) {
  return 0.5f * (half_sums[entries.with] - half_sums[entries.without]);
}
template <class Floats>
SKT_HD float projection_of(Floats half_sums, int bit, int planes) {
  return projection_of(half_sums, projection_entries(bit, planes));
}

// From a head's largest |x_i|; not finite where one is not finite, and then its scores are NaN.
SKT_HD inline float weight_unit(float largest) {
  return (largest < kLeastLargest ? kLeastLargest : largest) / static_cast<float>(kMostWeight);
}
SKT_HD inline float inverse_weight_unit(float largest) {
  return static_cast<float>(kMostWeight) / (largest < kLeastLargest ? kLeastLargest : largest);
}

// 0 where the unit is not finite.
SKT_HD inline int fixed_weight(float projection, float inverse_unit) {
  const float weight = std::rint(projection * inverse_unit);
  return std::fabs(weight) <= static_cast<float>(kMostWeight) ? static_cast<int>(weight) : 0;
}

// From the sum of the weights whose bit is set, and that of all; before it is rounded.
SKT_HD inline float signed_score(int set, int all, float unit, float norm) {
  return norm * (unit * static_cast<float>(2 * set - all));
}

}  // namespace skt::gpu
