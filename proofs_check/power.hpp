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
// - A proportion (an interval that is the Clopper-Pearson interval of a whole number of hits in `trials`): exact. Let
//   k be the least number of hits whose interval lies above the claim; the binomial law with success probability p
//   reaches k with probability 0.99 where p is the upper Clopper-Pearson limit of k - 1 hits at one-sided error 0.01.
//   Likewise below.
//
// It would be wrong if planted deviations of this size were missed more often than once in a hundred repetitions, or if
// half of it were seen as often: tests/proofs_check/power_test.cpp counts both.
#pragma once

#include "proofs_check/evidence.hpp"

namespace skt {

inline constexpr double kPower = 0.99;

// NaN where no deviation can be seen: evidence that judge cannot use, or a claim that no proportion can break.
double visible_deviation(const Evidence& evidence);

// How far the middle of the observed interval lies beyond the claimed value, on a side that the claim excludes;
// negative where it keeps the claim with room to spare.
double distance_from_claim(const Evidence& evidence);

}  // namespace skt
