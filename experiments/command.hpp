// How a subcommand joins the command line: it declares its options on a CLI11 subcommand and says what to run.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <string>

namespace skt {

// Options that every subcommand shares.
struct SharedOptions {
  std::uint64_t seed = 1;
  int threads = 0;              // 0: all the machine has
  std::string out = "results";  // folder for result files, created when needed

  std::function<int()> chosen{};  // set by parsing: what the subcommand runs
};

// What the process returns: 0 as expected, 1 a verdict or comparison is not, 2 bad usage or input, 3 no GPU.
enum ExitCode : int { kAsExpected = 0, kNotAsExpected = 1, kBadInput = 2, kNoGpu = 3 };

// For an option that counts: refuses a sign, which CLI11 2.1 would wrap around.
CLI::Validator count_from_zero();

// Adds a subcommand with the shared options already declared; `run` is called after parsing if it was chosen.
CLI::App& add_subcommand(CLI::App& app, const std::string& name, const std::string& description,
                         SharedOptions& shared, std::function<int()> run);

// One line for each subcommand, called from main.cpp; each lives in its own file.
void add_gpu_bench_command(CLI::App& app, SharedOptions& shared);
void add_gpu_check_command(CLI::App& app, SharedOptions& shared);
void add_attend_command(CLI::App& app, SharedOptions& shared);
void add_judge_command(CLI::App& app, SharedOptions& shared);
void add_audit_command(CLI::App& app, SharedOptions& shared);
void add_oracle_command(CLI::App& app, SharedOptions& shared);
void add_rank_command(CLI::App& app, SharedOptions& shared);
void add_reproduce_command(CLI::App& app, SharedOptions& shared);
void add_search_command(CLI::App& app, SharedOptions& shared);
void add_sweep_command(CLI::App& app, SharedOptions& shared);
void add_verify_command(CLI::App& app, SharedOptions& shared);

}  // namespace skt
