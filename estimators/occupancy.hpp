// How many keys can share a bucket (paper, Assumption 2)?
//
// The proofs take expectations over the hyperplanes, so B must bound the occupancy almost surely, not only in the
// tables that were drawn. P nearly parallel planes have positive probability, hence for every P the almost-sure value
// is the largest number of keys in an open half-space through the origin (keys minus the Tukey depth of the origin), at
// least half of the keys. It would be wrong if a drawn table exceeded it.
#pragma once

#include "estimators/key_codes.hpp"

namespace skt {

// The largest bucket of every drawn table, [tables]; 0 without keys.
std::vector<Index> fullest_buckets(const KeyCodes& codes);

// The largest bucket of all drawn tables; 0 without keys.
Index realised_occupancy(const KeyCodes& codes);

// The almost-sure occupancy in two dimensions, by a sweep over the angles of the keys [keys, 2]. Zero keys, which land
// in the all-ones bucket of every table, count on top. InputError for another dimension.
Index half_plane_occupancy(const Matrix& keys);

// A lower bound of the almost-sure occupancy in any dimension: the best half-space that `starts` ascents find. The
// half-space is found, so the bound is certain. At least ceil(keys / 2).
Index half_space_occupancy_at_least(const Matrix& keys, Seed seed, std::uint32_t starts);

}  // namespace skt
