// Random problems for the statements about attention that leaves keys out: scores, values and an active set.
//
// Scores are multiples of 2^-20, so that a shift by a power of two is exact; values have norm at most 1, so that errors
// of outputs are absolute. Both ends of the difficulty occur: flat scores (range 1/8) and peaked ones (16).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "proofs_check/context.hpp"
#include "proofs_check/evidence.hpp"
#include "sim/matrix.hpp"

namespace skt {

struct SparseProblem {
  Vector scores;              // [keys], 2 to 33 of them, in [-8, 8]
  Matrix values;              // [keys, 3]
  std::vector<Index> active;  // neither empty nor everything
};

// The active keys of highest score, or any set.
enum class ActiveChoice { top_k, any };

SparseProblem random_sparse_problem(Seed seed, std::uint64_t trial, ActiveChoice policy);

// Rounding of an output: a mean over at most 33 keys of weights e^(s - m) with |s - m| <= 16, each exponential right to
// (16 + 1) units, each sum to 33, times 8 for numerator, denominator, quotient, product and difference of two outputs.
double sparse_output_rounding();

// The largest error over `splits` random splits (at the standard profile), claimed to be 0 up to
// sparse_output_rounding().
Evidence no_error_on_sparse_problems(const Context& context, std::uint64_t splits, ActiveChoice policy,
                                     const std::string& quantity,
                                     const std::function<double(const SparseProblem&)>& error);

}  // namespace skt
