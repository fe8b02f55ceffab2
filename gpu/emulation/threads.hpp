// Which threads are there, and which goes on next? The state of the kernels in flight, for the files of this folder
// alone.
//
// A thread is a fiber. It runs until it waits; then another of those that can go on does, by the order of the settings.
// That is one of its warp while there is one, then one of the first warp and block that can, or of the last in reverse.
// So a warp or a block that does not wait for another is far ahead of it. Where none can, the kernels have a deadlock
// and end. There is one device, and a kernel reaches it by no argument: so its state is global. Whoever has the runtime's
// mutex (runtime.hpp) runs it.
//
// A grid is one launch, of one cluster or more; a cluster is one block or more. Clusters of a grid begin in order, each
// when those that have begun wait, or have let the next kernel begin. Where kernels overlap (settings.hpp), a kernel
// stops as soon as it lets the next begin, and goes on when that one waits: whatever the next one may do too early, it
// does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gpu/emulation/device.hpp"

namespace skt::emulation {

struct Block;
struct Cluster;
struct Grid;
struct Warp;

struct Copy {
  std::byte* to;
  const void* from;
  int bytes, read;
};

struct Fiber {
  void* stack_pointer = nullptr;
  std::byte* stack_end = nullptr;
  Places places{};
  Block* block = nullptr;
  Warp* warp = nullptr;
  int lane = 0;
  bool arrived_at_cluster = false;
  unsigned cluster_phase = 0;          // whose end it waits for
  const void* looked_at = nullptr;     // what it polls
  bool has_fenced = false;             // since it last met others (memory_order.cpp)
  bool waited_for_kernel = false;      // before its own
  const void* not_acquired = nullptr;  // a count that it has seen, with no fence behind the look
  std::vector<Copy> open{};            // copies begun, in no group
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
  std::deque<Fiber*> ready{};  // those that can go on
};

struct BulkCopy {
  std::uint32_t barrier;
  Copy copy;
};

struct Block {
  Cluster* cluster = nullptr;
  unsigned rank = 0;
  Index index{};
  std::byte* shared = nullptr;
  int alive = 0;
  bool holds_next = true;         // has neither let the next kernel begin nor ended
  std::vector<Fiber*> waiting{};  // at the barrier
  std::vector<Warp> warps{};
  std::vector<BulkCopy> bulk_copies{};              // on their way
  std::map<std::uint32_t, std::int64_t> to_come{};  // bytes that a barrier expects
  std::vector<unsigned> bulk_copies_begun{};        // to each 16 bytes of shared memory
  std::map<std::pair<std::string, int>, std::unique_ptr<std::byte[]>> static_arrays{};  // by file:name and line
};

struct Cluster {
  Grid* grid = nullptr;
  std::vector<Block> blocks{};
  std::vector<Fiber*> fibers{};
  int alive = 0, arrived = 0;
  int holding = 0;  // blocks that hold the next kernel
  unsigned phase = 0;
  std::vector<Fiber*> waiting{};
  int ready = 0;  // how many can go on
};

struct Grid {
  Shape shape{};
  std::uint64_t number = 0;  // of all launches
  const void* kernel = nullptr;
  std::function<void()> thread{};                                 // what each thread does
  Grid* before = nullptr;                                         // the launch before, while it is in flight
  std::uint64_t clusters = 0, begun = 0, ended = 0, holding = 0;  // holding: clusters with such a block
  std::vector<std::unique_ptr<Cluster>> resident{};
  std::vector<Fiber*> waiting{};  // of the next grid: for the end of this one
};

inline constexpr int kNoDevice = 4;  // the program's exit status where the emulated device itself cannot go on

struct Running {
  Fiber* fiber = nullptr;   // none: the host, or the device chooses
  std::list<Grid> grids{};  // in flight, in the order of their launches
  bool newest_has_ended = true;
  std::uint64_t launches = 0;
  std::size_t fibers = 0;  // of clusters that have begun
  std::vector<Fiber*> polling{}, woken{};
  std::size_t polls = 0;  // since a thread went on that does not poll
  cudaStream_t stream = nullptr;
  std::string failure{};  // empty: none
};
extern Running running;

inline Cluster& own_cluster() {
  return *running.fiber->block->cluster;
}

void make_ready(Fiber& fiber);
void release(std::vector<Fiber*>& waiting);  // makes them ready
void wait_for_others();                      // of the running thread: until it has been made ready and its turn comes
bool holds_no_more(Block& block);            // the next kernel; whether none of its cluster does now
void meet(Meeting meeting, void* given, unsigned mask);
void leave_barriers(Fiber& fiber);  // of a thread that ends: nobody waits for it any more (barriers.cpp)
void finish_copies(Fiber& fiber);   // of a thread that ends (copies.cpp)

// Order of memory (memory_order.cpp), of the running thread: before it meets others or ends, and where it has met them.
[[noreturn]] void say_not_acquired();
inline void require_acquired() {
  if (running.fiber->not_acquired != nullptr) say_not_acquired();
}
inline void has_met_others() {
  running.fiber->has_fenced = false;
}
void forget_changes();  // where no kernel is in flight

std::string name_of(const Grid& grid);  // its kernel's, as the linker knows it (fibers.cpp)

// Fibers (fibers.cpp) and shared memory (shared_memory.cpp) of a cluster that begins, and of one that has ended.
Fiber& fresh_fiber();  // it begins with the thread of its grid
void give_back(Fiber& fiber);
std::byte* take_shared_memory(std::size_t bytes);
void give_shared_memory_back(std::byte* begin, std::size_t bytes);
std::byte* shown_to_bulk_copies(std::byte* shared);  // the same place in what bulk copies see of it

// On the stack of the host (fibers.cpp): runs a thread, and those of its warp that it hands over to, until one leaves.
void run_fiber(Fiber& fiber);
void switch_to(Fiber& next);  // from one thread to another
void leave_fiber();           // from a thread to the host

void begin_random_numbers();

// By the host: until every cluster of the newest grid lets the next begin, or has ended; or until nothing is in flight.
enum class Until { next_may_begin, all_have_ended };
void go_on(Until until);

}  // namespace skt::emulation
