#include "experiments/gpu/bench_on_device.hpp"

#include "experiments/command/command.hpp"
#include "experiments/command/messages.hpp"
#include "gpu/check/device/device_array.hpp"

namespace skt {

int bench_on_device(const DeviceBench& bench, const std::function<void(const std::vector<gpu::BenchRow>&)>& timed) {
  if (!gpu::have_device()) {
    say("socketlab: gpu-bench: no CUDA device\n");
    return kNoGpu;
  }
  for (const gpu::BenchShape& shape : bench.shapes) timed(gpu::run_bench(shape, bench.seed));
  return kAsExpected;
}

}  // namespace skt
