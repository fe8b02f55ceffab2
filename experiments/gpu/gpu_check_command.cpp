// socketlab gpu-check: does the CUDA path, a library with the same interface, or a file of scores hold what
// the double-precision reference computes?
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <filesystem>
#include <memory>

#include "experiments/command/command.hpp"
#include "experiments/gpu/check_on_device.hpp"
#include "experiments/gpu/check_scores_file.hpp"
#include "gpu/check/cases/grid.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

struct GpuCheckOptions {
  std::string grid = "quick";
  std::string one_case;  // text, or a .json file; empty: the grid
  std::string only;      // one operation; empty: all
  std::string slice = "1/1";
  std::int64_t most_keys = INT64_MAX, most_buckets = INT64_MAX;
  std::string memory = "guarded";
  bool each = false;
  int case_limit = 120;
  std::string candidate;  // a library
  std::string agreement;  // empty: bitwise of a library, derived of scores
  std::string scores;     // a .npy file
  std::string write_case;
};

gpu::CheckCase case_from(const std::string& text) {
  std::error_code ignored;
  if (std::filesystem::is_directory(text, ignored)) {
    refuse("--case {}: a folder; allowed is a case.json, such as {}, or a case as text", text,
           (std::filesystem::path(text) / "case.json").string());
  }
  return text.ends_with(".json") ? read_case(text) : gpu::CheckCase::parse(text);
}

// A case for scores must be one of the scoring kernels.
gpu::CheckCase score_case_from(const GpuCheckOptions& options, const char* option) {
  if (options.one_case.empty()) {
    refuse("{} needs --case: a case.json, or a case as text", option);
  }
  const gpu::CheckCase c = case_from(options.one_case);
  require_scoring_case(c, option);
  return c;
}

// More of both: head of gpu/check/cases/check_case.hpp.
std::string case_help() {
  const gpu::CheckCase defaults;
  return fmt::format(
      "Fields of a case, name=value with commas between, and what is allowed (default):\n"
      "  operation: {} ({})\n  profile: {} ({})\n  inputs: {} ({})\n  mask: {} ({})\n"
      "  type: f32, f16, bf16 ({})\n  batch ({}), heads ({}), kv_heads ({}), keys ({}), dim ({}), tables "
      "({}): "
      "1 or more\n  capacity: keys or more (keys in whole tiles of 64)\n  planes: 1 to 15, of packed "
      "codes to 16 ({})\n"
      "  budget ({}), sink ({}), window ({}): 0 or more\n  pages: none, hnd, nhd ({})\n"
      "  page_size: a power of two ({})\n  temperature: above 0 ({})\n  seed: 0 or more ({})\n"
      "Files of --write-case, of operation=score-buckets and score-packed: queries, keys, values, "
      "hyperplanes "
      "(float32); allowed (bool), with a mask; corners (float32), of gpt-fast; codes int16 [batch, kv_heads, "
      "tables, keys]; norms float16 [batch, kv_heads, keys] (hub: float32); probabilities float32 [batch, "
      "heads, "
      "tables, 2^planes], or half_tables float32 [batch, heads, tables, entries] and packed uint32 [batch, "
      "kv_heads, tiles, words, 64] (layouts: gpu/functors/half_table.hpp, gpu/functors/packed_codes.hpp)",
      fmt::join(gpu::names_of<gpu::Operation>(), ", "), name_of(defaults.operation),
      fmt::join(gpu::names_of<gpu::Profile>(), ", "), name_of(defaults.profile),
      fmt::join(gpu::names_of<gpu::InputKind>(), ", "), name_of(defaults.inputs),
      fmt::join(gpu::names_of<gpu::MaskKind>(), ", "), name_of(defaults.mask), name_of(defaults.type), defaults.batch,
      defaults.heads, defaults.kv_heads, defaults.keys, defaults.dim, defaults.tables, defaults.planes, defaults.budget,
      defaults.sink, defaults.window, name_of(defaults.pages), defaults.page_size, defaults.temperature, defaults.seed);
}

int check_scores_from_elsewhere(const GpuCheckOptions& options) {
  const gpu::CheckCase c = score_case_from(options, "--candidate-scores");
  if (options.agreement == "bitwise") {
    refuse("--agreement bitwise: of --candidate-scores allowed are derived and own-hash");
  }
  const bool own_hash = options.agreement == "own-hash";
  const gpu::Comparison result =
      check_scores_file(c, own_hash ? gpu::ScoredFrom::own_hash : gpu::ScoredFrom::written_inputs, options.scores);
  fmt::print("{} of {} scores outside their interval; largest error/tolerance {:.3f}\n", result.failures(),
             result.compared(), result.worst_ratio());
  if (result.failures() == 0 && result.compared() > 0) return kAsExpected;
  fmt::print("FAILED {}: worst: {}\n  socketlab gpu-check --candidate-scores '{}' --case {}{}\n", options.scores,
             result.worst(), options.scores, c.text(), own_hash ? " --agreement own-hash" : "");
  return kNotAsExpected;
}

int run_gpu_check(const SharedOptions& shared, const GpuCheckOptions& options) {
  if (!options.write_case.empty()) {
    if (!options.scores.empty()) {
      refuse(
          "--write-case: writes what scores are computed from, --candidate-scores checks them: "
          "allowed is one of the two");
    }
    write_case(score_case_from(options, "--write-case"), options.write_case);
    fmt::print("wrote {}/case.json and its inputs\n", options.write_case);
    return kAsExpected;
  }
  if (!options.scores.empty()) return check_scores_from_elsewhere(options);
  DeviceCheck check;
  check.candidate = options.candidate;
  if (options.agreement == "own-hash") {
    refuse("--agreement own-hash: is for --candidate-scores; allowed are bitwise and derived");
  }
  check.agreement = options.agreement == "derived" ? gpu::Agreement::derived : gpu::Agreement::bitwise;
  check.cases = options.one_case.empty() ? gpu::grid_by_name(options.grid, shared.seed)
                                         : std::vector{case_from(options.one_case)};
  if (!options.only.empty()) {
    std::erase_if(check.cases, [&](const gpu::CheckCase& c) { return name_of(c.operation) != options.only; });
  }
  check.cases = gpu::no_larger(check.cases, options.most_keys, options.most_buckets);
  check.cases = gpu::slice_of(check.cases, options.slice);
  check.memory = options.memory == "bare" ? DeviceMemory::bare : DeviceMemory::guarded;
  check.case_limit = std::chrono::seconds(options.case_limit);
  check.lines = options.each ? Lines::every_case : Lines::failures;
  return check_on_device(check);
}

}  // namespace

void add_gpu_check_command(CLI::App& app, SharedOptions& shared) {
  const auto options = std::make_shared<GpuCheckOptions>();
  CLI::App& sub =
      add_subcommand(app, "gpu-check", "Compare the CUDA path, or another library, with the double-precision reference",
                     shared, [&shared, options] { return run_gpu_check(shared, *options); });
  sub.add_option("--grid", options->grid, "tiny, quick (default) or full")
      ->check(CLI::IsMember({"tiny", "quick", "full"}));
  sub.add_option("--case", options->one_case, "One case, as a failure prints it or a case.json, instead of the grid");
  sub.add_option("--only", options->only, "One operation")->check(CLI::IsMember(gpu::names_of<gpu::Operation>()));
  sub.add_option("--slice", options->slice, "Part I of N of the cases, as I/N: parts run side by side");
  sub.add_option("--most-keys", options->most_keys, "Leave out cases of more keys")->check(whole_numbers(0, INT64_MAX));
  sub.add_option("--most-buckets", options->most_buckets, "Leave out cases of more buckets, tables * 2^planes")
      ->check(whole_numbers(0, INT64_MAX));
  sub.add_option("--memory", options->memory,
                 "guarded (default); bare: neither poisoned nor guarded, nothing compared, for compute-sanitizer")
      ->check(CLI::IsMember({"guarded", "bare"}));
  sub.add_flag("--each", options->each, "A line for each case, with its seconds");
  sub.add_option("--case-limit", options->case_limit, "Seconds after which a case has failed (default 120)")
      ->check(whole_numbers(1, 86400));
  sub.add_option("--candidate", options->candidate, "A shared library that implements gpu/socketlab_gpu.h");
  sub.add_option("--agreement", options->agreement,
                 "bitwise (default of libraries): the documented arithmetic; derived (default of scores): any "
                 "order of summation; own-hash: scores of codes, probabilities and norms of your own")
      ->check(CLI::IsMember({"bitwise", "derived", "own-hash"}));
  sub.add_option("--candidate-scores", options->scores,
                 "A .npy file [batch, heads, keys] of scores for --case, computed from what --write-case wrote");
  sub.add_option("--write-case", options->write_case, "Write --case as case.json and .npy inputs to this folder");
  sub.footer(case_help());
}

}  // namespace skt
