// What does reproduce measure under each profile: with which size of statements, on which error curves and rankings, and
// with how many trials?
#pragma once

#include <string>
#include <vector>

#include "experiments/error_curves/audit.hpp"
#include "experiments/error_curves/sweep.hpp"
#include "experiments/ranking/rank.hpp"
#include "proofs_check/faults.hpp"

namespace skt {

// quick: every statement and lie at smoke size, curves and rankers of the paper's d, P, tau and L on half as many keys,
// with few trials, in about a minute.
enum class JobProfile { smoke, quick, standard, deep };

// InputError names what is allowed.
JobProfile job_profile_named(const std::string& name);

Profile statements_profile(JobProfile profile);

// quick asks until a fault is noticed, which takes a fiftieth of the time of asking all statements.
Ask asked_of_faults(JobProfile profile);

// They share kSweepsError equally.
std::vector<SweepPlan> sweeps_of(JobProfile profile);

// Our bounds at the points of the sweeps over tables, on the instances of these; an audit of one setting each. They are
// for the figures: the statements judge these bounds, and no verdict is made here.
std::vector<AuditPlan> bounds_of(JobProfile profile);

RankPlan rankings_of(JobProfile profile);

// "socketlab audit --part bounds ..": writes the rows of this plan again. For plans of bounds_of.
std::string command_of_bounds(const AuditPlan& plan, std::uint64_t seed);

// "socketlab sweep ..": writes the rows of this plan again, to the byte. For plans of sweeps_of: options that these leave
// at their defaults are not named.
std::string command_of_sweep(const SweepPlan& plan, std::uint64_t seed);

}  // namespace skt
