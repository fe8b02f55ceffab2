// How long do the pieces of a computation take on one core of a server, in microseconds?
//
// Formulas of keys, dimension, planes, tables and samples, whose constants were measured with one thread at 1024 and 4096
// keys: 460 ns for a pair of keys, 2.5e10 operations a second in the products that hash the keys, some nanoseconds for
// what is looked up or drawn. They weigh parts against each other and tell the time left; no result depends on them.
// Right to a factor of two where keys are hundreds and more. A part that took many times its share would show.
#pragma once

#include <cstdint>

#include "sim/number.hpp"

namespace skt {

// A hash of the keys and the soft scores of one query.
struct HashedSize {
  Index keys = 0, dim = 0, tables = 0, planes = 0;
};
double hash_work(const HashedSize& size);
double scores_work(const HashedSize& size);
double tables_work(const HashedSize& size);  // both

// What is summed over the values of all keys once.
double values_work(Index keys, Index value_dim);

// The sums of single tables over the values of the keys.
double sums_work(Index keys, Index value_dim, Index tables);

// One draw of the sampling estimator with so many samples.
double samples_work(Index samples, Index value_dim);

// The best `budget` keys by score, and attention over them.
double selection_work(Index keys, Index budget, Index value_dim);

// The moments of one table over all pairs of keys (table_moments.hpp); one block of its progress.
inline constexpr double kPairBlockWork = 128 * 128 * 0.19;
double pairs_work(Index keys);

// How many trials make a part of some seconds, so that a long run has parts for many workers. At least a trial for each
// of sixteen threads.
std::uint64_t trials_of_a_part(double work_of_trial);

}  // namespace skt
