// Which threads of a cluster are there, and which goes on next? The state of the kernel that runs, for the files of this
// folder alone.
//
// Clusters of a grid run one after the other. A thread runs until it waits; then the first of those that can go on
// does, by the order of the settings. Where none can, the kernel has a deadlock and ends. There is one device, and a
// kernel reaches it by no argument: so its state is global. Launches hold a mutex (runtime.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gpu/emulation/device.hpp"

namespace skt::emulation {

struct Block;

struct Copy {
  std::byte* to;
  const void* from;
  int bytes, read;
};

struct Warp;
struct Fiber {
  void* stack_pointer = nullptr;
  Places places{};
  Block* block = nullptr;
  Warp* warp = nullptr;
  int lane = 0;
  bool arrived_at_cluster = false;
  unsigned cluster_phase = 0;  // whose end it waits for
  std::vector<Copy> open{};    // copies begun, in no group
  std::vector<std::vector<Copy>> groups{};
  std::vector<Copy> additions{};
};

// All lanes of a warp do it at once: the last to come calls it.
using Meeting = void (*)(Warp&);

struct Warp {
  std::uint32_t alive = 0, arrived = 0;  // a bit to a lane
  Meeting meeting = nullptr;
  void* given[32] = {};
  Fiber* fiber[32] = {};
};

struct BulkCopy {
  std::uint32_t barrier;
  Copy copy;
};

struct Block {
  unsigned rank = 0;
  Index index{};
  std::byte* shared = nullptr;
  int alive = 0;
  std::vector<Fiber*> waiting{};  // at the barrier
  std::vector<Warp> warps{};
  std::vector<BulkCopy> bulk_copies{};                                                  // on their way
  std::map<std::uint32_t, std::int64_t> to_come{};                                      // bytes that a barrier expects
  std::map<std::pair<std::string, int>, std::unique_ptr<std::byte[]>> static_arrays{};  // by file and line
};

struct Cluster {
  std::vector<Block> blocks{};
  int alive = 0, arrived = 0;
  unsigned phase = 0;
  std::vector<Fiber*> waiting{};
};

struct Running {
  Fiber* fiber = nullptr;  // none: no kernel runs
  Cluster* cluster = nullptr;
  const std::function<void()>* thread = nullptr;  // what each thread does
  const void* kernel = nullptr;
  std::size_t shared_bytes = 0;
  std::size_t polls = 0;  // since some thread last went on
  std::string failure{};  // empty: none
};
extern Running running;

void make_ready(Fiber& fiber);
void release(std::vector<Fiber*>& waiting);  // makes them ready
void wait_for_others();                      // of the running thread: until it has been made ready and its turn comes
void meet(Meeting meeting, void* given, unsigned mask);
void leave_barriers(Fiber& fiber);  // of a thread that ends: nobody waits for it any more (barriers.cpp)
void finish_copies(Fiber& fiber);   // of a thread that ends (copies.cpp)
std::byte* shared_memory_of(unsigned rank, std::size_t bytes);

// Runs one cluster to its end, or to a failure.
void run_cluster(const Shape& shape, Index first);

}  // namespace skt::emulation
