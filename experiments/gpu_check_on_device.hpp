// The part of gpu-check that needs a device; a build without CUDA has one that says so.
#pragma once

#include <string>
#include <vector>

#include "gpu/check/check_case.hpp"
#include "gpu/check/library.hpp"

namespace skt {

struct DeviceCheck {
  std::vector<gpu::CheckCase> cases;
  std::string candidate;  // path of a library; empty: the project's own operations
  gpu::Agreement agreement = gpu::Agreement::bitwise;
};

// Runs the cases, prints every failure with what replays it, and a table of operations; an ExitCode.
int check_on_device(const DeviceCheck& check);

}  // namespace skt
