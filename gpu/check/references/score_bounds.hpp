// Are scores that were computed elsewhere the scores of this case?
//
// Needs no device: every key's score in double, and the interval in which an fp32 implementation may lie, whatever
// its order of summation. Two of them:
// - over the inputs of scoring_inputs.hpp, which --write-case writes: the terms are not negative, and a term passes
//   at most n = tables + 1 roundings of fp32, one in each of at most tables - 1 additions, in whatever tree, one in
//   the product with the norm, before or behind the sum, and in score-packed one in the product of its two entries;
//   so the score is off by at most n u / (1 - n u) relatively, u = 2^-24, and by n of the smallest normal number for
//   each unit of norm where a device flushes what is smaller. Where score-packed may sum in fp16, the bound of
//   gpu/functors/half_score.hpp comes on top.
// - over queries, keys, values and hyperplanes, for who hashes himself: a bit whose exact projection lies within its
//   rounding bound may be either, so a table's probability may be that of any code these bits allow; then each
//   probability by its own error and type, the norm by its type (of fp16 2^-11), and the sum over tables.
// In both, a forbidden key has -infinity and nothing else; places behind the keys are not asked for. It would be
// wrong if it refused the kernels of gpu/, or accepted their planted faults.
#pragma once

#include <span>
#include <string>

#include "gpu/check/cases/check_case.hpp"
#include "gpu/check/problems/problem.hpp"
#include "gpu/check/references/comparison.hpp"
#include "gpu/check/references/scoring_inputs.hpp"

namespace skt::gpu {

struct ScoreInterval {
  double low = 0, high = 0;  // both -infinity for a forbidden key
};

// What the terms of a score are looked up in: half-tables, whose entries are multiplied, or probabilities of buckets.
enum class TableEntries { halves, buckets };

// In which type a kernel may sum the terms (gpu/functors/half_score.hpp).
enum class TermSums { f32, f16 };

// The exact sum over tables of a key's terms; `of_row` [tables, entries] of one query row, codes [tables].
double exact_score_sum(std::span<const float> of_row, std::span<const std::int16_t> codes, int planes,
                       TableEntries entries);

// In which norm * that sum lies, in whatever order it is summed: the first of the intervals above.
ScoreInterval summed_score_interval(double exact_sum, double norm, Index tables, TermSums sums);

// The code of a key in one table, and the bits of it that rounding may turn.
struct BoundedCode {
  std::uint32_t code = 0;
  std::uint32_t doubtful = 0;
};

BoundedCode bounded_code(const Matrix& planes, const Vector& key);

// In which the norm of a value row lies, as a number of the profile's type.
ScoreInterval norm_interval(const CheckCase& c, const Vector& value);

// Of query row `row` = batch * heads + head, for every key [keys].
std::vector<ScoreInterval> score_intervals(const CheckCase& c, const Problem& problem, std::int64_t row);

// Likewise, over the inputs of the scoring kernel.
std::vector<ScoreInterval> score_intervals(const CheckCase& c, const Problem& problem, const ScoringInputs& inputs,
                                           std::int64_t row);

// One score, `at` in the caller's array, against its interval; `where` goes before its name.
void compare_score(const ScoreInterval& interval, std::int64_t at, double score, Comparison& result,
                   const std::string& where = "");

// What scores were computed from: the inputs of scoring_inputs.hpp, or codes, probabilities and norms of one's own.
enum class ScoredFrom { written_inputs, own_hash };

// Scores [batch, heads, keys]. InputError for kinds of input whose fp32 sums overflow in some orders.
Comparison compare_scores(const CheckCase& c, ScoredFrom from, std::span<const double> scores);

}  // namespace skt::gpu
