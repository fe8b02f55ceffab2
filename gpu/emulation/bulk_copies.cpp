// Bulk copies, and the barriers in shared memory that count their bytes. A copy comes when a thread asks whether its
// phase has ended, or with Copies::early at once.
//
// A barrier's 8 bytes hold a mark: one that was never made, or was overwritten, ends the kernel when it is used.
#include <algorithm>
#include <cstring>

#include "gpu/emulation/memory.hpp"
#include "gpu/emulation/settings.hpp"
#include "gpu/emulation/threads.hpp"

namespace skt::emulation {
namespace {

constexpr std::uint16_t kMark = 0xb0b5;
constexpr int kUnit = 16;  // bytes that a bulk copy has or has not

struct Barrier {  // as it lies in shared memory
  std::uint16_t mark;
  std::uint8_t phase;
  std::uint8_t arrivals;  // to come in this phase
  std::uint8_t expected;  // in each phase
  std::uint8_t unused[3];
};
static_assert(sizeof(Barrier) == 8);

Barrier& barrier_at(std::uint32_t address) {
  auto& barrier = *reinterpret_cast<Barrier*>(shared_at(address, sizeof(Barrier), alignof(std::uint64_t)));
  if (barrier.mark != kMark) fail("no barrier at shared address %u, or it was overwritten", address);
  return barrier;
}

void end_phase_if_complete(Block& block, std::uint32_t address) {
  Barrier& barrier = barrier_at(address);
  if (barrier.arrivals != 0 || block.to_come[address] != 0) return;
  barrier.phase ^= 1;
  barrier.arrivals = barrier.expected;
  wake_pollers(&barrier);
}

void finish(Block& block, const BulkCopy& bulk) {
  const auto bytes = static_cast<std::size_t>(bulk.copy.bytes);
  std::memcpy(bulk.copy.to, bulk.copy.from, bytes);
  std::memcpy(shown_to_bulk_copies(bulk.copy.to), bulk.copy.from, bytes);
  block.to_come[bulk.barrier] -= bulk.copy.bytes;
  end_phase_if_complete(block, bulk.barrier);
}

void finish_copies_of(Block& block, std::uint32_t barrier) {
  std::vector<BulkCopy> all = std::move(block.bulk_copies);
  block.bulk_copies.clear();
  for (const BulkCopy& bulk : all) {
    if (bulk.barrier == barrier) {
      finish(block, bulk);
    } else {
      block.bulk_copies.push_back(bulk);
    }
  }
}

}  // namespace

void init_barrier(std::uint32_t barrier, int arrivals) {
  auto& made = *reinterpret_cast<Barrier*>(shared_at(barrier, sizeof(Barrier), alignof(std::uint64_t)));
  made = {kMark, 0, static_cast<std::uint8_t>(arrivals), static_cast<std::uint8_t>(arrivals), {}};
  running.fiber->block->to_come[barrier] = 0;
}

void arrive_expecting(std::uint32_t address, int bytes) {
  Barrier& barrier = barrier_at(address);
  Block& block = *running.fiber->block;
  if (barrier.arrivals == 0) fail("more arrivals at a barrier than it was made for");
  --barrier.arrivals;
  block.to_come[address] += bytes;
  end_phase_if_complete(block, address);
}

bool has_ended(std::uint32_t address, std::uint32_t parity) {
  Block& block = *running.fiber->block;
  const Barrier& barrier = barrier_at(address);
  if (barrier.phase == parity) finish_copies_of(block, address);
  if (barrier.phase != parity) return true;
  running.fiber->looked_at = &barrier;
  poll();
  return barrier_at(address).phase != parity;
}

unsigned bulk_copies_begun_to(std::uint32_t address) {
  const std::vector<unsigned>& begun = running.fiber->block->bulk_copies_begun;
  return address / kUnit < begun.size() ? begun[address / kUnit] : 0;
}

void bulk_copy(std::uint32_t to, const void* from, int bytes, std::uint32_t barrier) {
  if (bytes <= 0 || bytes % 16 != 0 || reinterpret_cast<std::uintptr_t>(from) % 16 != 0) {
    fail("a bulk copy of %d bytes from %p: allowed are multiples of 16", bytes, from);
  }
  require_allocated(from, bytes, "a bulk copy");
  barrier_at(barrier);
  Block& block = *running.fiber->block;
  const BulkCopy bulk = {barrier, {shared_at(to, bytes, 16), from, bytes, bytes}};
  std::vector<unsigned>& begun = block.bulk_copies_begun;
  begun.resize(std::max<std::size_t>(begun.size(), (to + bytes) / kUnit));
  for (int i = 0; i < bytes; i += kUnit) ++begun[(to + i) / kUnit];
  if (settings().copies == Copies::early) return finish(block, bulk);
  std::memset(bulk.copy.to, 0xff, static_cast<std::size_t>(bytes));
  block.bulk_copies.push_back(bulk);
}

}  // namespace skt::emulation
