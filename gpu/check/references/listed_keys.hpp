// The keys of one row of a device list: whoever indexes by them must know that they are keys.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "gpu/check/references/comparison.hpp"

namespace skt::gpu {

// Of lists [rows, length] with counts [rows]; nothing, and a failure, if the count is no count or one of them is none
// of the `used` keys.
inline std::vector<std::int32_t> listed_keys(std::int64_t used, const std::vector<std::int32_t>& lists,
                                             const std::vector<std::int32_t>& counts, std::int64_t length,
                                             std::int64_t row, Comparison& result) {
  const std::int64_t count = counts[row];
  const bool is_count = count >= 0 && count <= length;
  result.holds("count of a list", row, is_count);
  if (!is_count) return {};
  const auto begin = lists.begin() + row * length;
  const std::vector<std::int32_t> keys(begin, begin + count);
  const bool are_keys = std::all_of(keys.begin(), keys.end(), [&](auto key) { return key >= 0 && key < used; });
  result.holds("keys of a list", row, are_keys);
  return are_keys ? keys : std::vector<std::int32_t>();
}

}  // namespace skt::gpu
