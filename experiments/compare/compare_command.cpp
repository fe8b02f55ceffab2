// socketlab compare: did the second of two runs become worse?
//
// Each is a folder of results, or a file of it: verdicts.jsonl, gpu_bench.csv. Of folders both files are compared where
// both runs have them, and what only one has is refused. Exit 1 if something is worse.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "experiments/command/command.hpp"
#include "experiments/compare/compare_times.hpp"
#include "experiments/compare/compare_verdicts.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

namespace fs = std::filesystem;

constexpr const char* kVerdicts = "verdicts.jsonl";
constexpr const char* kTimes = "gpu_bench.csv";

// The file of a run: itself, or what stands in its folder; empty if there is none.
fs::path file_of(const std::string& run, const std::string& name) {
  std::error_code ignored;
  if (fs::is_directory(run, ignored)) return fs::exists(fs::path(run) / name, ignored) ? fs::path(run) / name : "";
  if (!fs::exists(run, ignored)) refuse("{}: there is no such file or folder", run);
  return fs::path(run).extension() == fs::path(name).extension() ? fs::path(run) : fs::path();
}

void print(const RunComparison& comparison) {
  std::size_t kind_width = 0;
  for (const Difference& d : comparison.differences) kind_width = std::max(kind_width, d.kind.size());
  for (const Difference& d : comparison.differences)
    fmt::print("{} {:<{}}  {}: {}\n", d.weight == Weight::worse ? '!' : ' ', d.kind, kind_width, d.where, d.what);
}

std::size_t worse(const RunComparison& comparison) {
  return std::count_if(comparison.differences.begin(), comparison.differences.end(),
                       [](const Difference& d) { return d.weight == Weight::worse; });
}

// Compares the files of this name where both have one: read is given a stream and the name of its file.
template <class Read, class Compare>
bool compare_files(const std::string& first, const std::string& second, const char* name, Read read, Compare compare,
                   std::size_t& all_worse) {
  const fs::path a = file_of(first, name), b = file_of(second, name);
  if (a.empty() && b.empty()) return false;
  if (a.empty() || b.empty())
    refuse("{}: has no {}, but {} has one; allowed are two runs of the same kind", a.empty() ? first : second, name,
           a.empty() ? second : first);
  std::ifstream before(a), after(b);
  const RunComparison comparison = compare(read(before, a.string()), read(after, b.string()));
  print(comparison);
  fmt::print("{}: {} compared, {} differ, {} worse\n", name, comparison.compared, comparison.differences.size(),
             worse(comparison));
  all_worse += worse(comparison);
  return true;
}

struct Runs {
  std::string first, second;
};

void add_fields(Fields& fields, Runs& runs) {
  fields.add("first", &runs.first, "Earlier run: its folder, verdicts.jsonl or gpu_bench.csv").stands_alone();
  fields.add("second", &runs.second, "Later run, given the same way").stands_alone();
}

int run_compare_command(const Runs& runs, const SharedOptions&) {
  const auto& [first, second] = runs;
  std::size_t all_worse = 0;
  const bool verdicts = compare_files(first, second, kVerdicts, read_verdicts, compare_verdicts, all_worse);
  const bool times = compare_files(first, second, kTimes, read_times, compare_times, all_worse);
  if (!verdicts && !times)
    refuse("{}: holds neither {} nor {}; allowed is a folder or file of results of verify, reproduce or gpu-bench",
           first, kVerdicts, kTimes);
  return all_worse == 0 ? kAsExpected : kNotAsExpected;
}

}  // namespace

Command compare_command() {
  Command command = make_command<Runs>("compare", "Compares two runs: verdicts, intervals and times",
                                       run_compare_command, Writes::nothing);
  command.footer =
      "Prints a line for each difference, marked ! where the second run is worse:\n"
      "  verdict   changed; worse if it was as expected and no longer is\n"
      "  interval  two intervals of one quantity no longer overlap, or two exact numbers differ although seed and "
      "profile are the same; worse\n"
      "  vanished  the second run lacks a statement, lie, control, stage or, with the same draws, piece of evidence; "
      "worse\n"
      "  new       the first run lacks it; worse if it is not as expected\n"
      "  time      a stage of gpu-bench changed by more than the noise of both runs; worse if slower\n"
      "Exit codes: 0 not worse, 1 worse, 2 not readable.";
  return command;
}

}  // namespace skt
