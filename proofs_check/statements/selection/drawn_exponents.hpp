// Exponents of the weights that query heads of one KV head give to its keys, for statements on their lists.
#pragma once

#include "sim/normal_rows.hpp"

namespace skt {

// [heads, keys]: logits of deviation 2 in log2, each head at a level of its own.
inline Matrix drawn_exponents(Seed seed, std::uint32_t trial, Index heads, Index keys, double deviation = 2) {
  Matrix x = deviation * normal_rows(seed, {Role::test_draw, trial, 1}, heads, keys);
  x.colwise() += 4 * normal_rows(seed, {Role::test_draw, trial, 2}, heads, 1).col(0);
  return x;
}

}  // namespace skt
