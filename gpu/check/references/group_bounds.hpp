// In which interval does a kernel's score of a key for a KV head lie, the sum over its query heads of 2^(x - c)?
//
// x is a head's signed score in units of log2, factor * S with S the signed sum, c the normaliser that the kernel takes
// from its own x (estimators/groups/group_scores.hpp). With u = 2^-24 and h = 2^-22, what PTX says of ex2.approx.ftz
// (relative) and lg2.approx (absolute, or relative beyond 1):
//
// - x is off by |factor| times the error of S and three roundings of its products. The error of S is that of
//   signed_scores.hpp, whole-number weights included: an error of x of e units changes the weight by the factor 2^e.
// - c is off by at most as much as the worst x behind it, since log2 of a sum of 2^x moves no further than its terms, nor
//   does a mean of such logarithms; and by the roundings of a weight for each key, of their sum in whatever order, of
//   two logarithms, and of the mean of the tiles' logarithms.
// - x - c is rounded once, 2^(x - c) is off by h and flushed to 0 below 2^-126, the heads are added, and the sum may be
//   rounded once more to what is stored (`stored`, 2^-8 for bf16).
//
// It would be wrong if the emulation in tests/gpu/check/references/group_bounds_test.cpp left it, or a score moved by
// twice the bound did not.
#pragma once

#include <cstdint>
#include <span>

#include "gpu/check/references/score_bounds.hpp"

namespace skt::gpu {

inline constexpr double kExponentialError = 0x1p-22;

// Of x = factor * sum, where the sum is off by at most sum_error.
double exponent_error(double factor, double sum, double sum_error);

// Of c, whose sum has `keys_read` weights: each exponent is off by at most `exponent`, and none is larger than `largest` in
// magnitude. Each tile's largest exponent is taken out before its sum, so that nothing is flushed or leaves fp32.
double normaliser_error(double largest, double exponent, std::int64_t keys_read);

// One head's part of a score.
struct BoundedExponent {
  double exponent = 0, exponent_error = 0;      // x; -infinity has no error
  double normaliser = 0, normaliser_error = 0;  // c
};

// heads: one entry for each query head of the KV head. stored: relative rounding of the sum; 0: kept in fp32.
ScoreInterval group_score_interval(std::span<const BoundedExponent> heads, double stored);

}  // namespace skt::gpu
