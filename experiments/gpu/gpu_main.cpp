// socketlab-gpu: gpu-check and gpu-bench with the kernels. socketlab starts it where a device is needed (handed_on.cpp).
#include "experiments/command_line.hpp"

namespace skt {
namespace {

void add_commands(CLI::App& app, SharedOptions& shared) {
  add_gpu_bench_command(app, shared);
  add_gpu_check_command(app, shared);
}

}  // namespace
}  // namespace skt

int main(int argc, char** argv) {
  return skt::run_command_line(argc, argv, skt::add_commands);
}
