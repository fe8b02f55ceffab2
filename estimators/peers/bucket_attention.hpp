// Which keys does Bucket Attention consider, and how does it rank them (document 001, sections 3 to 6)?
//
// Each table opens the query's `top` most probable buckets; a key collides in a table if it lies in one of them; it is
// a candidate if it collides at all; candidates rank by collisions times value norm. Bucket r costs the |h_p| of the
// planes where r differs from the query's own bucket, and its probability is proportional to exp(-2 cost/tau): the
// order does not depend on the temperature. It would be wrong if the softmax over all corners ordered otherwise.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "estimators/key_codes.hpp"
#include "estimators/selection.hpp"

namespace skt {

inline constexpr Index kMostBucketPlanes = 20;  // 2^20 costs of 8 bytes: 8 MiB to a table

// The `top` most probable buckets of one table by rising cost, ties to the lower code. signal [planes] is tanh(Wq) at
// any positive scale. InputError unless 1 <= top <= 2^planes and planes <= kMostBucketPlanes.
std::vector<std::uint32_t> top_buckets(std::span<const double> signal, std::int64_t top);

// Number of tables in which each key collides, [keys], in 0 .. tables. signal [tables, planes].
Vector bucket_collisions(const Matrix& signal, const KeyCodes& codes, std::int64_t top);

// Candidates that the mask allows too; mask as in selection.hpp. Selecting under it never returns a key of score
// zero, which a plain top-k of the scores would when there are fewer candidates than its budget.
std::vector<Allowed> bucket_candidates(const Vector& collisions, std::span<const Allowed> mask);

// collisions * ||v||, [keys].
Vector bucket_attention_scores(const Vector& collisions, const Matrix& values);

// p_t(theta): the probability that a key at this angle to the query collides in one table, over random planes.
// Exact: t = 1, t = 2^P, theta = pi/2 (where it is t/2^P), t = 2 and 3, which depend on the order of the |h_p| only
// (one quadrature), and 2^P - t by symmetry. nullopt for the others: those depend on the sizes of the |h_p|.
// Then collisions ~ Bin(tables, p_t).
std::optional<double> collision_probability(double angle, Index planes, std::int64_t top);

// 1 - (1 - p)^tables without cancellation.
double candidate_probability(double collision_probability, Index tables);

}  // namespace skt
