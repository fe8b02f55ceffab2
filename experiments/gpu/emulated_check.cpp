// socketlab_emulated: does gpu-check pass where there is no GPU? It has gpu-check's options and exit codes, and runs the
// project's kernels, or those of --candidate compiled likewise, on the emulated device: docs/gpu/emulation.md.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/command/command.hpp"
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

int run_emulated_check(int argc, char** argv) {
  CLI::App app{"gpu-check on an emulated device"};
  SharedOptions shared;
  add_gpu_check_command(app, shared);
  check_every_text(app);
  std::vector<std::string> words(argv + 1, argv + argc);
  words.insert(words.begin(), "gpu-check");
  std::reverse(words.begin(), words.end());  // as CLI11 takes them
  try {
    app.parse(words);
    const CLI::Option& candidate = *app.get_subcommand("gpu-check")->get_option("--candidate");
    if (candidate.count() > 0) refuse_code_for_a_gpu(candidate.as<std::string>());
    return shared.chosen ? shared.chosen() : kAsExpected;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help
    say("socketlab_emulated: {}\n", error.what());
    return kBadInput;
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
  return skt::run_emulated_check(argc, argv);
}
