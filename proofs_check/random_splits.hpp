// Random problems for the statements about attention that leaves keys out: scores, values and an active set.
//
// Scores are multiples of 2^-20, so that a shift by a power of two is exact; values have norm at most 1, so that
// errors of outputs are absolute. Both ends of the difficulty occur: flat scores (range 1/8) and peaked ones (16).
#pragma once

#include <vector>

#include "sim/matrix.hpp"
#include "sim/randomness.hpp"

namespace skt {

struct Split {
  Vector scores;              // [keys], 2 to 33 of them, in [-8, 8]
  Matrix values;              // [keys, 3]
  std::vector<Index> active;  // neither empty nor everything
};

// The active keys of highest score, or any set.
enum class Policy { top_k, any };

Split random_split(Seed seed, std::uint64_t trial, Policy policy);

// Rounding of an output: a mean over at most 33 keys of weights e^(s - m) with |s - m| <= 16, each exponential right to
// (16 + 1) units, each sum to 33, times 8 for numerator, denominator, quotient, product and difference of two outputs.
double split_rounding();

}  // namespace skt
