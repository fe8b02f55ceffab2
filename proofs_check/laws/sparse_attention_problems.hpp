// Random problems for the statements about attention that leaves keys out: scores, values and an active set.
//
// Scores are multiples of 2^-20, so that a shift by a power of two is exact; values have norm at most 1, so that errors
// of outputs are absolute. Both ends of the difficulty occur: flat scores (range 1/8) and peaked ones (16).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "estimators/metrics/snr_decomposition.hpp"
#include "proofs_check/context.hpp"
#include "proofs_check/evidence.hpp"
#include "proofs_check/laws/both_sides.hpp"
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

// The scores of such a problem, mapped linearly to a dynamic range of at most `range`.
Vector scores_within(const Context& context, std::uint64_t trial, double range);

// Rounding of an output: a mean over at most 33 keys of weights e^(s - m) with |s - m| <= 16, each exponential right to
// (16 + 1) units, each sum to 33, times 8 for numerator, denominator, quotient, product and difference of two outputs.
double sparse_output_rounding();

// The two sides of an identity over `splits` random splits (at the standard profile), as `compare` adds them.
Evidence same_on_sparse_problems(const Context& context, std::uint64_t splits, ActiveChoice policy,
                                 const std::string& quantity,
                                 const std::function<void(const SparseProblem&, BothSides&)>& compare);

// One score `peak`, kept - 1 scores `cut`, the rest `floor`; the first `kept` are active.
ActiveSet staircase(Index kept, Index pruned, double peak, double cut, double floor);

// A ratio of the sets in scope, claimed to be at most 1 up to sparse_output_rounding(): the largest of `splits` random
// problems (at the standard profile).
Evidence largest_ratio_of_sets(const Context& context, std::uint64_t splits, ActiveChoice policy,
                               const std::string& quantity, const std::function<double(const ActiveSet&)>& ratio,
                               const std::function<bool(const ActiveSet&)>& in_scope);

inline bool every_set(const ActiveSet&) {
  return true;
}

}  // namespace skt
