// What needs a device, in a program without kernels: socketlab-gpu, the program beside this one that has them, is started
// in its place with the same arguments. Where it is not there, a line says how to build it.
#include <unistd.h>

#include <filesystem>

#include "experiments/command/command.hpp"
#include "experiments/command/messages.hpp"
#include "experiments/gpu/bench_on_device.hpp"
#include "experiments/gpu/check_on_device.hpp"

namespace skt {
namespace {

// Returns where the program is not there.
void hand_on(char** arguments) {
  std::error_code failure;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", failure);
  if (arguments != nullptr && !failure) execv((program.parent_path() / "socketlab-gpu").c_str(), arguments);
}

int say_how_to_build(const char* command) {
  say("socketlab: {}: no socketlab-gpu beside this program; `cmake --build build --target socketlab-gpu` makes it where "
      "there is a CUDA compiler\n",
      command);
  return kNoGpu;
}

}  // namespace

int check_on_device(const DeviceCheck& check) {
  hand_on(check.arguments);
  if (!check.candidate.empty()) gpu::load_library(check.candidate);  // a bad file is told all the same
  return say_how_to_build("gpu-check");
}

int bench_on_device(const DeviceBench& bench, const std::function<void(const std::vector<gpu::BenchRow>&)>&) {
  hand_on(bench.arguments);
  return say_how_to_build("gpu-bench");
}

}  // namespace skt
