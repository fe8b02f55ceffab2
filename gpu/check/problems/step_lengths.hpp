// The lengths of the sequences in the steps of one captured graph, and behind the keys that a call appends.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/check/cases/check_case.hpp"

namespace skt::gpu {

using StepLengths = std::vector<std::int32_t>;  // [batch], of steps each 0 .. keys

// One step after the other: each sequence has once every length around a tile, sink and window, and both ends, another
// one than its neighbour where the case has several; then all are empty, all are full, and all grow by a token a step,
// each over the end of a tile of its own.
std::vector<StepLengths> lengths_of_steps(const CheckCase& c);

// The same of steps with the case's query rows: lengths at which the first rows see nothing, at which one row begins a
// tile or the window and the next does not, and both ends; then all are full, and the last step has one key less than it
// has rows.
std::vector<StepLengths> lengths_of_query_rows(const CheckCase& c);

// What query row `query_row` sees of the sequences, the last row all of them; without the functor under test.
StepLengths lengths_seen(const CheckCase& c, const StepLengths& lengths, std::int64_t query_row);

// Lengths of which `count` keys are the last, one call after the other: each sequence has once every one at which the
// keys begin or end in another tile, at 0 or at the capacity, and some far beyond both; another than its neighbour.
std::vector<StepLengths> lengths_of_appends(const CheckCase& c, std::int64_t count);

// How many are selected beside sink and window of a sequence of that length, without the functor under test.
std::int64_t expected_budget(const CheckCase& c, std::int64_t length, std::int64_t sparsity);

}  // namespace skt::gpu
