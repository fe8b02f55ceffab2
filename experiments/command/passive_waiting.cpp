#include "experiments/command/passive_waiting.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace skt {

void wait_passively(char** argv) {
  // Both say how long a thread spins. The second start finds the first of them set.
  if (std::getenv("OMP_WAIT_POLICY") != nullptr || std::getenv("GOMP_SPINCOUNT") != nullptr) return;
  if (setenv("OMP_WAIT_POLICY", "passive", 0) != 0) return;
  std::error_code failure;
  // The name behind the link: a program started as /proc/self/exe would be called exe in every list of processes.
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", failure);
  if (!failure) execv(program.c_str(), argv);
}

}  // namespace skt
