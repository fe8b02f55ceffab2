// The checks that the rows of operations.def name, each in a file of this folder, of far/ or of pages/; several
// operations may share one.
#pragma once

#include "gpu/check/cases/check_case.hpp"
#include "gpu/check/device/library.hpp"
#include "gpu/check/references/comparison.hpp"

namespace skt::gpu {

#define SKT_OPERATION(operation, name, least_planes, most_planes, check, needs) \
  Comparison check(const Library& library, const CheckCase& c);
#include "gpu/check/cases/operations.def"
#undef SKT_OPERATION
Comparison check_appending_step(const Library& library, const CheckCase& c);  // of append-step, where the step appends

}  // namespace skt::gpu
