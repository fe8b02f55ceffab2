// Runs one case on the device and compares it with the reference. Needs a device.
#pragma once

#include "gpu/check/cases/check_case.hpp"
#include "gpu/check/device/library.hpp"
#include "gpu/check/references/comparison.hpp"

namespace skt::gpu {

// By the check of its operation (operations.def). Passed iff failures() == 0 and compared() > 0. std::runtime_error
// if an operation refuses the case or CUDA fails.
Comparison run_check(const Library& library, const CheckCase& c);

}  // namespace skt::gpu
