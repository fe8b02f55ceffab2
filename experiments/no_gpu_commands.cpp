// gpu-check and gpu-bench in a build without CUDA: they exist, say so, and report that there is no GPU.
#include <fmt/format.h>

#include "experiments/command.hpp"

namespace skt {
namespace {

void add_absent(CLI::App& app, SharedOptions& shared, const char* name) {
  CLI::App& sub = add_subcommand(app, name, "Needs a build with CUDA; this one has none", shared, [name] {
    fmt::print(stderr, "socketlab: {}: this build has no CUDA\n", name);
    return kNoGpu;
  });
  sub.allow_extras();
}

}  // namespace

void add_gpu_check_command(CLI::App& app, SharedOptions& shared) {
  add_absent(app, shared, "gpu-check");
}
void add_gpu_bench_command(CLI::App& app, SharedOptions& shared) {
  add_absent(app, shared, "gpu-bench");
}

}  // namespace skt
