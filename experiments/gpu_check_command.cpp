// socketlab gpu-check: does the CUDA path compute what the double-precision reference computes?
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <map>
#include <memory>

#include "experiments/command.hpp"
#include "gpu/check/device_array.hpp"
#include "gpu/check/run_check.hpp"
#include "sim/input_error.hpp"

namespace skt {
namespace {

struct GpuCheckOptions {
  std::string replay;  // one case; empty: the grid
  std::string only;    // one operation; empty: all
};

struct Tally {
  int cases = 0;
  int failed = 0;
  std::int64_t compared = 0;
  double worst_ratio = 0;
  double seconds = 0;
};

// Runs one case; prints what is needed to replay it if it fails.
void check_one(const gpu::CheckCase& c, Tally& tally) {
  const auto begin = std::chrono::steady_clock::now();
  const gpu::Comparison result = gpu::run_check(c);
  tally.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  ++tally.cases;
  tally.compared += result.compared();
  tally.worst_ratio = std::fmax(tally.worst_ratio, result.worst_ratio());
  if (result.failures() == 0 && result.compared() > 0) return;
  ++tally.failed;
  fmt::print("FAILED {}: {} of {} comparisons; worst: {}\n  socketlab gpu-check --case {}\n", c.operation,
             result.failures(), result.compared(), result.worst(), c.text());
}

int run_gpu_check(const SharedOptions& shared, const GpuCheckOptions& options) {
  std::vector<gpu::CheckCase> cases = gpu::quick_grid(shared.seed);
  if (!options.replay.empty()) cases = {gpu::CheckCase::parse(options.replay)};
  if (!gpu::have_device()) {
    fmt::print(stderr, "socketlab: gpu-check: no CUDA device\n");
    return kNoGpu;
  }
  std::map<std::string, Tally> tallies;
  for (const gpu::CheckCase& c : cases) {
    if (options.only.empty() || options.only == c.operation) check_one(c, tallies[c.operation]);
  }
  fmt::print("{:<18}{:>8}{:>8}{:>14}{:>24}{:>10}\n", "operation", "cases", "failed", "comparisons",
             "worst error/tolerance", "seconds");
  int failed = 0;
  for (const auto& [operation, tally] : tallies) {
    failed += tally.failed;
    fmt::print("{:<18}{:>8}{:>8}{:>14}{:>24.3f}{:>10.1f}\n", operation, tally.cases, tally.failed,
               tally.compared, tally.worst_ratio, tally.seconds);
  }
  return failed == 0 ? kAsExpected : kNotAsExpected;
}

}  // namespace

void add_gpu_check_command(CLI::App& app, SharedOptions& shared) {
  const auto options = std::make_shared<GpuCheckOptions>();
  CLI::App& sub =
      add_subcommand(app, "gpu-check", "Compare the CUDA path with the double-precision reference", shared,
                     [&shared, options] { return run_gpu_check(shared, *options); });
  sub.add_option("--case", options->replay, "One case, as a failure prints it, instead of the grid");
  sub.add_option("--only", options->only, "One operation")->check(CLI::IsMember(gpu::check_operations()));
}

}  // namespace skt
