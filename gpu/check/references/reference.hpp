// The double-precision reference of the query side, with the derived bound on what the kernels may differ by.
#pragma once

#include <vector>

#include "gpu/check/problems/problem.hpp"

namespace skt::gpu {

// Probability of every bucket of one table for one query, by the softmax over all corners (estimators), or over the
// corners of the problem.
struct ReferenceBuckets {
  std::vector<double> probability;  // [2^planes]
  double relative_error = 0;        // of an fp32 computation before it is rounded to its type
};

// Whose projections the error is derived for: our kernel's order of summation, or any order.
enum class Summation { of_the_kernel, any };

// For query row `row` = batch * heads + head; every table.
std::vector<ReferenceBuckets> reference_buckets(const CheckCase& c, const Problem& problem, const Hyperplanes& exact,
                                                std::int64_t row, Summation summation = Summation::of_the_kernel);

// How far a probability of the given type may be off.
double probability_tolerance(const ReferenceBuckets& buckets, double probability, std::int32_t type);

// A probability this small may be 0 in fp32.
inline constexpr double kSmallestNormal = 0x1p-126;

}  // namespace skt::gpu
