// Of which parts is a sweep made?
//
// Of each exact centre, whose limits in L take the time of all pairs of keys, and of the trials of each value in blocks
// of some seconds. A block gives the numbers of each trial by itself: sums over blocks would have other bits than the
// sum over all. Everything else, the judging with it, follows from them in time linear in the keys. A part that depended
// on the number of threads or on another part would show in sweep_parts_test.cpp.
#pragma once

#include <vector>

#include "experiments/error_curves/sweep.hpp"
#include "experiments/parts/part_work.hpp"

namespace skt {

// InputError for a plan that fails the check. The parts share the instance at hand: not for two threads at a time.
std::vector<Part> sweep_parts(const SweepPlan& plan, Seed seed, const WorkSeen& seen = {});

// Of several sweeps, one after the other, in one list.
std::vector<Part> sweep_parts(const std::vector<SweepPlan>& plans, Seed seed, const WorkSeen& seen = {});

// From the results in the order of the parts. InputError for results of another list.
SweepResult assemble_sweep(const SweepPlan& plan, Seed seed, const std::vector<Json>& results);
std::vector<SweepResult> assemble_sweeps(const std::vector<SweepPlan>& plans, Seed seed,
                                         const std::vector<Json>& results);

}  // namespace skt
