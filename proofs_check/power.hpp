// How large a deviation from its claim would a piece of evidence have shown?
//
// The power at 0.99: the smallest d such that, if the truth lay d beyond the claimed value on a side that the claim
// excludes, a repetition of the measurement would be refuted with probability at least 0.99. Of an equality both sides
// count, and the larger d is given. With error share a and half-width h of the interval:
//
// - No randomness (a = 0): `observed` holds the truth. A truth beyond claimed_error plus the width has the whole
//   interval outside the claim: d = claimed_error + 2h, which is claimed_error for a number known exactly.
// - A mean: the interval is X +- h with h >= z_{1-a/2} s, X normal with the deviation s of a mean of many samples, and
//   is refuted where X passes the claim by more than claimed_error + h. X falls short of the truth by more than
//   z_{0.99} s in one repetition of a hundred: d = claimed_error + h + z_{0.99} s <= claimed_error +
//   h (1 + z_{0.99}/z_{1-a/2}). For the empirical Bernstein interval h is larger than z s, and d is an upper bound.
// - A proportion: exact. Let k be the least number of hits whose interval lies above the claim; the binomial law with success probability p
//   reaches k with probability 0.99 where p is the upper Clopper-Pearson limit of k - 1 hits at one-sided error 0.01.
//   Likewise below.
//
// It would be wrong if planted deviations of this size were missed more often than once in a hundred repetitions, or if
// half of it were seen as often: tests/proofs_check/power_test.cpp counts both.
#pragma once

#include <optional>
#include <vector>

#include "proofs_check/evidence.hpp"

namespace skt {

inline constexpr double kPower = 0.99;

// NaN where no deviation can be seen: evidence that judge cannot use, or a claim that no proportion can break.
double visible_deviation(const Evidence& evidence);

// How far the middle of the observed interval lies beyond the claimed value, on a side that the claim excludes;
// negative where it keeps the claim with room to spare.
double distance_from_claim(const Evidence& evidence);

// What `visible_deviation` means. For a number known without chance it is the rounding and the error of the claim: on
// the instances that were tried everything beyond would have shown, and of others it says nothing.
enum class Visibility { of_the_truth, on_instances_tried };
Visibility visibility_of(const Evidence& evidence);

// By which factors could the claimed value be multiplied so that this evidence would refute the claim? By every factor
// in (0, below) and by every one above `above`. A claim "at most" has the first only, "at least" the second, an equality
// both. With an observation of at least lo and at most hi, and a claim c > 0 known up to e:
//
//   below = (lo - e)/c     above = (hi + e)/c
//
// Empty where no factor refutes, for claims that are not above 0 (a factor keeps 0, and turns the others round), and
// where the numbers are not finite. Of several pieces all claims are multiplied by the same factor and one refutation is
// enough: the largest `below`, the smallest `above`.
struct RefutedFactors {
  std::optional<double> below{};
  std::optional<double> above{};
};
RefutedFactors refuted_factors(const Evidence& evidence);
RefutedFactors refuted_factors(const std::vector<Evidence>& evidence);

}  // namespace skt
