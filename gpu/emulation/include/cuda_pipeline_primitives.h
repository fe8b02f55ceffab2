// Groups of asynchronous copies.
#pragma once

#include <cuda_runtime.h>

inline void __pipeline_commit() {
  skt::emulation::commit_copies();
}
inline void __pipeline_wait_prior(int groups_left) {
  skt::emulation::wait_for_copies(groups_left);
}
