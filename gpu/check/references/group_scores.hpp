// What must a key score where the query heads of a kv head share one list?
//
// By the collision rule the largest of the heads' scores. By the signed rule the sum of their weights
// (gpu/functors/group_weights.hpp): the kernel's arithmetic once more in plain loops, and in double the interval in which
// it must lie. It would be wrong if a head's weight under another's normaliser lay in it:
// tests/gpu/check/references/group_scores_test.cpp.
//
// Interval, u = 2^-24, steps of 2^-7 octaves: a logit x = weight_scale * norm * sum is off by e, that of the sum
// (signed_scores.hpp) and two roundings. A weight rounds x - c to a step, after c to one, and is then by a straight line up to
// kPowerError above 2^(x - c): a line. A normaliser that is sampled rises with every logit, so it lies between that of all
// x - e and that of all x + e, but for roundings of half a step in each of its two sums of weights, which each may be a line
// too high, and lines that the logarithms of both, and of how many tiles are stood for, are too low. From a log-sum-exp it is
// off by 4 u of itself. Each of three sums of bf16 numbers is rounded by 2^-8.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "gpu/check/references/host_twin.hpp"
#include "gpu/check/references/score_bounds.hpp"
#include "gpu/check/references/signed_scores.hpp"
#include "gpu/functors/group_weights.hpp"

namespace skt::gpu {

// The keys of one kv row, for a row of the step that sees the first `length` of them.
struct GroupKeys {
  std::int64_t length;
  std::function<std::vector<std::int16_t>(std::int64_t)> codes_of;  // [tables]
  std::function<float(std::int64_t)> norm_of;
  std::function<bool(std::int64_t)> is_allowed;
};

// ---- The kernel's arithmetic ----

// A head of the group: its weights of bits, in steps, and what its logits are normalised by.
struct GroupHead {
  FixedWeights weights;
  float normaliser = 0;  // in steps
};

// From half sums [tables, entries]; the normaliser sampled from the keys, or of a natural log-sum-exp.
GroupHead twin_group_head(const CheckCase& c, std::span<const float> half_sums, const GroupKeys& keys);
GroupHead twin_group_head(const CheckCase& c, std::span<const float> half_sums, float log_sum);

// Of a key with these codes: a number of bf16.
float twin_group_score(const CheckCase& c, std::span<const GroupHead> heads, std::span<const std::int16_t> codes,
                       float norm);

// ---- In double ----

struct ExactGroupHead {
  SignedProjections projections;
  double error = 0;               // of a signed sum
  ScoreInterval normaliser = {};  // in which c lies
};

ExactGroupHead exact_group_head(const CheckCase& c, const SignedProjections& projections, const GroupKeys& keys);
ExactGroupHead exact_group_head(const CheckCase& c, const SignedProjections& projections, float log_sum);

ScoreInterval group_score_interval(const CheckCase& c, std::span<const ExactGroupHead> heads,
                                   std::span<const std::int16_t> codes, double norm);

}  // namespace skt::gpu
