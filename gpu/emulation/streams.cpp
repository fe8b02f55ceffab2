// Streams and graphs. What is asked of different streams is done in turn; kernels of one stream may overlap. A graph is a
// list of what was asked for while a stream was captured, done again at each launch of the graph: its kernels overlap one
// another, and none before or behind it.
#include <cuda_runtime_api.h>

#include <utility>
#include <vector>

#include "gpu/emulation/runtime.hpp"

// The names are CUDA's.
struct CUgraph_st {
  std::vector<std::function<cudaError_t()>> work;
};
struct CUgraphExec_st {
  std::vector<std::function<cudaError_t()>> work;
};
struct CUstream_st {
  CUgraph_st* captured = nullptr;
};

namespace skt::emulation {

cudaError_t on_stream(cudaStream_t stream, std::function<cudaError_t()> work) {
  const std::lock_guard lock(launch_mutex());
  if (stream == nullptr || stream->captured == nullptr) return note(work());
  stream->captured->work.push_back(std::move(work));
  return cudaSuccess;
}

}  // namespace skt::emulation

using namespace skt::emulation;

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  *stream = new CUstream_st;
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  return cudaStreamCreate(stream);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t) {
  return cudaDeviceSynchronize();
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode) {
  stream->captured = new CUgraph_st;
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  *graph = std::exchange(stream->captured, nullptr);
  return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long) {
  *executable = new CUgraphExec_st{graph->work};
  return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  return on_stream(stream, [work = executable->work] {
    if (const cudaError_t error = finish_launches(); error != cudaSuccess) return error;
    for (const auto& step : work) {
      if (const cudaError_t error = step(); error != cudaSuccess) return error;
    }
    return finish_launches();
  });
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  delete executable;
  return cudaSuccess;
}

}  // extern "C"
