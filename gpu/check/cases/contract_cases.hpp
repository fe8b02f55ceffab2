// The part that the tiny and the quick grid share.
#pragma once

#include "gpu/check/cases/grid_builder.hpp"

namespace skt::gpu {

void add_contract_cases(Grid& grid);

}  // namespace skt::gpu
