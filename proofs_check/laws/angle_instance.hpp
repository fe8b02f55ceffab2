// Keys at chosen angles to the query: the instance on which statements about one key at a time are measured.
#pragma once

#include <vector>

#include "sim/instance.hpp"
#include "sim/randomness.hpp"

namespace skt {

// Query of norm `query_norm` and unit keys in a random plane of R^dim that contains it, key i at angles[i] to the
// query; all on one side, so that keys i and j are |angles[i] - angles[j]| apart. Values: the unit vectors e_i.
// InputError for dim < 2.
Instance angle_instance(const std::vector<double>& angles, Index dim, double query_norm, Seed seed);

}  // namespace skt
