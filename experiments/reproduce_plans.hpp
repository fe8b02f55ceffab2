// Which error curves does reproduce measure, and with how many trials, under each profile?
#pragma once

#include <string>
#include <vector>

#include "experiments/error_curves/sweep.hpp"

namespace skt {

// They share kSweepsError equally.
std::vector<SweepPlan> sweeps_of(Profile profile);

// "socketlab sweep ..": writes the rows of this plan again, to the byte. For plans of sweeps_of: options that these leave
// at their defaults are not named.
std::string command_of_sweep(const SweepPlan& plan, std::uint64_t seed);

}  // namespace skt
