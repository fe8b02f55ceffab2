// The random hyperplanes of L tables (paper, Algorithm 1: entries i.i.d. N(0,1)) and the projections onto them. A wrong
// map from entry to random number would break the nesting of draws that the tests check.
#pragma once

#include <cstdint>

#include "sim/matrix.hpp"
#include "sim/randomness.hpp"

namespace skt {

constexpr Index kMaxPlanes = 30;  // a bucket number fits 32 bits and 2^planes an Index

struct Hyperplanes {
  Index tables = 0;
  Index planes = 0;  // 1 .. kMaxPlanes to a table
  Index dim = 0;
  Matrix rows;  // [tables * planes, dim]; row table * planes + plane; plane 0 is the most significant bit

  auto table(Index l) const { return rows.middleRows(l * planes, planes); }  // [planes, dim]
};

// Entry (table, plane, coordinate) is a pure function of (seed, trial, table, plane, coordinate), so the first tables
// of a larger draw are the tables of a smaller one. Throws InputError unless 1 <= tables <= 2^24,
// 1 <= planes <= kMaxPlanes, dim >= 1.
Hyperplanes draw_hyperplanes(Seed seed, std::uint32_t trial, Index tables, Index planes, Index dim);

// Hyperplanes given as rows [tables * planes, dim]. InputError for the same ranges or a wrong number of rows.
Hyperplanes given_hyperplanes(Index tables, Index planes, Matrix rows);

// W x of each row x of `vectors` [n, dim], for the rows first .. first + count - 1 of W: [n, count].
//
// The same vector has the same projections, bit for bit, wherever it stands and whatever stands beside it: the product
// is made with a number of vectors that is a multiple of kVectorGroup, zero vectors filling the last group, so that the
// matrix product treats every vector alike. InputError if dim differs.
constexpr Index kVectorGroup = 32;
Matrix projections(const Hyperplanes& hyperplanes, const Eigen::Ref<const Matrix>& vectors, Index first, Index count);

// W q, [tables, planes]. InputError if dim differs or a projection is not finite.
Matrix query_projections(const Hyperplanes& hyperplanes, const Vector& query);

}  // namespace skt
