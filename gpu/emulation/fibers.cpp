// A fiber has a stack of its own between pages that may not be touched. A switch keeps the registers that a call keeps
// (x86-64), so that it costs a few nanoseconds where that of the C library asks the kernel for signal masks.
#include <dlfcn.h>
#include <sys/mman.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "gpu/emulation/threads.hpp"

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

namespace {

constexpr std::size_t kStackBytes = 128 * 1024, kPageBytes = 4096;

void* host_stack = nullptr;
std::vector<std::unique_ptr<Fiber>> all_fibers;  // kept from launch to launch, as their stacks are
std::vector<Fiber*> free_fibers;

std::byte* new_stack_end(std::size_t number) {
  void* memory = mmap(nullptr, kStackBytes + kPageBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED || mprotect(memory, kPageBytes, PROT_NONE) != 0) {
    fail("no memory for the stack of thread %zu in flight", number);
  }
  constexpr std::size_t kApart = 704;  // else all stacks lie in the same sets of the caches
  return static_cast<std::byte*>(memory) + kPageBytes + kStackBytes - 64 - number % 32 * kApart;
}

// A fiber begins here, and never returns.
void run_thread() {
  running.fiber->block->cluster->grid->thread();
  Fiber& self = *running.fiber;
  require_acquired();
  finish_copies(self);
  leave_barriers(self);
  wait_for_others();  // of whom none wakes it
  std::abort();
}

std::string place_of_running_thread() {
  if (running.fiber == nullptr) return "outside of a kernel";
  const Places& at = running.fiber->places;
  char text[600];
  std::snprintf(text, sizeof text, "block (%u, %u, %u) thread %u of %.400s", at.block.x, at.block.y, at.block.z,
                at.thread.x, name_of(*own_cluster().grid).c_str());
  return text;
}

void enter(Fiber& next, void** save) {
  running.fiber = &next;
  places = next.places;
  skt_emulation_switch(save, next.stack_pointer);
}

}  // namespace

std::string name_of(const Grid& grid) {
  Dl_info info = {};
  const bool named = dladdr(grid.kernel, &info) != 0 && info.dli_sname != nullptr;
  return named ? info.dli_sname : "a kernel";
}

// As the switch finds it: six registers, then where it begins.
Fiber& fresh_fiber() {
  if (free_fibers.empty()) {
    all_fibers.push_back(std::make_unique<Fiber>());
    all_fibers.back()->stack_end = new_stack_end(all_fibers.size());
    free_fibers.push_back(all_fibers.back().get());
  }
  Fiber& fiber = *free_fibers.back();
  free_fibers.pop_back();
  std::byte* const stack_end = fiber.stack_end;
  fiber = {};
  fiber.stack_end = stack_end;
  auto* words = reinterpret_cast<void**>(stack_end);
  *--words = nullptr;  // as if a call had pushed it: keeps the stack aligned
  *--words = reinterpret_cast<void*>(&run_thread);
  for (int k = 0; k < 6; ++k) *--words = nullptr;
  fiber.stack_pointer = static_cast<void*>(words);
  return fiber;
}

void give_back(Fiber& fiber) {
  free_fibers.push_back(&fiber);
}

void run_fiber(Fiber& fiber) {
  enter(fiber, &host_stack);
}

void switch_to(Fiber& next) {
  Fiber* self = running.fiber;
  if (&next != self) enter(next, &self->stack_pointer);
}

void leave_fiber() {
  Fiber* self = running.fiber;
  running.fiber = nullptr;
  skt_emulation_switch(&self->stack_pointer, host_stack);
}

void fail(const char* format, ...) {
  char text[500];
  va_list list;
  va_start(list, format);
  std::vsnprintf(text, sizeof text, format, list);
  va_end(list);
  running.failure = std::string(text) + ", " + place_of_running_thread();
  if (running.fiber == nullptr) {
    std::fprintf(stderr, "emulated device: %s\n", running.failure.c_str());
    std::_Exit(kNoDevice);
  }
  leave_fiber();  // the kernels end
  std::abort();
}

}  // namespace skt::emulation
