// socketlab: the command line. One line for each subcommand.
#include "experiments/command_line.hpp"

namespace skt {
namespace {

void add_commands(CLI::App& app, SharedOptions& shared) {
  add_gpu_bench_command(app, shared);
  add_gpu_check_command(app, shared);
  add_attend_command(app, shared);
  add_judge_command(app, shared);
  add_audit_command(app, shared);
  add_certify_command(app, shared);
  add_compare_command(app, shared);
  add_oracle_command(app, shared);
  add_rank_command(app, shared);
  add_reproduce_command(app, shared);
  add_search_command(app, shared);
  add_sweep_command(app, shared);
  add_verify_command(app, shared);
}

}  // namespace
}  // namespace skt

int main(int argc, char** argv) {
  return skt::run_command_line(argc, argv, skt::add_commands);
}
