// What needs CUDA, in a build without it: it exists, says so, and reports that there is no GPU.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "experiments/command/command.hpp"
#include "experiments/command/messages.hpp"
#include "experiments/gpu/check_on_device.hpp"

namespace skt {
namespace {

void add_absent(CLI::App& app, SharedOptions& shared, const char* name) {
  const auto run = [name] {
    say("socketlab: {}: this build has no CUDA\n", name);
    return kNoGpu;
  };
  CLI::App& sub = add_subcommand(app, name, "Needs a build with CUDA; this one has none", shared, run, Writes::nothing);
  sub.allow_extras();
}

}  // namespace

int check_on_device(const DeviceCheck& check) {
  if (!check.candidate.empty()) gpu::load_library(check.candidate);  // a bad file is told all the same
  say("socketlab: gpu-check: this build has no CUDA\n");
  return kNoGpu;
}
void add_gpu_bench_command(CLI::App& app, SharedOptions& shared) {
  add_absent(app, shared, "gpu-bench");
}

}  // namespace skt
