#include "experiments/command/command.hpp"
#include "tests/catch.hpp"
#include "tests/experiments/parsed_command.hpp"
#include "tests/experiments/refusal.hpp"

using namespace skt;

TEST_CASE("gpu-bench refuses shapes that have no step", "[unit][gpu]") {
  for (const std::string option : {"--planes 3", "--planes 16", "--keys 0", "--keys 1024,0", "--keys 1024,",
                                   "--batch 1073741825", "--grid --heads 8"}) {
    INFO(option);
    const std::string said = refusal([&] { ParsedCommand(gpu_bench_command, "gpu-bench " + option); });
    CHECK(said.find(option.substr(0, option.find(' '))) != std::string::npos);
  }
  for (const std::string keys : {"1024", "1024,2048", "1024 2048"})
    CHECK(refusal([&] { ParsedCommand(gpu_bench_command, "gpu-bench --keys " + keys); }).empty());
  const ParsedCommand unequal(gpu_bench_command, "gpu-bench --heads 8 --kv-heads 3");
  CHECK(refusal([&] { unequal.run(); }) == "--heads 8: allowed are multiples of --kv-heads 3");
}
