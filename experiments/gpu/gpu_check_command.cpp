// socketlab gpu-check: does the CUDA path, a library with the same interface, or a file of scores hold what the
// double-precision reference computes? Each of the three in its own file: check_on_device.hpp for the first two,
// candidate_scores.hpp for a file of scores, and case_files.hpp for the inputs that such a file is computed from.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <utility>

#include "experiments/command/command.hpp"
#include "experiments/command/outcome_options.hpp"
#include "experiments/gpu/candidate_scores.hpp"
#include "experiments/gpu/case_files.hpp"
#include "experiments/gpu/check_on_device.hpp"
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
  std::string candidate;                                // a library
  std::string agreement;                                // empty: bitwise of a library, derived of scores
  std::string scores, codes, norms, selection, output;  // .npy files
  std::string write_case;
  OutcomeOptions outcomes;
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
  require(!options.one_case.empty(), "{} needs --case: a case.json, or a case as text", option);
  const gpu::CheckCase c = case_from(options.one_case);
  require_scoring_case(c, option);
  return c;
}

std::string choices(const std::vector<std::string>& items, std::string_view usual) {
  return fmt::format("{} ({})", fmt::join(items, ", "), usual);
}

std::string fields_help() {
  const gpu::CheckCase d;  // the defaults
  std::string text = "Fields of a case, given as name=value,name=value, with allowed values (default):\n";
  text += fmt::format("  operation    {}\n", choices(gpu::names_of<gpu::Operation>(), name_of(d.operation)));
  text += fmt::format("  profile      {}\n", choices(gpu::names_of<gpu::Profile>(), name_of(d.profile)));
  text += fmt::format("  inputs       {}\n", choices(gpu::names_of<gpu::InputKind>(), name_of(d.inputs)));
  text += fmt::format("  mask         {}\n", choices(gpu::names_of<gpu::MaskKind>(), name_of(d.mask)));
  text += fmt::format("  type         f32, f16, bf16 ({})\n", name_of(d.type));
  text += fmt::format("  batch ({}), heads ({}), kv_heads ({}), keys ({}), dim ({}), tables ({}): 1 or more\n", d.batch,
                      d.heads, d.kv_heads, d.keys, d.dim, d.tables);
  text += "  capacity     keys or more (keys in whole tiles of 64)\n";
  text += fmt::format("  planes       1 to 15; 1 to 16 for packed codes ({})\n", d.planes);
  text += fmt::format("  budget ({}), sink ({}), window ({}): 0 or more\n", d.budget, d.sink, d.window);
  text += fmt::format("  pages        none, hnd, nhd ({})\n", name_of(d.pages));
  text += fmt::format("  page_size    a power of two ({})\n", d.page_size);
  text += fmt::format("  cache        {}: for attention and steps\n",
                      choices(gpu::names_of<gpu::CacheForm>(), name_of(d.cache)));
  text += fmt::format("  lists        {}: for packed scores, attention and steps\n",
                      choices(gpu::names_of<gpu::ListsOf>(), name_of(d.lists)));
  text += fmt::format("  dense        0 to 2^30, for attention and steps ({})\n", d.dense);
  text += fmt::format("  append       0 to 8, for append-step ({})\n", d.append);
  text += fmt::format("  query_rows   1 to 8, for decode-rows ({})\n", d.query_rows);
  text += fmt::format("  temperature  above 0 ({})\n", d.temperature);
  return text + fmt::format("  seed         0 or more ({})\n", d.seed);
}

// More of both: head of gpu/check/cases/check_case.hpp.
constexpr const char* kWrittenFiles =
    "\n"
    "Files that --write-case writes, for operation=score-buckets and score-packed:\n"
    "  queries, keys, values, hyperplanes: float32\n"
    "  allowed        bool, if the case has a mask\n"
    "  corners        float32, for gpt-fast\n"
    "  codes          int16 [batch, kv_heads, tables, keys]\n"
    "  norms          float16 [batch, kv_heads, keys] (hub: float32)\n"
    "  probabilities  float32 [batch, heads, tables, 2^planes], for score-buckets\n"
    "  half_tables    float32 [batch, heads, tables, entries], for score-packed\n"
    "  packed         uint32 [batch, kv_heads, tiles, words, 64], for score-packed\n"
    "The last two layouts are described in gpu/functors/half_table.hpp, gpu/functors/packed_codes.hpp.\n"
    "\n"
    "--write-case and --candidate-.. work without a GPU. All else runs in the program socketlab-gpu beside this one; "
    "without it, or without a GPU, the exit code is 3.";

// A file that a candidate computed, and how it is checked.
struct CandidateFile {
  const char* option = "";
  std::string path{};
  std::function<gpu::Comparison(const gpu::CheckCase&)> check{};
};

std::vector<CandidateFile> candidate_files(const GpuCheckOptions& options) {
  const bool own_hash = options.agreement == "own-hash";
  const gpu::ScoredFrom from = own_hash ? gpu::ScoredFrom::own_hash : gpu::ScoredFrom::written_inputs;
  std::vector<CandidateFile> files = {
      {"--candidate-scores", options.scores,
       [&, from](const auto& c) { return check_candidate_scores(c, from, options.scores); }},
      {"--candidate-codes", options.codes, [&](const auto& c) { return check_candidate_codes(c, options.codes); }},
      {"--candidate-norms", options.norms, [&](const auto& c) { return check_candidate_norms(c, options.norms); }},
      {"--candidate-selection", options.selection,
       [&](const auto& c) { return check_candidate_selection(c, options.selection); }},
      {"--candidate-output", options.output,
       [&](const auto& c) { return check_candidate_output(c, options.selection, options.output); }}};
  std::erase_if(files, [](const CandidateFile& file) { return file.path.empty(); });
  return files;
}

// What a profile selects twice is no set.
void require_set(const gpu::CheckCase& c, const GpuCheckOptions& options) {
  const bool twice = c.profile == gpu::Profile::gpt_fast || c.profile == gpu::Profile::hf;
  require(!twice || options.selection.empty(),
          "--candidate-selection: the case has profile={}, which lists a key twice: allowed are paper, paper-f16, hub",
          name_of(c.profile));
  require(options.output.empty() || !options.selection.empty(),
          "--candidate-output needs --candidate-selection: the keys that it attends to");
}

Outcome outcome_of(const gpu::CheckCase& c, const CandidateFile& file, const GpuCheckOptions& options) {
  const gpu::Comparison result = file.check(c);
  fmt::print("{}: {} of {} outside what the case allows; largest error/tolerance {:.3f}\n", file.option + 12,
             result.failures(), result.compared(), result.worst_ratio());
  Outcome outcome{.group = std::string(name_of(c.operation)),
                  .name = fmt::format("{}: {}", file.option + 12, c.text())};
  if (result.failures() == 0 && result.compared() > 0) return outcome;
  outcome.state = OutcomeState::failed;
  const std::string selection =
      file.path == options.output ? fmt::format(" --candidate-selection '{}'", options.selection) : "";
  outcome.text =
      fmt::format("{}: worst: {}\n  socketlab gpu-check {} '{}'{} --case {}{}", file.path, result.worst(), file.option,
                  file.path, selection, c.text(), options.agreement == "own-hash" ? " --agreement own-hash" : "");
  fmt::print("FAILED {}\n", outcome.text);
  return outcome;
}

int run_candidate_files(const GpuCheckOptions& options, const std::vector<CandidateFile>& files) {
  const gpu::CheckCase c = score_case_from(options, files.front().option);
  require(options.agreement != "bitwise",
          "--agreement bitwise: allowed with --candidate-scores are derived and own-hash");
  require_set(c, options);
  std::vector<Outcome> outcomes;
  for (const CandidateFile& file : files) outcomes.push_back(outcome_of(c, file, options));
  report(options.outcomes, "socketlab gpu-check", outcomes);
  const bool good =
      std::all_of(outcomes.begin(), outcomes.end(), [](const auto& o) { return o.state == OutcomeState::passed; });
  return good ? kAsExpected : kNotAsExpected;
}

int run_write_case(const GpuCheckOptions& options) {
  require(candidate_files(options).empty(),
          "--write-case writes the inputs of scores and --candidate-scores checks scores: allowed is one of the two");
  write_case(score_case_from(options, "--write-case"), options.write_case);
  fmt::print("wrote {}/case.json and its inputs\n", options.write_case);
  return kAsExpected;
}

std::vector<gpu::CheckCase> cases_from(const SharedOptions& shared, const GpuCheckOptions& options) {
  std::vector<gpu::CheckCase> cases = options.one_case.empty() ? gpu::grid_by_name(options.grid, shared.seed)
                                                               : std::vector{case_from(options.one_case)};
  if (!options.only.empty()) {
    std::erase_if(cases, [&](const gpu::CheckCase& c) { return name_of(c.operation) != options.only; });
  }
  cases = gpu::no_larger(std::move(cases), options.most_keys, options.most_buckets);
  require(!cases.empty(),
          "--only, --most-keys, --most-buckets: they leave no case of {}: allowed are choices that leave one{}",
          options.one_case.empty() ? "--grid " + options.grid : "--case",
          options.only.starts_with("far-") ? "; far-* are in --grid full" : "");
  std::vector<gpu::CheckCase> sliced = gpu::slice_of(cases, options.slice);
  require(!sliced.empty(), "--slice {}: this part has none of the cases, {} in all: allowed are at most as many parts",
          options.slice, cases.size());
  return sliced;
}

int run_gpu_check(const GpuCheckOptions& options, const SharedOptions& shared) {
  check(options.outcomes);
  if (!options.write_case.empty()) return run_write_case(options);
  const std::vector<CandidateFile> files = candidate_files(options);
  if (!files.empty()) return run_candidate_files(options, files);
  require(options.agreement != "own-hash",
          "--agreement own-hash: is for --candidate-scores; allowed are bitwise and derived");
  DeviceCheck check;
  check.cases = cases_from(shared, options);
  check.candidate = options.candidate;
  check.agreement = options.agreement == "derived" ? gpu::Agreement::derived : gpu::Agreement::bitwise;
  check.memory = options.memory == "bare" ? DeviceMemory::bare : DeviceMemory::guarded;
  check.case_limit = std::chrono::seconds(options.case_limit);
  check.lines = options.each ? Lines::every_case : Lines::failures;
  check.outcomes = options.outcomes;
  check.arguments = shared.arguments;
  return check_on_device(check);
}

void add_case_fields(Fields& fields, GpuCheckOptions& options) {
  fields.add("grid", &options.grid, "tiny, quick or full").of({"tiny", "quick", "full"});
  fields.add("case", &options.one_case, "One case instead of the grid: the text that a failure prints, or a case.json");
  fields.add("only", &options.only, "Only this operation").of(gpu::names_of<gpu::Operation>());
  fields.add("slice", &options.slice, "Part I of N of the cases, given as I/N; parts can run in parallel");
  fields.add("most-keys", &options.most_keys, "Leave out cases with more keys").from(0).usually("");
  fields.add("most-buckets", &options.most_buckets, "Leave out cases with more buckets (tables * 2^planes)")
      .from(0)
      .usually("");
  fields
      .add("memory", &options.memory,
           "guarded; or bare, for compute-sanitizer: memory is not poisoned or guarded, and nothing is compared")
      .of({"guarded", "bare"});
  fields.add("each", &options.each, "Print a line with its seconds for each case");
  add_fields(fields, options.outcomes);
  fields.add("case-limit", &options.case_limit, "Seconds after which a case fails").from(1, 86400);
}

void add_fields(Fields& fields, GpuCheckOptions& options) {
  add_case_fields(fields, options);
  fields.add("candidate", &options.candidate, "A shared library that implements gpu/socketlab_gpu.h");
  fields
      .add("agreement", &options.agreement,
           "bitwise (default of libraries): the documented arithmetic;\n"
           "derived (default of scores): any order of summation;\n"
           "own-hash: scores from your own codes, probabilities and norms")
      .of({"bitwise", "derived", "own-hash"});
  fields.add("candidate-scores", &options.scores,
             "A .npy file [batch, heads, keys] of scores for --case, computed from the files of --write-case");
  fields.add("candidate-codes", &options.codes, "Your codes, int64 [batch, kv_heads, tables, keys]");
  fields.add("candidate-norms", &options.norms, "Your value norms, [batch, kv_heads, keys]");
  fields.add("candidate-selection", &options.selection,
             "Your selection, int64 [batch, heads, any]: the keys of sink, window and budget in any order, padded with "
             "-1");
  fields.add("candidate-output", &options.output,
             "Your output, [batch, heads, dim]: attention over that selection; both together are a decode step");
  fields.add("write-case", &options.write_case, "Write --case to this folder, as case.json and .npy inputs");
}

}  // namespace

Command gpu_check_command() {
  Command command = make_command<GpuCheckOptions>(
      "gpu-check", "Compares the CUDA path, or another library, with the double-precision reference", run_gpu_check,
      Writes::nothing);
  command.footer = fields_help() + kWrittenFiles;
  return command;
}

}  // namespace skt
