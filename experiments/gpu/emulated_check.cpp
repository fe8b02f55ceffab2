// socketlab_emulated: does gpu-check pass where there is no GPU? It has gpu-check's options and exit codes, and runs the
// project's kernels, or those of --candidate compiled likewise, on the emulated device: docs/gpu/emulation.md.
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/command/arguments.hpp"
#include "experiments/command/messages.hpp"
#include "experiments/gpu/bench_on_device.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

// Code for a GPU, or a CUDA runtime of its own, asks for a driver, and every case would fail for want of one. nvcc leaves
// the first mark in what it compiles; the second is what such a runtime opens.
void refuse_code_for_a_gpu(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  for (const std::string_view mark : {".nvFatBinSegment", "libcuda.so"}) {
    if (bytes.find(mark) == std::string::npos) continue;
    refuse(
        "--candidate {}: is compiled for a GPU, and the emulated device runs kernels from their sources; allowed is what "
        "gpu/emulation/own_kernels.py BUILD SOURCE.cu makes of those, or socketlab gpu-check where there is a GPU",
        path);
  }
}

int run_emulated_check(const std::vector<std::string>& words) {
  try {
    Command command = gpu_check_command();
    if (asks_for_help(words)) {
      fmt::print("{}", help_of(command));
      return kAsExpected;
    }
    read_arguments(command, words);
    const Field& candidate = command.fields.at("candidate");
    if (candidate.turn > 0) refuse_code_for_a_gpu(candidate.text());
    return command.run();
  } catch (const std::exception& error) {
    say("socketlab_emulated: {}\n", error.what());
    return kBadInput;
  }
}

}  // namespace

// Of gpu-bench, which lies in one object with gpu-check and which no word of this program reaches.
int bench_on_device(const DeviceBench&, const std::function<void(const std::vector<gpu::BenchRow>&)>&) {
  return kNoGpu;
}

}  // namespace skt

int main(int argc, char** argv) {
  return skt::run_emulated_check({argv + std::min(argc, 1), argv + argc});
}
