#include "experiments/gpu/check_on_device.hpp"

#include <fmt/format.h>
#include <malloc.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>

#include "experiments/command/command.hpp"
#include "experiments/command/messages.hpp"
#include "experiments/command/time_limit.hpp"
#include "gpu/check/device/device_array.hpp"
#include "gpu/check/run_check.hpp"

namespace skt {
namespace {

struct Tally {
  int cases = 0;
  int failed = 0;
  int unsupported = 0;  // of a library that need not have everything
  std::map<std::string, int> reasons;
  std::int64_t compared = 0;
  double worst_ratio = 0;
  double seconds = 0;
};

std::string replay_line(const DeviceCheck& check, const gpu::CheckCase& c) {
  std::string line = "  socketlab gpu-check --case " + c.text();
  if (!check.candidate.empty()) {
    line += fmt::format(" --candidate '{}'{}", check.candidate,
                        check.agreement == gpu::Agreement::derived ? " --agreement derived" : "");
  }
  return line;
}

// Is the device still able to run anything? A fault in a kernel leaves it unusable for this process.
bool device_works() {
  return cudaDeviceSynchronize() == cudaSuccess;
}

// A line for the reader, and what replays it.
void fail(const DeviceCheck& check, const gpu::CheckCase& c, const std::string& reason, Tally& tally,
          Outcome& outcome) {
  ++tally.failed;
  outcome.state = OutcomeState::failed;
  outcome.text = fmt::format("{}\n{}", reason, replay_line(check, c));
  fmt::print("FAILED {}: {}\n", name_of(c.operation), outcome.text);
}

// Bare memory holds anything where nobody writes: there a case must run, and nothing more.
void judge(const DeviceCheck& check, const gpu::CheckCase& c, const gpu::Comparison& result, Tally& tally,
           Outcome& outcome) {
  if (check.memory == DeviceMemory::bare) return;
  tally.compared += result.compared();
  tally.worst_ratio = std::fmax(tally.worst_ratio, result.worst_ratio());
  if (result.failures() == 0 && result.compared() != 0) return;
  fail(check, c, fmt::format("{} of {} comparisons; worst: {}", result.failures(), result.compared(), result.worst()),
       tally, outcome);
}

// Runs one case; prints what is needed to replay it if it fails.
void check_one(const DeviceCheck& check, const gpu::Library& library, const gpu::CheckCase& c, Tally& tally,
               Outcome& outcome) {
  const auto begin = std::chrono::steady_clock::now();
  ++tally.cases;
  try {
    judge(check, c, gpu::run_check(library, c), tally, outcome);
  } catch (const gpu::Unsupported& reason) {
    if (check.candidate.empty()) {  // the project's own operations have every case
      fail(check, c, reason.what(), tally, outcome);
    } else {
      ++tally.unsupported;
      ++tally.reasons[reason.what()];
      outcome.state = OutcomeState::skipped;
      outcome.text = reason.what();
    }
  } catch (const std::runtime_error& error) {
    fail(check, c, error.what(), tally, outcome);
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  tally.seconds += seconds;
  if (check.lines == Lines::failures) return;
  fmt::print("{:.3f} s {}\n", seconds, c.text());
  std::fflush(stdout);  // what was reached is known if a time limit ends the run
}

int print_table(const DeviceCheck& check, const std::map<std::string, Tally>& tallies) {
  fmt::print("{:<18}{:>8}{:>8}{:>13}{:>14}{:>24}{:>10}\n", "operation", "cases", "failed", "unsupported", "comparisons",
             "worst error/tolerance", "seconds");
  int failed = 0;
  int cases = 0;
  std::int64_t compared = 0;
  for (const auto& [operation, tally] : tallies) {
    failed += tally.failed;
    cases += tally.cases;
    compared += tally.compared;
    fmt::print("{:<18}{:>8}{:>8}{:>13}{:>14}{:>24.3f}{:>10.1f}\n", operation, tally.cases, tally.failed,
               tally.unsupported, tally.compared, tally.worst_ratio, tally.seconds);
  }
  for (const auto& [operation, tally] : tallies) {
    for (const auto& [reason, times] : tally.reasons) {
      fmt::print("unsupported {}, {} cases: {}\n", operation, times, reason);
    }
  }
  const bool bare = check.memory == DeviceMemory::bare;
  fmt::print("{} of {} cases failed{}\n", failed, cases, bare ? " to run; nothing was compared" : "");
  return failed == 0 && (compared > 0 || bare) && cases > 0 ? kAsExpected : kNotAsExpected;
}

}  // namespace

int check_on_device(const DeviceCheck& check) {
  // Memory that a case gives back is kept for the next, up to 1 GiB: fresh pages took a tenth of a run.
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  gpu::Library library = gpu::built_in_library();
  gpu::Library candidate = library;
  if (!check.candidate.empty()) candidate = gpu::load_library(check.candidate);  // before asking for a device
  if (!gpu::have_device()) {
    say("socketlab: gpu-check: no CUDA device\n");
    return kNoGpu;
  }
  library = gpu::completed(candidate, library);
  library.agreement = check.agreement;
  if (check.memory == DeviceMemory::bare) gpu::memory_of_checks = gpu::Memory::bare;
  std::map<std::string, Tally> tallies;
  std::set<std::string> skipped;
  std::vector<Outcome> outcomes;
  const gpu::CheckCase* running = nullptr;
  // A kernel that never ends leaves nothing to go on with: its memory cannot be freed, nor the device asked.
  TimeLimit limit(check.case_limit, [&] {
    fail(check, *running, fmt::format("no end after {} s", check.case_limit.count()),
         tallies[std::string(name_of(running->operation))], outcomes.back());
    fmt::print("The remaining cases were not run\n");
    print_table(check, tallies);
    report(check.outcomes, "socketlab gpu-check", outcomes);
    std::fflush(stdout);
    std::_Exit(kNotAsExpected);
  });
  for (const gpu::CheckCase& c : check.cases) {
    const std::string operation(name_of(c.operation));
    if (!candidate.offers(c.operation)) {
      skipped.insert(operation);
      continue;
    }
    running = &c;
    outcomes.push_back({.group = operation, .name = c.text()});
    limit.begin();
    check_one(check, library, c, tallies[operation], outcomes.back());
    const bool works = device_works();
    limit.end();
    if (works) continue;
    if (outcomes.back().state != OutcomeState::failed) {  // a kernel that outlasted the case ended badly
      fail(check, c, "the device is unusable after this case", tallies[operation], outcomes.back());
    }
    fmt::print("The device is unusable after this fault: the remaining cases were not run\n");
    break;
  }
  for (const std::string& operation : skipped) fmt::print("skipped {}: not in the library\n", operation);
  const int code = print_table(check, tallies);
  report(check.outcomes, "socketlab gpu-check", outcomes);
  return code;
}

}  // namespace skt
