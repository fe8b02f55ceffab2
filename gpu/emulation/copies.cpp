// When do the bytes of a thread's asynchronous copies come? As late as its waits allow, so that what is read before
// shows: until then the target holds 0xff, neither the old bytes nor the new. With Copies::early at once, so that what
// is overwritten before it was used shows.
#include <cstring>

#include "gpu/emulation/memory.hpp"
#include "gpu/emulation/settings.hpp"
#include "gpu/emulation/threads.hpp"

namespace skt::emulation {
namespace {

void finish(const Copy& copy) {
  std::memcpy(copy.to, copy.from, static_cast<std::size_t>(copy.read));
  std::memset(copy.to + copy.read, 0, static_cast<std::size_t>(copy.bytes - copy.read));
}

}  // namespace

void copy_async(std::uint32_t to, const void* from, int bytes, int read) {
  std::byte* target = shared_at(to, bytes, bytes);
  if (reinterpret_cast<std::uintptr_t>(from) % static_cast<unsigned>(bytes) != 0) {
    fail("an asynchronous copy of %d bytes from %p: it is not aligned", bytes, from);
  }
  if (read > 0) require_allocated(from, read, "an asynchronous copy");
  const Copy copy = {target, from, bytes, read};
  if (settings().copies == Copies::early) return finish(copy);
  std::memset(target, 0xff, static_cast<std::size_t>(bytes));
  running.fiber->open.push_back(copy);
}

void commit_copies() {
  Fiber& self = *running.fiber;
  self.groups.push_back(std::move(self.open));
  self.open.clear();
}

void wait_for_copies(int groups_left) {
  auto& groups = running.fiber->groups;
  while (groups.size() > static_cast<std::size_t>(groups_left)) {
    for (const Copy& copy : groups.front()) finish(copy);
    groups.erase(groups.begin());
  }
}

// Sums of whole numbers in global memory: they come at the wait. "Accessing the same memory location across multiple
// proxies needs a cross-proxy fence" (PTX ISA, "Async Proxy"): what was written to shared memory behind the last one is
// not what they read.
void bulk_add(void* to, std::uint32_t from, int bytes) {
  if (bytes <= 0 || bytes % 16 != 0 || reinterpret_cast<std::uintptr_t>(to) % 16 != 0) {
    fail("a bulk addition of %d bytes to %p: allowed are multiples of 16", bytes, to);
  }
  require_allocated(to, bytes, "a bulk addition");
  std::byte* source = shared_at(from, bytes, 16);
  if (std::memcmp(source, shown_to_bulk_copies(source), static_cast<std::size_t>(bytes)) != 0) {
    fail("a bulk addition of shared memory that was written with no fence.proxy.async behind the writes");
  }
  running.fiber->additions.push_back({static_cast<std::byte*>(to), source, bytes, bytes});
}

void finish_bulk_additions() {
  for (const Copy& copy : running.fiber->additions) {
    auto* to = reinterpret_cast<std::uint32_t*>(copy.to);
    const auto* from = static_cast<const std::uint32_t*>(copy.from);
    for (int i = 0; i < copy.bytes / 4; ++i) to[i] += from[i];
  }
  running.fiber->additions.clear();
}

void finish_copies(Fiber& fiber) {
  wait_for_copies(0);
  if (!fiber.open.empty()) fail("a thread leaves with asynchronous copies that are in no group");
  if (!fiber.additions.empty()) fail("a thread leaves before its bulk additions are done");
}

}  // namespace skt::emulation
