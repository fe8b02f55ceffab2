// How do the query heads that share a KV head rank its keys together?
//
// Head h gives key j the weight 2^x_hj: x is a logit times log2(e), or log2 of a score that stands for a softmax weight,
// such as SOCKET's. c_h is the logarithm of the head's normaliser. The group's score of a key, itself a log2:
//
//   sum      log2 sum_h 2^(x_hj - c_h)
//   largest  max_h (x_hj - c_h)
//
// With exact logits and c_h over all keys, sum gives the list that keeps the most softmax mass, summed over the heads, of
// all lists of its length (statement OWN-17iii). Names as in python/socketlab/models/settings.py, which also has the
// normaliser of the step before: it is an argument like any other here. Wrong if a group of one head had another list
// than that head: tests/estimators/groups/group_scores_test.cpp.
#pragma once

#include <span>
#include <vector>

#include "estimators/selection.hpp"
#include "sim/matrix.hpp"

namespace skt {

enum class GroupScore { sum, largest };

// all_keys: the sum of a head's weights; sampled_tiles and tile_logs: estimates of it from few tiles; largest: the largest
// weight; none: 1.
enum class Normaliser { all_keys, sampled_tiles, tile_logs, largest, none };

struct GroupRule {
  GroupScore score = GroupScore::sum;
  Normaliser normaliser = Normaliser::all_keys;
};

inline constexpr Index kTileKeys = 64;      // neighbouring keys
inline constexpr Index kSampledTiles = 16;  // at most

// The tiles that are read of a row of `keys` keys in T = ceil(keys/64) tiles, rising: all if T <= 16, else the first, the
// last, and 1 + floor((2i + 1)(T - 2)/28) for i = 0 to 13.
std::vector<Index> sampled_tiles(Index keys);

// How many tiles one that is read stands for: 1 for the first and the last, else (T - 2)/14, and 1 if T <= 16.
double tile_weight(Index tile, Index keys);

// c_h of exponents x [heads, keys]; forbidden keys are left out. With Z_t the sum of the weights in tile t:
//
//   sampled_tiles  log2 of Z_0 + Z_(T-1) + (T - 2)/14 * (sum of Z_t over the 14 tiles between)
//   tile_logs      log2 of Z_0 + Z_(T-1) + (T - 2) m/14 * 2^(mean of log2 Z_t over the m tiles between with a weight)
//
// The second has no single key that carries the estimate, and is below the sum where tiles differ. 0 where no weight above 0 is read. mask [keys], or empty:
// all are allowed. InputError for NaN, for +infinity, and for a mask of another size; -infinity is a weight of 0.
Vector log2_normalisers(const Matrix& exponents, Normaliser normaliser, std::span<const Allowed> mask);

// [keys]; -infinity where every head's weight is 0. normalisers [heads].
Vector group_scores(const Matrix& exponents, const Vector& normalisers, GroupScore score);

}  // namespace skt
