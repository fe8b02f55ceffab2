// Of which parts are certify's redraws of the tables made?
//
// Of each group of queries, in blocks of redraws of some seconds; a redraw is the same in whatever block. Blocks in
// another order would show in redraw_parts_test.cpp.
#pragma once

#include <vector>

#include "experiments/certify/groups.hpp"
#include "experiments/parts/part_work.hpp"

namespace skt {

// The groups must outlive the parts, which share the group in memory: not for two threads at a time.
std::vector<Part> redraw_parts(LoadedGroups& groups, Seed seed, const WorkSeen& seen = {});

// [groups][queries of the group][redraws]
using RedrawsOfGroups = std::vector<std::vector<std::vector<DrawErrors>>>;

// From the results in the order of the parts. InputError for results of another list.
RedrawsOfGroups assemble_redraws(const LoadedGroups& groups, const std::vector<Json>& results);

}  // namespace skt
