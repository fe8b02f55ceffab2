// socketlab-gpu: gpu-check and gpu-bench with the kernels. socketlab starts it where a device is needed (handed_on.cpp).
#include "experiments/command_line.hpp"

int main(int argc, char** argv) {
  return skt::run_command_line(argc, argv, {skt::gpu_bench_command, skt::gpu_check_command});
}
