// Which error curves does reproduce measure, and with how many trials, under each profile?
#pragma once

#include <string>
#include <vector>

#include "experiments/error_curves/sweep.hpp"

namespace skt {

// The share of the family-wise error is not set.
std::vector<SweepPlan> sweeps_of(Profile profile);

// No two sweeps of a profile have the same: what the journal of a run finds a finished one by.
std::string name_of_sweep(const SweepPlan& plan);

}  // namespace skt
