// What is a command of the program? A name, a table of what it can be asked for (fields.hpp), and what it runs.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "experiments/command/fields.hpp"

namespace skt {

// Does a command write result files into the folder that --out names?
enum class Writes { results, nothing };

// What every command can be asked for, and how it was called.
struct SharedOptions {
  std::uint64_t seed = 1;
  int threads = 0;    // 0: all the machine has
  std::string out{};  // folder for result files, created when needed; after reading never empty
  bool force = false;
  std::string command{};       // what to type to get the same results again
  char** arguments = nullptr;  // of this process, for a program that is started in its place; null: start none
};

// What the process returns: 0 as expected, 1 a verdict or comparison is not, 2 bad usage or input, 3 no GPU.
enum ExitCode : int { kAsExpected = 0, kNotAsExpected = 1, kBadInput = 2, kNoGpu = 3 };

struct Command {
  std::string name, description, footer{};
  Writes writes;
  std::shared_ptr<SharedOptions> shared;
  Fields fields;
  std::function<int()> work{};

  // With the options that all share in its table.
  Command(std::string of, std::string says, Writes what);

  // The command line that gives the same results again: the options that were given and the seed, but for those that
  // change no result, as --threads.
  std::string text() const;
  bool writes_results() const;
  // After its table was filled and checked. Where it writes results, only into a folder that may take them
  // (result_folder.hpp).
  int run() const;
};

// add_fields(Fields&, Request&) fills the table, run(Request&, const SharedOptions&) returns an ExitCode.
template <class Request, class Run>
Command make_command(std::string name, std::string description, Run run, Writes writes = Writes::results) {
  Command command(std::move(name), std::move(description), writes);
  const auto request = std::make_shared<Request>();
  add_fields(command.fields, *request);
  command.work = [request, run, shared = command.shared] { return run(*request, *shared); };
  return command;
}

using MakeCommand = Command (*)();

// One for each command, in its own file.
Command attend_command();
Command audit_command();
Command certify_command();
Command choose_command();
Command compare_command();
Command gpu_bench_command();
Command gpu_check_command();
Command judge_command();
Command oracle_command();
Command rank_command();
Command reproduce_command();
Command search_command();
Command sweep_command();
Command verify_command();

}  // namespace skt
