// What the grids are made with: cases that share a seed, each with a cache of whole tiles, full only where asked for.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gpu/check/cases/check_case.hpp"
#include "gpu/functors/packed_codes.hpp"

namespace skt::gpu {

class Grid {
 public:
  explicit Grid(std::uint64_t seed) : seed_(seed) {}

  void add(CheckCase c) {
    c.capacity = (c.keys / kTileKeys + 1) * kTileKeys;  // at least one key of the cache is unused
    keep(c);
  }
  // Its cache is full; keys a multiple of 64.
  void add_full(CheckCase c) {
    c.capacity = c.keys;
    keep(c);
  }
  std::vector<CheckCase> take() { return std::move(cases_); }

 private:
  // Once, where several loops meet in one case.
  void keep(CheckCase c) {
    c.seed = seed_;
    if (kept_.insert(c.text()).second) cases_.push_back(c);
  }

  std::uint64_t seed_;
  std::set<std::string> kept_;
  std::vector<CheckCase> cases_;
};

// Two batches of two query heads to each of two kv heads: the smallest shape in which every index differs.
inline CheckCase grouped_case(Operation operation) {
  CheckCase c;
  c.operation = operation;
  c.batch = 2;
  c.heads = 4;
  c.kv_heads = 2;
  return c;
}

// One and four query heads to a kv head.
inline void add_groups(Grid& grid, CheckCase c) {
  for (const std::int64_t group : {1, 4}) {
    c.heads = c.kv_heads * group;
    grid.add(c);
  }
}

// Scores of one query head at a time, in 67 passes, take as many of the 132 multiprocessors of an H100 or H200: one
// range of the tiles to each pass, four tiles to a warp. What is launched behind them begins at once, on the others.
// Tables too many for four heads at once, and so many tiles that rows of a step go on as soon as they are scored.
inline void half_of_the_device(CheckCase& c) {
  c.batch = c.kv_heads = 1;
  c.heads = 67;
  c.keys = 6100;
  c.tables = 140;
  c.planes = 10;
  c.budget = 600;
}

// Tables and planes of which packed scores have an instance for steps that knows the planes alone, or by the signed rule
// these 32 tables (gpu/packed_scores/launch.cuh); of 300 and 320 bits signed scores of shared heads know the words.
struct TableShape {
  std::int64_t tables, planes;
};
inline constexpr TableShape kTablesOfStepInstances[] = {{30, 10}, {32, 10}, {40, 8}, {20, 12}};

inline const std::vector<std::int64_t> kKeyCounts = {1, 31, 32, 33, 127, 128, 129, 1000};  // around a warp and a block
inline const std::vector<std::int64_t> kAttentionDims = {32, 64, 128, 256};  // all that attention and the index take

}  // namespace skt::gpu
