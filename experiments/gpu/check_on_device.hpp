// gpu-check on a device: does the project's own CUDA path, or a candidate's library, hold what the reference computes?
//
// socketlab itself has handed_on.cpp in place of check_on_device.cpp, which is in socketlab-gpu. Scores that a candidate
// computed elsewhere need no device: candidate_scores.hpp.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "experiments/command/outcome_options.hpp"
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
  OutcomeOptions outcomes{};
  char** arguments = nullptr;  // SharedOptions::arguments
};

// Runs the cases, prints every failure with what replays it, and a table of operations; an ExitCode.
int check_on_device(const DeviceCheck& check);

}  // namespace skt
