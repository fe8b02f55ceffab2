// Are scores that were computed elsewhere the scores of this case?
//
// Needs no device: every key's score in double, and the interval in which an fp32 implementation may lie,
// whatever its order of summation. A bit whose exact projection lies within the rounding bound may be either,
// so a table's probability may be that of any code these bits allow; then each probability by its own error
// and type, the norm by its type, and the sum over tables. It would be wrong if it refused the kernels of
// gpu/, or accepted their planted faults.
#pragma once

#include <span>
#include <string>

#include "gpu/check/check_case.hpp"
#include "gpu/check/comparison.hpp"
#include "gpu/check/problem.hpp"

namespace skt::gpu {

struct ScoreInterval {
  double low = 0, high = 0;  // both -infinity for a forbidden key
};

// Of query row `row` = batch * heads + head, for every key [keys].
std::vector<ScoreInterval> score_intervals(const CheckCase& c, const Problem& problem, std::int64_t row);

// One score, `at` in the caller's array, against its interval; `where` goes before its name.
void compare_score(const ScoreInterval& interval, std::int64_t at, double score, Comparison& result,
                   const std::string& where = "");

// Scores [batch, heads, keys]. InputError for kinds of input whose fp32 sums overflow in some orders.
Comparison compare_scores(const CheckCase& c, std::span<const double> scores);

}  // namespace skt::gpu
