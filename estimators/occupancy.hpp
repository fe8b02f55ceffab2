// How many keys can share a bucket (paper, Assumption 2)?
//
// The proofs take expectations over the hyperplanes, so B must bound the occupancy almost surely, not only in the
// tables that were drawn. P nearly parallel planes have positive probability, hence for every P the almost-sure value
// is the largest number of keys in an open half-space through the origin (keys minus the Tukey depth of the origin), at
// least half of the keys. It would be wrong if a drawn table exceeded it.
#pragma once

#include "estimators/collision_scores.hpp"

namespace skt {

// The largest bucket of every drawn table, [tables]; 0 without keys.
std::vector<Index> fullest_buckets(const KeyCodes& codes);

// The largest bucket of all drawn tables; 0 without keys.
Index realised_occupancy(const KeyCodes& codes);

// What one draw of tables makes of a query: its fullest bucket, and the mean over the tables of B_l (1 - p_l), the
// fullest bucket of a table times the probability that the query gives to other buckets than its own (the repaired
// Lemma 11, proofs_check/laws/paper_error_bounds.hpp). InputError if hyperplanes, codes and query do not fit.
struct BucketLoad {
  Index fullest = 0;
  double occupied_miss = 0;
};
BucketLoad bucket_load(const Hyperplanes& hyperplanes, const KeyCodes& codes, const Vector& query,
                       const SocketParameters& parameters);

// The almost-sure occupancy in two dimensions, by a sweep over the angles of the keys [keys, 2]. Zero keys, which land
// in the all-ones bucket of every table, count on top. InputError for another dimension.
Index half_plane_occupancy(const Matrix& keys);

// A lower bound of the almost-sure occupancy in any dimension: the best half-space that `starts` ascents find. The
// half-space is found, so the bound is certain. At least ceil(keys / 2). Every bucket that was drawn is another lower
// bound, and may be the larger one.
inline constexpr std::uint32_t kAscents = 8;
Index half_space_occupancy_at_least(const Matrix& keys, Seed seed, std::uint32_t starts = kAscents);

}  // namespace skt
