// Random problems for the statements about attention that leaves keys out: scores, values and an active set.
//
// Scores are multiples of 2^-20, so that a shift by a power of two is exact; values have norm at most 1, so
// that errors of outputs are absolute. Both ends of the difficulty occur: flat scores (range 1/8) and peaked
// ones (16).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "proofs_check/evidence.hpp"
#include "sim/matrix.hpp"

namespace skt {

struct Split {
  Vector scores;              // [keys], 2 to 33 of them, in [-8, 8]
  Matrix values;              // [keys, 3]
  std::vector<Index> active;  // neither empty nor everything
};

// The active keys of highest score, or any set.
enum class Policy { top_k, any };

Split random_split(Seed seed, std::uint64_t trial, Policy policy);

// Rounding of an output: a mean over at most 33 keys of weights e^(s - m) with |s - m| <= 16, each
// exponential right to (16 + 1) units, each sum to 33, times 8 for numerator, denominator, quotient, product
// and difference of two outputs.
double split_rounding();

// The largest error over `splits` random splits (at the standard profile), claimed to be 0 up to
// split_rounding().
Evidence no_error(const Context& context, std::uint64_t splits, Policy policy, const std::string& quantity,
                  const std::function<double(const Split&)>& error);

}  // namespace skt
