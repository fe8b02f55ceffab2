// socketlab: the command line. One line for each subcommand; exit codes in command/command.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <system_error>

#include "experiments/command/command.hpp"
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

void add_commands(CLI::App& app, SharedOptions& shared) {
  add_gpu_bench_command(app, shared);
  add_gpu_check_command(app, shared);
  add_attend_command(app, shared);
  add_judge_command(app, shared);
  add_audit_command(app, shared);
  add_certify_command(app, shared);
  add_oracle_command(app, shared);
  add_rank_command(app, shared);
  add_reproduce_command(app, shared);
  add_search_command(app, shared);
  add_sweep_command(app, shared);
  add_verify_command(app, shared);
  check_every_text(app);
}

}  // namespace

int run_command_line(int argc, char** argv) {
  CLI::App app{"Decides by computation which claims about SOCKET sparse attention are true, and how tight they are"};
  app.require_subcommand(0, 1);
  app.set_version_flag("--version", "socketlab " + program_version());
  SharedOptions shared;
  add_commands(app, shared);
  try {
    const std::string first = argc > 1 ? argv[1] : "is given";
    if (!first.starts_with('-')) require_subcommand(app, first);
    app.parse(argc, argv);
    const int code = shared.chosen ? shared.chosen() : kAsExpected;
    if (std::fflush(stdout) != 0) refuse("standard output: cannot write to it");
    return code;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    fmt::print(stderr, "socketlab: {}\n", error.what());
    return kBadInput;
  } catch (const InputError& error) {
    fmt::print(stderr, "socketlab: {}\n", error.what());
    return kBadInput;
  } catch (const std::system_error& error) {  // of printing, to an output that takes no more
    fmt::print(stderr, "socketlab: {}\n", error.what());
    return kBadInput;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "socketlab: not enough memory for these sizes\n");
    return kBadInput;
  } catch (const std::length_error&) {  // of a vector longer than an address space
    fmt::print(stderr, "socketlab: not enough memory for these sizes\n");
    return kBadInput;
  } catch (const std::exception& error) {
    fmt::print(stderr, "socketlab: internal error: {}\n", error.what());
    return kNotAsExpected;
  }
}

}  // namespace skt

int main(int argc, char** argv) {
  return skt::run_command_line(argc, argv);
}
