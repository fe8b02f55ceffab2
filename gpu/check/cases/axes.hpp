// A grid as a table: what varies, and few cases in which every pair of values occurs (pair_covering.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "gpu/check/cases/grid_builder.hpp"
#include "gpu/check/cases/pair_covering.hpp"

namespace skt::gpu {

// One axis: how many values it has, and what value i makes of a case.
struct Axis {
  std::size_t size = 0;
  std::function<void(CheckCase&, std::size_t)> set;
};

template <class Value, class Member>
Axis axis(std::vector<Value> values, Member member) {
  const std::size_t size = values.size();
  return {size, [values = std::move(values), member](CheckCase& c, std::size_t i) { c.*member = values[i]; }};
}

// Query heads to a kv head. Stands behind an axis of kv heads, where there is one.
inline Axis groups(std::vector<std::int64_t> counts) {
  const std::size_t size = counts.size();
  return {size, [counts = std::move(counts)](CheckCase& c, std::size_t i) { c.heads = c.kv_heads * counts[i]; }};
}

// `base` with the values taken on each axis; an axis that is not chosen yet leaves it as it is.
inline CheckCase case_with(const CheckCase& base, const std::vector<Axis>& axes, const Combination& taken) {
  CheckCase c = base;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    if (taken[a] != kUnset) axes[a].set(c, taken[a]);
  }
  return c;
}

inline std::vector<std::size_t> sizes_of(const std::vector<Axis>& axes) {
  std::vector<std::size_t> sizes;
  for (const Axis& one : axes) sizes.push_back(one.size);
  return sizes;
}

inline void add_pairs(Grid& grid, const CheckCase& base, const std::vector<Axis>& axes) {
  const auto all_are_allowed = [](const Combination&) { return true; };
  for (const Combination& taken : pair_covering(sizes_of(axes), all_are_allowed))
    grid.add(case_with(base, axes, taken));
}

}  // namespace skt::gpu
