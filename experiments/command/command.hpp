// How a subcommand joins the command line: it declares its options on a CLI11 subcommand and says what to run.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/matrix.hpp"

namespace CLI {
class App;
class Option;
class Validator;
}  // namespace CLI

namespace skt {

// Does a subcommand write result files into the folder that --out names?
enum class Writes { results, nothing };

// Options that every subcommand shares.
struct SharedOptions {
  std::uint64_t seed = 1;
  int threads = 0;    // 0: all the machine has
  std::string out{};  // folder for result files, created when needed; after parsing never empty
  bool force = false;
  Writes writes = Writes::results;
  char** arguments = nullptr;  // of this process, for a program that is started in its place; null: start none

  std::function<int()> chosen{};  // set by parsing: what the subcommand runs
};

// What the process returns: 0 as expected, 1 a verdict or comparison is not, 2 bad usage or input, 3 no GPU.
enum ExitCode : int { kAsExpected = 0, kNotAsExpected = 1, kBadInput = 2, kNoGpu = 3 };

CLI::Validator whole_numbers(std::uint64_t low, std::uint64_t high);

// What the address of a draw holds: 24 bits for the table, 32 for the sample and for the trial; of trials fewer, since
// what each measured is kept until all are in.
inline constexpr std::uint64_t kMostTables = 1u << 24, kMostSamples = 0xffffffff, kMostTrials = 1u << 24;

// An option of several values with commas between them (or spaces), none empty and none twice. T: text, double, Index.
template <class T>
CLI::Option& add_list(CLI::App& sub, const std::string& flag, std::vector<T>& values, const std::string& description);

// Refuses what CLI11 2.1 reads as something else: a number that does not fit, and no text, which is 0 to it.
void check_every_text(CLI::App& app);

// Adds a subcommand with the shared options already declared; `run` is called after parsing if it was chosen, and where
// it writes results only with a folder that may take them (result_folder.hpp).
CLI::App& add_subcommand(CLI::App& app, const std::string& name, const std::string& description, SharedOptions& shared,
                         std::function<int()> run, Writes writes = Writes::results);

// One line for each subcommand, called from main.cpp; each lives in its own file.
void add_gpu_bench_command(CLI::App& app, SharedOptions& shared);
void add_gpu_check_command(CLI::App& app, SharedOptions& shared);
void add_attend_command(CLI::App& app, SharedOptions& shared);
void add_judge_command(CLI::App& app, SharedOptions& shared);
void add_audit_command(CLI::App& app, SharedOptions& shared);
void add_certify_command(CLI::App& app, SharedOptions& shared);
void add_compare_command(CLI::App& app, SharedOptions& shared);
void add_oracle_command(CLI::App& app, SharedOptions& shared);
void add_rank_command(CLI::App& app, SharedOptions& shared);
void add_reproduce_command(CLI::App& app, SharedOptions& shared);
void add_search_command(CLI::App& app, SharedOptions& shared);
void add_sweep_command(CLI::App& app, SharedOptions& shared);
void add_verify_command(CLI::App& app, SharedOptions& shared);

}  // namespace skt
