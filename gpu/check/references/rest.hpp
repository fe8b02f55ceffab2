// What must a step read of the rest of a list, and say of it?
//
// The draws once more in plain loops, which share with the kernel weights, probabilities and words
// (gpu/functors/rest_sample.hpp): the same keys, in every bit. The results in double over these keys, from the log-sum-exp that
// the device wrote, with the interval in which they must lie.
//
// Interval, u = 2^-24: a logit is off by E = logit u max |q||k| s (AttentionUnits in gpu/check/references/attention.hpp).
// With the log-sum-exp, the largest logit, which sums are relative to, and the exponentials of base 2 a weight is off
// relatively by
//   rho = E + 8 u (|logit| + |largest logit| + |log-sum-exp|) + 20 u,
// a sum of n of them by (n + 64) u more, a vector on the tensor cores by (n + 280) u more. The ceiling b is off by
// beta = (8 u ln 2) (octaves of all its parts) + (2 dim + 40) u.
// A loss -log(1 - lambda share b) rises with the share, weight over b, so that the limit lies between that of weights and
// ceilings that are all low and all high, but for (n + 64) u. It would be wrong if a bet of more than 1/b, or a weight that is not
// divided by its probability, lay within: tests/gpu/check/references/rest_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpu/check/problems/problem.hpp"
#include "gpu/check/references/score_bounds.hpp"

namespace skt::gpu {

// The row of one list, as the device scored it.
struct RestRow {
  std::vector<float> scores;  // [length]; -infinity where forbidden
  std::vector<float> norms;   // [length], of the keys
  std::span<const std::int32_t> list;
  std::int64_t sink = 0, window = 0;
  bool of_group = false;   // scores are sums of the heads' weights
  float weight_scale = 0;  // of lists of one head
};

struct RestDraw {
  std::int64_t samples;
  std::uint64_t seed;
  std::uint32_t row, step;
};

struct TwinRest {
  std::vector<std::int32_t> keys;   // rising
  std::vector<std::uint32_t> last;  // words that draw them
  std::uint32_t drawn = 0;          // beside them listed keys
  std::uint32_t candidates = 0;     // that may be of the rest
  float rate = 0;                   // n / W
  float normaliser = 0;             // of a list of one head, in steps
  float norm = 0, score = 0;        // as DrawnRow has them (gpu/rest/arguments.hpp)
};
TwinRest twin_rest(const RestRow& row, const RestDraw& draw);

// What the ceilings of one head are made of.
struct RestHead {
  float log_sum_exp = 0;  // as the device wrote it
  float normaliser = 0;   // of a group, in steps
  float projection = 0;   // the largest, of the device's half sums
};
struct RestPlan {
  std::int64_t samples;
  float delta, radius;
};

struct ExactRest {
  bool is_judged = true;  // else a logit has no error that says anything, as of huge numbers
  bool in_range = true;   // else a weight leaves fp32: the limit must be 1
  bool may_be_unknown = false, must_be_unknown = false;
  ScoreInterval weight, limit, nominal;
  std::vector<double> output, tolerance;  // [dim], with the rest
};

// Of query head `head` of [batch, heads]; `output` [dim] over the list, as the device wrote it.
ExactRest exact_rest(const CheckCase& c, const Problem& problem, std::int64_t head, const TwinRest& rest,
                     const RestHead& of, const RestPlan& plan, std::span<const float> output);

}  // namespace skt::gpu
