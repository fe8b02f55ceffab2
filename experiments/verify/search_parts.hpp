// Of which parts is a search made?
//
// Of its inequalities, each with its own draws. An inequality whose worst instance depended on the others would show in
// search_parts_test.cpp.
#pragma once

#include <vector>

#include "experiments/parts/part_work.hpp"
#include "proofs_check/inequalities/adversarial_search.hpp"

namespace skt {

// In the order of searched_inequalities(). A part throws InputError in a program without NLopt.
std::vector<Part> search_parts(const SearchEffort& effort, Seed seed, const WorkSeen& seen = {});

// From the results in the order of the parts. InputError for results of another list.
std::vector<WorstInstance> assemble_search(const std::vector<Json>& results);

}  // namespace skt
