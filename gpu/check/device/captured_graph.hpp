// Calls captured once in a CUDA graph on a stream of their own, to be launched again and again.
#pragma once

#include <cuda_runtime.h>

#include "gpu/check/device/device_array.hpp"

namespace skt::gpu {

// Calls one after the other, or each with a wait for it.
enum class Waits { none, after_each_call };
inline void wait_if(Waits waits) {
  if (waits == Waits::after_each_call) require(cudaDeviceSynchronize(), "call");
}

// A race that is lost now and then is seen in the outputs of several; a sanitizer sees all of it in one.
inline int replays() {
  return memory_of_checks == Memory::bare ? 1 : 5;
}

class CapturedGraph {
 public:
  // `calls(stream)` launches on that stream and waits for nothing. std::runtime_error if CUDA refuses.
  template <class Calls>
  explicit CapturedGraph(const Calls& calls) {
    try {
      capture(calls);
    } catch (...) {  // a thread whose capture goes on may not even allocate
      if (capturing_) cudaStreamEndCapture(stream_, &graph_);
      clear();
      throw;
    }
  }
  CapturedGraph(const CapturedGraph&) = delete;
  CapturedGraph& operator=(const CapturedGraph&) = delete;
  ~CapturedGraph() { clear(); }

  cudaStream_t stream() const { return stream_; }
  void launch() { require(cudaGraphLaunch(executable_, stream_), "graph launch"); }
  void wait() { require(cudaStreamSynchronize(stream_), "graph launch"); }

 private:
  template <class Calls>
  void capture(const Calls& calls) {
    require(cudaStreamCreate(&stream_), "stream");
    require(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "capture");
    capturing_ = true;
    calls(stream_);
    capturing_ = false;
    require(cudaStreamEndCapture(stream_, &graph_), "capture");
    require(cudaGraphInstantiate(&executable_, graph_, 0), "graph");
  }
  void clear() {
    if (executable_ != nullptr) cudaGraphExecDestroy(executable_);
    if (graph_ != nullptr) cudaGraphDestroy(graph_);
    if (stream_ != nullptr) cudaStreamDestroy(stream_);
  }

  bool capturing_ = false;
  cudaStream_t stream_ = nullptr;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t executable_ = nullptr;
};

// Do calls leave in one stream what they leave with a wait after each? By graph, replayed, and by calls. Has run(waits,
// stream) and poison(); compare(how) reads what is left.
template <class Calls, class Compare>
void run_unwaited(Calls& calls, const Compare& compare) {
  CapturedGraph graph([&](cudaStream_t stream) { calls.run(Waits::none, stream); });
  for (int replay = 0; replay < replays(); ++replay) {
    calls.poison();
    graph.launch();
    graph.wait();
    compare("in a graph");
  }
  calls.poison();
  for (int again = 0; again < replays(); ++again) calls.run(Waits::none, graph.stream());
  compare("in a stream");
}

}  // namespace skt::gpu
