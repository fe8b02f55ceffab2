// The double-precision reference of the query side, with the derived bound on what the kernels may differ by.
#pragma once

#include <vector>

#include "gpu/check/problem.hpp"

namespace skt::gpu {

// Probability of every bucket of one table for one query, by the softmax over all corners (estimators).
struct ReferenceBuckets {
  std::vector<double> probability;  // [2^planes]
  double relative_error = 0;        // of the kernel's, see gpu/soft_buckets.cu
};

// For query row `row` = batch * heads + head; every table.
std::vector<ReferenceBuckets> reference_buckets(const CheckCase& c, const Problem& problem,
                                                const Hyperplanes& exact, std::int64_t row);

// A probability this small may be 0 in fp32.
inline constexpr double kSmallestNormal = 0x1p-126;

}  // namespace skt::gpu
