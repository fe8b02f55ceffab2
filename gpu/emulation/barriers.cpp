// Where threads wait for one another: lanes in a collective, threads of a block, threads of a cluster.
//
// A barrier of a block or cluster counts the threads that are left, as the hardware's does. A collective that some lanes
// have left, or of some lanes, ends the kernel: the kernels have none, and one would be a fault.
#include <cstddef>
#include <cstring>

#include "gpu/emulation/settings.hpp"
#include "gpu/emulation/threads.hpp"

namespace skt::emulation {
namespace {

void end_block_barrier_if_all(Block& block) {
  if (!block.waiting.empty() && block.waiting.size() >= static_cast<std::size_t>(block.alive)) release(block.waiting);
}

void end_cluster_phase_if_all(Cluster& cluster) {
  if (cluster.arrived == 0 || cluster.arrived < cluster.alive) return;
  cluster.arrived = 0;
  ++cluster.phase;
  release(cluster.waiting);
}

}  // namespace

void meet(Meeting meeting, void* given, unsigned mask) {
  Fiber& self = *running.fiber;
  Warp& warp = *self.warp;
  require_acquired();
  if (mask != ~0u) fail("a collective of some lanes, mask %08x: allowed is one of all", mask);
  if (warp.alive != ~0u) fail("a collective of all lanes, of which %08x are there", warp.alive);
  if (warp.arrived != 0 && warp.meeting != meeting) fail("the lanes of a warp meet in different collectives");
  warp.meeting = meeting;
  warp.given[self.lane] = given;
  warp.arrived |= 1u << self.lane;
  if (warp.arrived != warp.alive) return wait_for_others();
  meeting(warp);
  warp.arrived = 0;
  const bool reverse = settings().order == Order::reverse;
  for (int i = 0; i < 32; ++i) {
    Fiber* fiber = warp.fiber[reverse ? 31 - i : i];
    if (fiber != &self) make_ready(*fiber);
  }
  make_ready(self);  // in turn with the others
  wait_for_others();
}

void sync_threads() {
  Block& block = *running.fiber->block;
  require_acquired();
  has_met_others();
  block.waiting.push_back(running.fiber);
  end_block_barrier_if_all(block);
  wait_for_others();
}

void sync_warp(unsigned mask) {
  has_met_others();
  meet([](Warp&) {}, nullptr, mask);
}

void cluster_arrive() {
  Fiber& self = *running.fiber;
  require_acquired();
  if (self.arrived_at_cluster) fail("a thread arrives twice at the barrier of its cluster");
  self.arrived_at_cluster = true;
  self.cluster_phase = own_cluster().phase;
  ++own_cluster().arrived;
  end_cluster_phase_if_all(own_cluster());
}

void cluster_wait() {
  Fiber& self = *running.fiber;
  if (!self.arrived_at_cluster) fail("a thread waits for its cluster and has not arrived");
  self.arrived_at_cluster = false;
  has_met_others();
  if (own_cluster().phase != self.cluster_phase) return;
  own_cluster().waiting.push_back(&self);
  wait_for_others();
}

unsigned cluster_blocks() {
  return static_cast<unsigned>(own_cluster().blocks.size());
}
unsigned cluster_rank() {
  return running.fiber->block->rank;
}

void leave_barriers(Fiber& fiber) {
  Block& block = *fiber.block;
  Cluster& cluster = *block.cluster;
  if (fiber.warp->arrived != 0) fail("a lane leaves while others of its warp wait for it in a collective");
  fiber.warp->alive &= ~(1u << fiber.lane);
  if (--block.alive == 0) {
    if (!block.bulk_copies.empty()) fail("a block leaves with bulk copies on their way");
    // What another block of the cluster reads of it now is no longer there.
    std::memset(block.shared, 0xff, cluster.grid->shape.shared_bytes);
    holds_no_more(block);
  }
  end_block_barrier_if_all(block);
  --cluster.alive;
  if (fiber.arrived_at_cluster && fiber.cluster_phase == cluster.phase) --cluster.arrived;
  end_cluster_phase_if_all(cluster);
}

}  // namespace skt::emulation
