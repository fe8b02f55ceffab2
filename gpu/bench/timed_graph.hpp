// Times of a stage: the stage is launched once on every input set inside one CUDA graph, and the graph is replayed.
#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <vector>

#include "gpu/check/device/captured_graph.hpp"
#include "sim/number.hpp"

namespace skt::gpu {

inline constexpr int kWarmUps = 5;
// At least: behind a pause an H200 read 354 MB in 92 us for some 7 to 11 ms, and then in 80.
inline constexpr double kWarmUpUs = 20000;
inline constexpr int kRepetitions = 25;

// Microseconds of one launch, each repetition's mean over the sets, in rising order.
inline std::vector<double> timed_graph(int sets, const std::function<void(int set, cudaStream_t)>& launch) {
  CapturedGraph graph([&](cudaStream_t stream) {
    for (int set = 0; set < sets; ++set) launch(set, stream);
  });
  cudaEvent_t begin = nullptr;
  cudaEvent_t end = nullptr;
  require(cudaEventCreate(&begin), "event");
  require(cudaEventCreate(&end), "event");
  std::vector<double> times;
  double warmed_us = 0;
  for (int run = 0; std::ssize(times) < kRepetitions; ++run) {
    require(cudaEventRecord(begin, graph.stream()), "event");
    graph.launch();
    require(cudaEventRecord(end, graph.stream()), "event");
    require(cudaEventSynchronize(end), "graph launch");
    float milliseconds = 0;
    require(cudaEventElapsedTime(&milliseconds, begin, end), "event");
    const double us = 1e3 * milliseconds;
    if (run >= kWarmUps && warmed_us >= kWarmUpUs) times.push_back(us / sets);
    warmed_us += us;
  }
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  std::sort(times.begin(), times.end());
  return times;
}

}  // namespace skt::gpu
