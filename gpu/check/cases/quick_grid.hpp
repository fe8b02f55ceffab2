// The parts of the quick grid (grid.hpp), in its order, and what the full grid adds.
#pragma once

#include "gpu/check/cases/axes.hpp"

namespace skt::gpu {

void add_prefill_cases(Grid& grid);
void add_score_cases(Grid& grid);
void add_attention_cases(Grid& grid);
void add_step_cases(Grid& grid);
void add_rest_cases(Grid& grid);
void add_query_row_cases(Grid& grid);
void add_shard_cases(Grid& grid);
void add_page_cases(Grid& grid);
void add_group_cases(Grid& grid);
void add_contract_cases(Grid& grid);  // the tiny grid has them too

// Each operation over all sizes, types, masks, kinds of input and profiles, every pair of values of two axes at least once.
std::vector<CheckCase> pairs_of_axes(std::uint64_t seed);

}  // namespace skt::gpu
