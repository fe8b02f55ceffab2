// What do the files of the emulated runtime share? The functions of CUDA's runtime that the project calls are in
// memory.cpp, runtime.cpp and streams.cpp: one that is missing is missing when a program is linked.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <mutex>

namespace skt::emulation {

std::recursive_mutex& launch_mutex();  // one launch at a time
cudaError_t note(cudaError_t error);   // for cudaGetLastError of all host threads; gives it back
cudaError_t finish_launches();         // until no kernel is in flight; the caller has the mutex
int most_shared_bytes(const void* kernel);
unsigned largest_cluster(const void* kernel);

// Does it at once, or keeps it for the graph that the stream captures.
cudaError_t on_stream(cudaStream_t stream, std::function<cudaError_t()> work);

}  // namespace skt::emulation
