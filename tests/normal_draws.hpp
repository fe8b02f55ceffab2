// Normal numbers for tests, and how far a mean of them may stray.
#pragma once

#include <cmath>

#include "sim/normal_rows.hpp"
#include "sim/statistics/moments.hpp"

namespace skt {

// [rows, cols] independent N(0,1), addressed by (seed, stream).
inline Matrix normal_matrix(Seed seed, std::uint32_t stream, Index rows, Index cols) {
  return normal_rows(seed, {Role::test_draw, stream}, rows, cols);
}

inline Vector normal_vector(Seed seed, std::uint32_t stream, Index size) {
  return normal_matrix(seed, stream, 1, size).row(0);
}

// z with P(|N(0,1)| > z) = failure.
double two_sided_normal(double failure);

// Distance of a sample mean to its claimed value, in its own estimated standard deviations.
inline double deviations_from(double claimed, const Moments& samples) {
  return std::abs(samples.mean() - claimed) / samples.deviation_of_mean();
}

}  // namespace skt
