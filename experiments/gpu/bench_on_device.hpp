// gpu-bench on a device: how long do the stages of a decode step take there?
//
// socketlab itself has handed_on.cpp in place of bench_on_device.cpp, which is in socketlab-gpu.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "gpu/bench/run_bench.hpp"

namespace skt {

struct DeviceBench {
  std::vector<gpu::BenchShape> shapes;
  std::uint64_t seed = 1;
  char** arguments = nullptr;  // SharedOptions::arguments
};

// Calls `timed` with the stages of each shape in turn; an ExitCode.
int bench_on_device(const DeviceBench& bench, const std::function<void(const std::vector<gpu::BenchRow>&)>& timed);

}  // namespace skt
