// socketlab: the command line. One word for each command.
#include "experiments/command_line.hpp"

int main(int argc, char** argv) {
  using namespace skt;
  return run_command_line(argc, argv,
                          {gpu_bench_command, gpu_check_command, attend_command, judge_command, audit_command,
                           certify_command, choose_command, compare_command, oracle_command, rank_command,
                           reproduce_command, search_command, sweep_command, verify_command});
}
