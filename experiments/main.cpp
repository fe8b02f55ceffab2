// socketlab: the command line. One line for each subcommand; exit codes in command.hpp.
#include <fmt/format.h>

#include <exception>

#include "experiments/command.hpp"
#include "sim/input_error.hpp"

namespace skt {

int run_command_line(int argc, char** argv) {
  CLI::App app{"Decides by computation which claims about SOCKET sparse attention are true, and how tight they are"};
  app.require_subcommand(1);
  app.set_version_flag("--version", "socketlab 0.1.0");
  SharedOptions shared;
  add_gpu_bench_command(app, shared);
  add_gpu_check_command(app, shared);
  add_attend_command(app, shared);
  add_judge_command(app, shared);
  add_audit_command(app, shared);
  add_oracle_command(app, shared);
  add_rank_command(app, shared);
  add_reproduce_command(app, shared);
  add_search_command(app, shared);
  add_sweep_command(app, shared);
  add_verify_command(app, shared);
  try {
    app.parse(argc, argv);
    return shared.chosen ? shared.chosen() : kAsExpected;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    fmt::print(stderr, "socketlab: {}\n", error.what());
    return kBadInput;
  } catch (const InputError& error) {
    fmt::print(stderr, "socketlab: {}\n", error.what());
    return kBadInput;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "socketlab: not enough memory for these sizes\n");
    return kBadInput;
  } catch (const std::exception& error) {
    fmt::print(stderr, "socketlab: internal error: {}\n", error.what());
    return kNotAsExpected;
  }
}

}  // namespace skt

int main(int argc, char** argv) { return skt::run_command_line(argc, argv); }
