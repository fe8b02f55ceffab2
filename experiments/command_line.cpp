#include "experiments/command_line.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <system_error>

#include "experiments/command/arguments.hpp"
#include "experiments/command/messages.hpp"
#include "experiments/command/passive_waiting.hpp"
#include "experiments/command/provenance.hpp"
#include "sim/require.hpp"

namespace skt {

namespace {

constexpr const char* kDescription =
    "Decides by computation which claims about SOCKET sparse attention are true, and how tight they are";

// A file that is opened where an output was closed would receive what is printed.
void keep_standard_files_taken() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    // For reading only: writing to an output that was closed has to fail.
    if (fcntl(descriptor, F_GETFD) < 0) open("/dev/null", O_RDONLY);
  }
}

int run_command(Command& command, char** argv, const std::vector<std::string>& words) {
  if (asks_for_help(words)) {
    fmt::print("{}", help_of(command));
    return kAsExpected;
  }
  command.shared->arguments = argv;
  read_arguments(command, words);
  // One number is there sooner than a second start.
  if (command.shared->threads != 1 && command.name != "oracle") wait_passively(argv);
  return command.run();
}

// What the arguments ask for; throws where it cannot be done.
int run_chosen(const std::vector<MakeCommand>& makers, char** argv, const std::vector<std::string>& words) {
  std::vector<Command> commands;
  std::vector<std::string> names;
  for (const MakeCommand make : makers) names.push_back(commands.emplace_back(make()).name);
  const std::string first = words.empty() ? "is given" : words.front();
  const auto chosen = std::ranges::find(names, first);
  int code = kAsExpected;
  if (chosen != names.end()) {
    code = run_command(commands[chosen - names.begin()], argv, {words.begin() + 1, words.end()});
  } else if (asks_for_help({first})) {
    fmt::print("{}", help_of(commands, kDescription));
  } else if (first == "--version") {
    fmt::print("socketlab {}\n", program_version());
  } else if (first.starts_with('-')) {
    refuse_unknown(first.substr(0, first.find('=')), nearest_of({"--help", "--version"}, first), "");
  } else {
    refuse("no subcommand {}; allowed are {}", first, fmt::join(names, ", "));
  }
  if (!std::cout.flush() || std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
    refuse("standard output: cannot write to it");
  return code;
}

}  // namespace

int run_command_line(int argc, char** argv, const std::vector<MakeCommand>& commands) {
  keep_standard_files_taken();
  try {
    return run_chosen(commands, argv, {argv + std::min(argc, 1), argv + argc});
  } catch (const InputError& error) {
    say("socketlab: {}\n", error.what());
    return kBadInput;
  } catch (const std::system_error& error) {  // of printing, to an output that takes no more
    say("socketlab: {}\n", error.what());
    return kBadInput;
  } catch (const std::bad_alloc&) {
    say_text("socketlab: not enough memory for these sizes\n");
    return kBadInput;
  } catch (const std::length_error&) {  // of a vector longer than an address space
    say_text("socketlab: not enough memory for these sizes\n");
    return kBadInput;
  } catch (const std::exception& error) {
    say("socketlab: internal error: {}\n", error.what());
    return kNotAsExpected;
  }
}

}  // namespace skt
