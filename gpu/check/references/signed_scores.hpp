// The signed projection's score of a key in double (estimators/peers/sign_projection.hpp), and how far an fp32 kernel
// may be off.
//
// With u = 2^-24 and A = sum_i sum_d |w_id q_d| over all bits i, a projection is off by (dim/32 + 5) u of its part of
// A, and the half sums, the term and the running sum by at most (planes + tables + 3) u A. Below the normal range
// each of the dim + 2 operations to a bit is off by at most 2^-149.
//
// Where query heads share a kv head, projections are taken from half sums and become whole numbers of a unit
// (gpu/functors/fixed_weights.hpp). Half sums of h planes are off by (h - 1) u of their part of A, so are the h
// projections taken from them, each with a rounding of its own: h^2 u A. The inverse unit, the product with it, the
// unit and two roundings of the sum add 5 u A, and each bit half a unit. The unit is that of the largest projection, as far off
// as any.
#pragma once

#include <cstdint>
#include <span>

#include "gpu/check/problems/problem.hpp"

namespace skt::gpu {

// Of one query row.
struct SignedProjections {
  Vector of_bit;        // w_i.q, scaled; [tables * planes]
  double absolute = 0;  // A, scaled
};

SignedProjections signed_projections(const CheckCase& c, const Problem& problem, const Hyperplanes& hyperplanes,
                                     std::int64_t row);

// sum_i sign(w_i.k) (w_i.q) of a key with these codes [tables].
double signed_sum(const CheckCase& c, const SignedProjections& projections, std::span<const std::int16_t> codes);

// How far the signed sum of a kernel may be off, before it becomes a score.
double signed_sum_error(const CheckCase& c, const SignedProjections& projections);

// How far a score of this size may be off by roundings of its own, beside the error of its sum: one of fp32, and where
// query heads share a kv head one of bf16, 2^-134 below the normal range.
double signed_score_rounding(const CheckCase& c, double score);

}  // namespace skt::gpu
