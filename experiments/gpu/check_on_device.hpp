// The part of gpu-check that needs a device; a build without CUDA has one that says so.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "gpu/check/cases/check_case.hpp"
#include "gpu/check/device/library.hpp"

namespace skt {

enum class Lines { failures, every_case };  // every_case: also the seconds of each
enum class DeviceMemory { guarded, bare };  // bare (gpu/check/device/device_array.hpp): nothing is compared

struct DeviceCheck {
  std::vector<gpu::CheckCase> cases;
  std::string candidate;  // path of a library; empty: the project's own operations
  gpu::Agreement agreement = gpu::Agreement::bitwise;
  DeviceMemory memory = DeviceMemory::guarded;
  Lines lines = Lines::failures;
  std::chrono::seconds case_limit{120};  // a case that takes longer fails, and ends the process
};

// Runs the cases, prints every failure with what replays it, and a table of operations; an ExitCode.
int check_on_device(const DeviceCheck& check);

}  // namespace skt
