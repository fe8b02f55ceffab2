// Does a thread that awaits a count see what was done before it? By PTX ISA, "Memory Consistency Model"; where it need
// not, the kernel ends.
//
// A count is a word of global memory that one block changes by an atomic operation and another one looks at with
// ld.acquire or ld.relaxed. What the first block did is seen behind the look if a release pattern synchronizes with an
// acquire pattern ("Release and Acquire Patterns"):
//
// - release: "a release or acquire-release memory fence followed by a strong write on M in program order", which is
//   __threadfence() and the atomic operation, of one thread. That "only affects operations occurring in program order
//   before the first instruction in that pattern", so that a fence is behind the barriers that bring what others did.
// - acquire: ld.acquire, or "a strong read on M followed by an acquire memory fence in program order", at the latest
//   before the thread's next barrier.
//
// Every block that has changed the word must have released, as each change is read through those behind it ("Observation
// Order"). Sums that no kernel looks at so need none of this, and neither does a thread that has waited for the kernel
// before its own, of kernels that have ended. A word that holds something else than its last change left was written by
// a store, and begins anew. A store between a fence and its count is not released, but not noticed.
//
// Stricter than the ISA, so that a kernel may be right and refused: a fence counts for nothing behind the next barrier,
// though it has released the thread's own writes; a barrier does not hand on that another thread waited for the kernel
// before; and a relaxed look that is only a hint needs its fence too.
#include <optional>
#include <unordered_map>

#include "gpu/emulation/threads.hpp"

namespace skt::emulation {
namespace {

struct Place {  // of a block
  std::uint64_t grid;
  Index block;
  friend bool operator==(const Place&, const Place&) = default;
};

struct Change {
  std::uint64_t value = 0;
  Place last{};
  std::optional<Place> not_released{};  // the last block that changed it with no fence
};

std::unordered_map<const void*, Change>& changes() {
  static std::unordered_map<const void*, Change> of_word;
  return of_word;
}

Place own_place() {
  return {own_cluster().grid->number, running.fiber->block->index};
}

bool is_in_flight(std::uint64_t grid) {
  for (const Grid& one : running.grids) {
    if (one.number == grid) return true;
  }
  return false;
}

bool is_ordered(const Place& other) {
  return other == own_place() || (running.fiber->waited_for_kernel && !is_in_flight(other.grid));
}

bool is_in_own_shared_memory(const void* at) {
  const std::byte* begin = running.fiber->block->shared;
  return at >= begin && at < begin + own_cluster().grid->shape.shared_bytes;
}

}  // namespace

void fence_memory() {
  running.fiber->has_fenced = true;
  running.fiber->not_acquired = nullptr;
}

void note_change(const void* at, std::uint64_t before, std::uint64_t after) {
  if (is_in_own_shared_memory(at)) return;
  Change& change = changes()[at];
  if (change.value != before) change = {};
  change.value = after;
  change.last = own_place();
  if (!running.fiber->has_fenced) change.not_released = change.last;
}

std::uint32_t look_at(const std::uint32_t* at, Load load) {
  Fiber& self = *running.fiber;
  self.looked_at = at;
  const auto found = changes().find(at);
  if (found == changes().end() || found->second.value != *at) return *at;
  const Change& change = found->second;
  if (change.not_released && !is_ordered(*change.not_released)) {
    const Index by = change.not_released->block;
    fail("a look at a count that block (%u, %u, %u) changed with no fence behind its last barrier", by.x, by.y, by.z);
  }
  if (load == Load::acquire) {
    if (self.not_acquired == at) self.not_acquired = nullptr;
    has_met_others();
  } else if (!is_ordered(change.last)) {
    self.not_acquired = at;
  }
  return *at;
}

void say_not_acquired() {
  fail("a relaxed look at a count of other blocks, at %p, with no fence behind it", running.fiber->not_acquired);
}

void forget_changes() {
  changes().clear();
}

}  // namespace skt::emulation
