// Which runs of a sequence's keys do the ranks of a check hold, and what is a rank's own problem?
//
// Runs are contiguous, in the order of the ranks and without a gap: even ones, unequal ones, runs of a key or two that
// end beside a tile, empty ranks at every place, all keys on one rank. It would be wrong if a key were on two ranks or on
// none: tests/gpu/check/problems/runs_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/check/cases/check_case.hpp"
#include "gpu/check/problems/problem.hpp"
#include "gpu/check/problems/step_lengths.hpp"

namespace skt::gpu {

struct Run {
  std::int64_t first, keys;  // positions first .. first + keys - 1
};
using Runs = std::vector<Run>;  // one to a rank

inline constexpr std::int64_t kMostCheckedRanks = 8;

// For 1, 2, 3, 4 and 8 ranks.
std::vector<Runs> checked_runs(std::int64_t keys);

// One for each of these, unequal and with empty ranks: of a step, which takes longer.
std::vector<Runs> checked_runs_of_steps(std::int64_t keys);

// The case of a rank: its keys alone, in a cache with at least one unused place.
CheckCase case_of_run(const CheckCase& c, const Run& run);

// The rank's keys, values and mask, at the beginning of its cache; NaN behind. Queries and hyperplanes are the same.
Problem problem_of_run(const CheckCase& c, const Problem& problem, const Run& run);

// The columns of a run of [rows, capacity], in rows of `width`; `behind` after them.
std::vector<float> columns_of_run(const std::vector<float>& rows, std::int64_t capacity, const Run& run,
                                  std::int64_t width, float behind);

// As skt_score_packed takes them: of the sequences, less the run's first position.
StepLengths lengths_of_run(const StepLengths& lengths, const Run& run);

}  // namespace skt::gpu
