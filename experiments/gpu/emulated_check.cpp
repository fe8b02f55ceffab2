// socketlab_emulated: does gpu-check pass where there is no GPU? It has gpu-check's options and exit codes, and runs the
// project's kernels, or those of --candidate compiled likewise, on the emulated device: docs/gpu/emulation.md.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <string>
#include <vector>

#include "experiments/command/command.hpp"
#include "experiments/command/messages.hpp"
#include "experiments/gpu/bench_on_device.hpp"

namespace skt {
namespace {

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
