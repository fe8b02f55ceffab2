// Of CUDA's groups the one that the kernels use: the cluster.
#pragma once

#include <cuda_runtime.h>

namespace cooperative_groups {

struct cluster_group {
  unsigned num_blocks() const { return skt::emulation::cluster_blocks(); }
  unsigned block_rank() const { return skt::emulation::cluster_rank(); }
  void sync() const {
    skt::emulation::cluster_arrive();
    skt::emulation::cluster_wait();
  }
  template <class T>
  T* map_shared_rank(T* shared, int rank) const {
    return static_cast<T*>(skt::emulation::in_block(shared, static_cast<unsigned>(rank)));
  }
};

inline cluster_group this_cluster() {
  return {};
}

}  // namespace cooperative_groups
