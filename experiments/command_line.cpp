#include "experiments/command_line.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <system_error>

#include "experiments/command/messages.hpp"
#include "experiments/command/option_text.hpp"
#include "experiments/command/passive_waiting.hpp"
#include "experiments/command/provenance.hpp"
#include "sim/require.hpp"

namespace skt {

namespace {

// Without a subcommand CLI11 2.1 says that one is required, and not what was given in its place.
void require_subcommand(const CLI::App& app, const std::string& given) {
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands({})) names.push_back(sub->get_name());
  require(std::count(names.begin(), names.end(), given) == 1, "no subcommand {}; allowed are {}", given,
          fmt::join(names, ", "));
}

// A file that is opened where an output was closed would receive what is printed.
void keep_standard_files_taken() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    // For reading only: writing to an output that was closed has to fail.
    if (fcntl(descriptor, F_GETFD) < 0) open("/dev/null", O_RDONLY);
  }
}

// What the arguments ask for; throws where it cannot be done.
int run_chosen(CLI::App& app, const SharedOptions& shared, int argc, char** argv) {
  const std::string first = argc > 1 ? argv[1] : "is given";
  if (!first.starts_with('-')) require_subcommand(app, first);
  int code = kAsExpected;
  try {
    app.parse(argc, argv);
    // One number is there sooner than a second start.
    const bool has_threads = shared.threads != 1 && first != "oracle";
    if (shared.chosen && has_threads) wait_passively(argv);
    if (shared.chosen) code = shared.chosen();
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) throw;
    app.exit(error);  // --help, --version
  }
  if (!std::cout.flush() || std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
    refuse("standard output: cannot write to it");
  return code;
}

}  // namespace

int run_command_line(int argc, char** argv, AddCommands add_commands) {
  keep_standard_files_taken();
  CLI::App app{"Decides by computation which claims about SOCKET sparse attention are true, and how tight they are"};
  app.require_subcommand(0, 1);
  app.set_version_flag("--version", "socketlab " + program_version());
  SharedOptions shared;
  shared.arguments = argv;
  add_commands(app, shared);
  check_every_text(app);
  try {
    return run_chosen(app, shared, argc, argv);
  } catch (const CLI::ExtrasError&) {
    say("socketlab: {}\n", unknown_words(app, app.remaining(true)));
    return kBadInput;
  } catch (const CLI::ParseError& error) {
    say("socketlab: {}\n", error.what());
    return kBadInput;
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
