// Calls captured once in a CUDA graph on a stream of their own, to be launched again and again.
#pragma once

#include <cuda_runtime.h>

#include "gpu/check/device_array.hpp"

namespace skt::gpu {

class CapturedGraph {
 public:
  // `calls(stream)` launches on that stream and waits for nothing. std::runtime_error if CUDA refuses.
  template <class Calls>
  explicit CapturedGraph(const Calls& calls) {
    require(cudaStreamCreate(&stream_), "stream");
    require(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "capture");
    try {
      calls(stream_);
    } catch (...) {  // a thread whose capture goes on may not even allocate
      cudaStreamEndCapture(stream_, &graph_);
      throw;
    }
    require(cudaStreamEndCapture(stream_, &graph_), "capture");
    require(cudaGraphInstantiate(&executable_, graph_, 0), "graph");
  }
  CapturedGraph(const CapturedGraph&) = delete;
  CapturedGraph& operator=(const CapturedGraph&) = delete;
  ~CapturedGraph() {
    cudaGraphExecDestroy(executable_);
    cudaGraphDestroy(graph_);
    cudaStreamDestroy(stream_);
  }

  cudaStream_t stream() const { return stream_; }
  void launch() { require(cudaGraphLaunch(executable_, stream_), "graph launch"); }
  void wait() { require(cudaStreamSynchronize(stream_), "graph launch"); }

 private:
  cudaStream_t stream_ = nullptr;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t executable_ = nullptr;
};

}  // namespace skt::gpu
