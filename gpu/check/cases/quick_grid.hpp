// The parts of the quick grid (grid.hpp), in its order.
#pragma once

#include "gpu/check/cases/grid_builder.hpp"

namespace skt::gpu {

void add_prefill_cases(Grid& grid);
void add_score_cases(Grid& grid);
void add_attention_cases(Grid& grid);
void add_step_cases(Grid& grid);
void add_query_row_cases(Grid& grid);
void add_shard_cases(Grid& grid);
void add_page_cases(Grid& grid);

}  // namespace skt::gpu
