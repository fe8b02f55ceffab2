// The random hyperplanes of L tables (paper, Algorithm 1: entries i.i.d. N(0,1)).
#pragma once

#include <cstdint>
#include <vector>

#include "sim/matrix.hpp"
#include "sim/randomness.hpp"

namespace skt {

struct Hyperplanes {
  Index tables = 0;
  Index planes = 0;  // 1 .. 30 to a table
  Index dim = 0;
  Matrix rows;       // [tables * planes, dim]; row table * planes + plane; plane 0 is the most significant bit

  auto table(Index l) const { return rows.middleRows(l * planes, planes); }  // [planes, dim]
};

// Entry (table, plane, coordinate) is a pure function of (seed, trial, table, plane, coordinate), so the first
// tables of a larger draw are the tables of a smaller one. Throws InputError unless tables >= 1,
// 1 <= planes <= 30, dim >= 1.
Hyperplanes draw_hyperplanes(Seed seed, std::uint32_t trial, Index tables, Index planes, Index dim);

}  // namespace skt
