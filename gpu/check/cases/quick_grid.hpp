// The two parts of the quick grid (check_grid.hpp).
#pragma once

#include "gpu/check/cases/grid_builder.hpp"

namespace skt::gpu {

void add_prefill_cases(Grid& grid);
void add_decode_cases(Grid& grid);
void add_step_cases(Grid& grid);

}  // namespace skt::gpu
