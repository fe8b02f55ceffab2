// How many cases of each operation a part of a grid holds.
#pragma once

#include <map>
#include <vector>

#include "gpu/check/cases/axes.hpp"

using Counts = std::map<skt::gpu::Operation, int>;

inline Counts counts_of(const std::vector<skt::gpu::CheckCase>& cases) {
  Counts counts;
  for (const skt::gpu::CheckCase& c : cases) ++counts[c.operation];
  return counts;
}

// The cases that a part of the quick grid adds.
inline std::vector<skt::gpu::CheckCase> cases_of(void (*add)(skt::gpu::Grid&)) {
  skt::gpu::Grid grid(1);
  add(grid);
  return grid.take();
}
