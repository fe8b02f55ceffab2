// Who goes on? Threads whose polling has an answer come first, then those of the newest grid. Of a grid: clusters that do
// not let the next kernel begin yet, then a cluster that has not begun, then the others. Of a cluster: those of one warp.
// By Order::random any of those that can.
#include "gpu/emulation/threads.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>

#include "gpu/emulation/settings.hpp"

namespace skt::emulation {

Running running;

namespace {

constexpr std::size_t kMostOfGrid = 8192;   // what four multiprocessors of sm_90 hold
constexpr std::size_t kMostFibers = 24576;  // each stack is two mappings, of 65,530 that Linux gives a process

std::uint64_t random_state = 1;
std::uint64_t next_random() {  // xorshift64
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state;
}

bool overlap() {
  return settings().kernels == Kernels::overlap;
}

// It has done all that the next kernel may rely on: what it does now comes late.
bool is_parked(const Cluster& cluster) {
  return overlap() && cluster.holding == 0;
}

void fill_block(Block& block, Cluster& cluster, unsigned rank, Index first) {
  const Shape& shape = cluster.grid->shape;
  const unsigned threads = shape.block.x;
  block.cluster = &cluster;
  block.rank = rank;
  block.index = {first.x + rank, first.y, first.z};
  block.shared = take_shared_memory(shape.shared_bytes);
  block.alive = static_cast<int>(threads);
  block.warps.resize((threads + 31) / 32);
  for (unsigned t = 0; t < threads; ++t) {
    Fiber& fiber = fresh_fiber();
    fiber.places = {{t, 0, 0}, block.index, shape.block, shape.grid};
    fiber.block = &block;
    fiber.warp = &block.warps[t / 32];
    fiber.lane = static_cast<int>(t % 32);
    fiber.warp->fiber[t % 32] = &fiber;
    fiber.warp->alive |= 1u << t % 32;
    cluster.fibers.push_back(&fiber);
  }
}

Index first_block(const Grid& grid, std::uint64_t cluster) {
  const unsigned size = grid.shape.cluster, along_x = grid.shape.grid.x / size, rows = grid.shape.grid.y;
  return {static_cast<unsigned>(cluster % along_x) * size, static_cast<unsigned>(cluster / along_x % rows),
          static_cast<unsigned>(cluster / along_x / rows)};
}

void begin_cluster(Grid& grid) {
  Cluster& cluster = *grid.resident.emplace_back(std::make_unique<Cluster>());
  cluster.grid = &grid;
  cluster.blocks.resize(grid.shape.cluster);
  cluster.holding = static_cast<int>(grid.shape.cluster);
  const std::uint64_t number = settings().order == Order::reverse ? grid.clusters - 1 - grid.begun : grid.begun;
  const Index first = first_block(grid, number);
  for (unsigned rank = 0; rank < grid.shape.cluster; ++rank) fill_block(cluster.blocks[rank], cluster, rank, first);
  cluster.alive = static_cast<int>(cluster.fibers.size());
  running.fibers += cluster.fibers.size();
  ++grid.begun;
  std::vector<Fiber*> all = cluster.fibers;
  release(all);
}

bool may_begin(const Grid& grid) {
  if (grid.begun == grid.clusters) return false;
  if (&grid == &running.grids.front() && grid.resident.empty()) return true;  // so that something always goes on
  const std::size_t of_one = std::size_t{grid.shape.cluster} * grid.shape.block.x;
  return (grid.resident.size() + 1) * of_one <= kMostOfGrid && running.fibers + of_one <= kMostFibers;
}

Cluster* ready_cluster(const Grid& grid, bool parked) {
  for (const auto& cluster : grid.resident) {
    if (is_parked(*cluster) == parked && cluster->ready != 0) return cluster.get();
  }
  return nullptr;
}

Cluster* chosen_in_order() {
  for (auto grid = running.grids.rbegin(); grid != running.grids.rend(); ++grid) {
    if (Cluster* cluster = ready_cluster(*grid, false)) return cluster;
    if (may_begin(*grid)) {
      begin_cluster(*grid);
      return grid->resident.back().get();
    }
    if (Cluster* cluster = ready_cluster(*grid, true)) return cluster;
  }
  return nullptr;
}

Cluster* chosen_at_random() {
  std::vector<Cluster*> can_go_on;
  for (Grid& grid : running.grids) {
    if (ready_cluster(grid, false) == nullptr && may_begin(grid)) begin_cluster(grid);
    for (const auto& cluster : grid.resident) {
      if (cluster->ready != 0) can_go_on.push_back(cluster.get());
    }
  }
  return can_go_on.empty() ? nullptr : can_go_on[next_random() % can_go_on.size()];
}

Warp& ready_warp(Cluster& cluster) {
  std::vector<Warp*> can_go_on;
  for (Block& block : cluster.blocks) {
    for (Warp& warp : block.warps) {
      if (!warp.ready.empty()) can_go_on.push_back(&warp);
    }
  }
  switch (settings().order) {
    case Order::forward:
      return *can_go_on.front();
    case Order::reverse:
      return *can_go_on.back();
    case Order::random:
      break;
  }
  return *can_go_on[next_random() % can_go_on.size()];
}

Fiber& taken_from(Warp& warp) {
  auto& ready = warp.ready;
  if (settings().order == Order::random) std::swap(ready.front(), ready[next_random() % ready.size()]);
  Fiber& next = *ready.front();
  ready.pop_front();
  --next.block->cluster->ready;
  return next;
}

// None: no thread can go on.
Fiber* next_fiber() {
  if (running.woken.empty()) {
    if (Cluster* cluster = settings().order == Order::random ? chosen_at_random() : chosen_in_order()) {
      running.polls = 0;
      return &taken_from(ready_warp(*cluster));
    }
    // All that is left polls: each looks again, as a plain store may have changed what it looks at. A chain of as many
    // such stores as there are rounds would be called a deadlock.
    constexpr std::size_t kMostRounds = 100;
    if (running.polls > 1000 + kMostRounds * running.polling.size()) return nullptr;
    running.woken.swap(running.polling);
    if (running.woken.empty()) return nullptr;
  }
  Fiber* next = running.woken.front();
  running.woken.erase(running.woken.begin());
  return next;
}

void say_why_none_goes_on() {
  std::size_t at_block = 0, at_cluster = 0, for_kernel = 0;
  int in_warp = 0;
  for (const Grid& grid : running.grids) {
    for_kernel += grid.waiting.size();
    for (const auto& cluster : grid.resident) {
      at_cluster += cluster->waiting.size();
      for (const Block& block : cluster->blocks) {
        at_block += block.waiting.size();
        for (const Warp& warp : block.warps) in_warp += __builtin_popcount(warp.arrived);
      }
    }
  }
  char text[300];
  std::snprintf(text, sizeof text,
                "no thread can go on: %zu wait at the barrier of a block, %d in a collective of a warp, %zu for the "
                "cluster, %zu for the kernel before, %zu poll",
                at_block, in_warp, at_cluster, for_kernel, running.polling.size());
  running.failure = text;
  for (const Grid& grid : running.grids) running.failure += ", in flight " + name_of(grid);
}

void take_apart(const Cluster& cluster) {
  for (Fiber* fiber : cluster.fibers) give_back(*fiber);
  running.fibers -= cluster.fibers.size();
  for (const Block& block : cluster.blocks) give_shared_memory_back(block.shared, cluster.grid->shape.shared_bytes);
}

// A cluster that has ended, and its grid if it was the last one.
void take_away(const Cluster& ended) {
  Grid& grid = *ended.grid;
  take_apart(ended);
  std::erase_if(grid.resident, [&](const auto& cluster) { return cluster.get() == &ended; });
  if (++grid.ended != grid.clusters) return;
  release(grid.waiting);
  const auto at = std::find_if(running.grids.begin(), running.grids.end(), [&](Grid& one) { return &one == &grid; });
  const auto next = std::next(at);
  if (next == running.grids.end()) {
    running.newest_has_ended = true;
  } else {
    next->before = nullptr;
  }
  running.grids.erase(at);
}

void drop_all() {
  for (Grid& grid : running.grids) {
    for (const auto& cluster : grid.resident) take_apart(*cluster);
  }
  running.grids.clear();
  running.newest_has_ended = true;
  running.polling.clear();
  running.woken.clear();
}

bool has_come(Until until) {
  if (running.grids.empty()) return true;
  return until == Until::next_may_begin && running.grids.back().holding == 0;
}

}  // namespace

void make_ready(Fiber& fiber) {
  fiber.warp->ready.push_back(&fiber);
  ++fiber.block->cluster->ready;
}

void release(std::vector<Fiber*>& waiting) {
  if (settings().order == Order::reverse) {
    for (std::size_t i = waiting.size(); i-- > 0;) make_ready(*waiting[i]);
  } else {
    for (Fiber* fiber : waiting) make_ready(*fiber);
  }
  waiting.clear();
}

// In the same warp while it lasts, which spares a look at all others.
void wait_for_others() {
  constexpr std::uint64_t kStays = 8;
  Warp& warp = *running.fiber->warp;
  const bool stays = settings().order != Order::random || next_random() % kStays != 0;
  if (!stays || warp.ready.empty() || !running.woken.empty()) return leave_fiber();
  running.polls = 0;
  switch_to(taken_from(warp));
}

void poll() {
  ++running.polls;
  running.polling.push_back(running.fiber);
  wait_for_others();
}

bool wake_pollers(const void* at) {
  const auto looks_at_it = [&](const Fiber* fiber) { return fiber->looked_at == at; };
  std::copy_if(running.polling.begin(), running.polling.end(), std::back_inserter(running.woken), looks_at_it);
  std::erase_if(running.polling, looks_at_it);
  return std::any_of(running.woken.begin(), running.woken.end(), looks_at_it);
}

void step_back() {
  make_ready(*running.fiber);
  leave_fiber();
}

bool holds_no_more(Block& block) {
  if (!block.holds_next) return false;
  block.holds_next = false;
  if (--block.cluster->holding != 0) return false;
  --block.cluster->grid->holding;
  return true;
}

void let_next_kernel_begin() {
  if (holds_no_more(*running.fiber->block) && overlap()) step_back();
}

void wait_for_kernel_before() {
  has_met_others();
  running.fiber->waited_for_kernel = true;
  Grid* before = own_cluster().grid->before;
  if (before == nullptr) return;
  before->waiting.push_back(running.fiber);
  wait_for_others();
}

void begin_random_numbers() {
  random_state = (settings().seed + 1) * 0x9e3779b97f4a7c15 | 1;
}

void go_on(Until until) {
  while (!has_come(until)) {
    Fiber* next = next_fiber();
    if (next == nullptr) {
      say_why_none_goes_on();
      return drop_all();
    }
    const Cluster& cluster = *next->block->cluster;
    run_fiber(*next);
    if (!running.failure.empty()) return drop_all();
    if (cluster.alive == 0) take_away(cluster);
  }
}

}  // namespace skt::emulation
