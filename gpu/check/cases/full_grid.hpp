// The cases of the full grid beyond the quick one: each operation over all sizes, types, masks, kinds of input and
// profiles, every pair of values of two axes at least once.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/check/cases/check_case.hpp"

namespace skt::gpu {

std::vector<CheckCase> pairs_of_axes(std::uint64_t seed);

}  // namespace skt::gpu
