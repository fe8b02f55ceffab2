// A fiber has a stack of its own between pages that may not be touched. A switch keeps the registers that a call keeps
// (x86-64), so that it costs a few nanoseconds where that of the C library asks the kernel for signal masks.
#include "gpu/emulation/threads.hpp"

#include <dlfcn.h>
#include <sys/mman.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "gpu/emulation/settings.hpp"

extern "C" void skt_emulation_switch(void** save, void* to);
asm(R"(
.text
.globl skt_emulation_switch
.type skt_emulation_switch, @function
skt_emulation_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size skt_emulation_switch, .-skt_emulation_switch
)");

namespace skt::emulation {

Places places;
Running running;

namespace {

constexpr std::size_t kStackBytes = 128 * 1024, kPageBytes = 4096;

void* launching_stack = nullptr;
std::vector<std::unique_ptr<Fiber>> fibers;  // kept from launch to launch, as their stacks are

// Those that can go on, the first from `first` on.
struct Ready {
  std::vector<Fiber*> fibers;
  std::size_t first = 0;
  std::uint64_t random = 1;

  std::size_t left() const { return fibers.size() - first; }
};
Ready ready;

std::uint64_t next_random() {  // xorshift64
  ready.random ^= ready.random << 13;
  ready.random ^= ready.random >> 7;
  ready.random ^= ready.random << 17;
  return ready.random;
}

Fiber* next_ready() {
  if (ready.left() == 0) return nullptr;
  if (settings().order == Order::random) {
    std::swap(ready.fibers[ready.first], ready.fibers[ready.first + next_random() % ready.left()]);
  }
  Fiber* next = ready.fibers[ready.first++];
  if (ready.first >= 4096 && ready.first * 2 >= ready.fibers.size()) {
    ready.fibers.erase(ready.fibers.begin(), ready.fibers.begin() + static_cast<std::ptrdiff_t>(ready.first));
    ready.first = 0;
  }
  return next;
}

void switch_to(Fiber& next, void** save) {
  running.fiber = &next;
  places = next.places;
  skt_emulation_switch(save, next.stack_pointer);
}

// Back to where the cluster was begun; this stack is used no more.
[[noreturn]] void leave_for_good() {
  void* ignored = nullptr;
  running.fiber = nullptr;
  skt_emulation_switch(&ignored, launching_stack);
  std::abort();
}

[[noreturn]] void fail_as_none_goes_on() {
  std::size_t at_block = 0;
  int in_warp = 0;
  for (const Block& block : running.cluster->blocks) {
    at_block += block.waiting.size();
    for (const Warp& warp : block.warps) in_warp += __builtin_popcount(warp.arrived);
  }
  fail(
      "no thread can go on: %zu wait at the barrier of a block, %d in a collective of a warp, %zu for the cluster, "
      "%zu poll",
      at_block, in_warp, running.cluster->waiting.size(), ready.left());
}

std::string place_of_running_thread() {
  if (running.fiber == nullptr) return "outside of a kernel";
  Dl_info info = {};
  const bool named = dladdr(running.kernel, &info) != 0 && info.dli_sname != nullptr;
  const Places& at = running.fiber->places;
  char text[600];
  std::snprintf(text, sizeof text, "block (%u, %u, %u) thread %u of %.400s", at.block.x, at.block.y, at.block.z,
                at.thread.x, named ? info.dli_sname : "a kernel");
  return text;
}

// A fiber begins here, and never returns.
void run_thread() {
  (*running.thread)();
  running.polls = 0;
  Fiber& self = *running.fiber;
  finish_copies(self);
  leave_barriers(self);
  if (running.cluster->alive == 0) leave_for_good();
  Fiber* next = next_ready();
  if (next == nullptr) fail_as_none_goes_on();
  void* ignored = nullptr;
  switch_to(*next, &ignored);
  std::abort();
}

std::byte* stack_of(std::size_t i) {
  static std::vector<std::byte*> stacks;
  while (stacks.size() <= i) {
    void* memory = mmap(nullptr, kStackBytes + kPageBytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory, kPageBytes, PROT_NONE) != 0) {
      fail("no memory for the stack of thread %zu of a cluster", i);
    }
    stacks.push_back(static_cast<std::byte*>(memory) + kPageBytes);
  }
  return stacks[i];
}

// The fiber with that number, as the switch finds it: six registers, then where it begins.
Fiber& fresh_fiber(std::size_t i) {
  if (fibers.size() <= i) fibers.push_back(std::make_unique<Fiber>());
  Fiber& fiber = *fibers[i];
  fiber = {};
  constexpr std::size_t kApart = 704;  // else all stacks lie in the same sets of the caches
  auto* words = reinterpret_cast<void**>(stack_of(i) + kStackBytes - 64 - i % 32 * kApart);
  *--words = nullptr;  // as if a call had pushed it: keeps the stack aligned
  *--words = reinterpret_cast<void*>(&run_thread);
  for (int k = 0; k < 6; ++k) *--words = nullptr;
  fiber.stack_pointer = static_cast<void*>(words);
  return fiber;
}

void fill_block(Block& block, const Shape& shape, unsigned rank, Index first) {
  const unsigned threads = shape.block.x;
  block.rank = rank;
  block.index = {first.x + rank, first.y, first.z};
  block.shared = shared_memory_of(rank, shape.shared_bytes);
  block.alive = static_cast<int>(threads);
  block.warps.resize((threads + 31) / 32);
  for (unsigned t = 0; t < threads; ++t) {
    Fiber& fiber = fresh_fiber(std::size_t{rank} * threads + t);
    fiber.places = {{t, 0, 0}, block.index, shape.block, shape.grid};
    fiber.block = &block;
    fiber.warp = &block.warps[t / 32];
    fiber.lane = static_cast<int>(t % 32);
    fiber.warp->fiber[t % 32] = &fiber;
    fiber.warp->alive |= 1u << t % 32;
  }
}

}  // namespace

void fail(const char* format, ...) {
  char text[500];
  va_list list;
  va_start(list, format);
  std::vsnprintf(text, sizeof text, format, list);
  va_end(list);
  running.failure = std::string(text) + ", " + place_of_running_thread();
  if (running.fiber == nullptr) {
    std::fprintf(stderr, "emulated device: %s\n", running.failure.c_str());
    std::_Exit(1);
  }
  leave_for_good();
}

void make_ready(Fiber& fiber) {
  ready.fibers.push_back(&fiber);
}

void release(std::vector<Fiber*>& waiting) {
  running.polls = 0;
  if (settings().order == Order::reverse) {
    for (std::size_t i = waiting.size(); i-- > 0;) make_ready(*waiting[i]);
  } else {
    for (Fiber* fiber : waiting) make_ready(*fiber);
  }
  waiting.clear();
}

void wait_for_others() {
  Fiber* self = running.fiber;
  Fiber* next = next_ready();
  if (next == nullptr) fail_as_none_goes_on();
  if (next != self) switch_to(*next, &self->stack_pointer);
}

void yield() {
  constexpr std::size_t kMostRounds = 100;
  if (++running.polls > 1000 + kMostRounds * ready.left()) fail_as_none_goes_on();
  make_ready(*running.fiber);
  wait_for_others();
}

void run_cluster(const Shape& shape, Index first) {
  Cluster cluster;
  cluster.blocks.resize(shape.cluster);
  running.cluster = &cluster;
  running.polls = 0;
  ready.fibers.clear();
  ready.first = 0;
  ready.random = (settings().seed + 1) * 0x9e3779b97f4a7c15 | 1;
  for (unsigned rank = 0; rank < shape.cluster; ++rank) fill_block(cluster.blocks[rank], shape, rank, first);
  const std::size_t count = std::size_t{shape.cluster} * shape.block.x;
  cluster.alive = static_cast<int>(count);
  std::vector<Fiber*> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(fibers[i].get());
  release(all);
  switch_to(*next_ready(), &launching_stack);
  running.cluster = nullptr;
}

}  // namespace skt::emulation
