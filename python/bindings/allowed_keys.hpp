// Which keys may a query head of a case attend to?
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/check/problems/problem.hpp"

namespace skt::python {

// [batch, heads, keys]: 1 where the mask allows the key to the head, everywhere without a mask.
inline std::vector<std::uint8_t> allowed_keys(const gpu::CheckCase& c, const gpu::Problem& problem) {
  std::vector<std::uint8_t> allowed;
  for (std::int64_t row = 0; row < c.rows(); ++row) {
    for (std::int64_t key = 0; key < c.keys; ++key) {
      allowed.push_back(gpu::is_allowed(c, problem, row, key) ? 1 : 0);
    }
  }
  return allowed;
}

}  // namespace skt::python
