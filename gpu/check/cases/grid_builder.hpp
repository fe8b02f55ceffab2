// What the grids are made with: cases that share a seed, each with a cache of whole tiles that is never full.
#pragma once

#include <cstdint>
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
    c.seed = seed_;
    cases_.push_back(c);
  }
  std::vector<CheckCase> take() { return std::move(cases_); }

 private:
  std::uint64_t seed_;
  std::vector<CheckCase> cases_;
};

// Two batches of two query heads to each of two kv heads: the smallest shape in which every index differs.
inline CheckCase grouped_case(const std::string& operation) {
  CheckCase c;
  c.operation = operation;
  c.batch = 2;
  c.heads = 4;
  c.kv_heads = 2;
  return c;
}

inline const std::vector<std::int64_t> kKeyCounts = {1, 31, 32, 33, 127, 128, 129, 1000};
inline const std::vector<std::string> kTypes = {"f32", "f16", "bf16"};

}  // namespace skt::gpu
