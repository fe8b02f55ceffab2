// Which error curves does reproduce measure, and with how many trials, under each profile?
#pragma once

#include <string>
#include <vector>

#include "experiments/error_curves/audit.hpp"
#include "experiments/error_curves/sweep.hpp"

namespace skt {

// They share kSweepsError equally.
std::vector<SweepPlan> sweeps_of(Profile profile);

// Our bounds at the points of the sweeps over tables, on the instances of these; an audit of one setting each. They are
// for the figures: the statements judge these bounds, and no verdict is made here.
std::vector<AuditPlan> bounds_of(Profile profile);

// "socketlab audit --part bounds ..": writes the rows of this plan again. For plans of bounds_of.
std::string command_of_bounds(const AuditPlan& plan, std::uint64_t seed);

// "socketlab sweep ..": writes the rows of this plan again, to the byte. For plans of sweeps_of: options that these leave
// at their defaults are not named.
std::string command_of_sweep(const SweepPlan& plan, std::uint64_t seed);

}  // namespace skt
