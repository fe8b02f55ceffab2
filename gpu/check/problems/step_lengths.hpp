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

// Lengths of which `count` keys are the last, one call after the other: each sequence has once every one at which the
// keys begin or end in another tile, at 0 or at the capacity, and some far beyond both; another than its neighbour.
std::vector<StepLengths> lengths_of_appends(const CheckCase& c, std::int64_t count);

// How many are selected beside sink and window of a sequence of that length, without the functor under test.
std::int64_t expected_budget(const CheckCase& c, std::int64_t length, std::int64_t sparsity);

}  // namespace skt::gpu
