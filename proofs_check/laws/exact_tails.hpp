// On the instances whose law is binomial: how probable, exactly, is a deviation beyond a bound, and within which distance
// does the error stay with probability 1 - delta?
//
// A bound that holds with probability 1 - delta is at least this quantile, and the ratio of the two says how tight the
// bound is. It would be wrong if a smaller distance were enough: the tests work small cases out by hand.
#pragma once

#include <cstdint>

namespace skt {

// P(|Bin(n, p)/n - p| > t), t >= 0.
double binomial_deviation(std::uint64_t n, double p, double t);

// P(Bin(n, p)/n < x).
double binomial_below(std::uint64_t n, double p, double x);

// P(|T| > t), t > 0, for T a mean of M > 0 signs that are + with probability p.
double sign_mean_deviation(std::uint64_t samples, double p, double t);

// P(|T| > t), t > 0, for T a mean of M signs that are + with probability H/L, H ~ Bin(L, 1/2): the error of the whole
// estimator on I-TWO as tau -> 0. Without samples (M = 0), T = 2H/L - 1.
double two_stage_deviation(std::uint64_t tables, std::uint64_t samples, double t);

// P(X_1 + .. + X_n >= 0) for independent steps that are +1 with probability `up`, -1 with `down`, otherwise 0: the
// difference of two keys' scores over n tables of one hard plane.
double three_valued_sum_not_negative(double up, double down, std::uint64_t steps);

// The least t with P(|T| > t) <= delta, T as in two_stage_deviation. tables > 0, 1e-20 < delta < 1.
double two_stage_quantile(std::uint64_t tables, std::uint64_t samples, double delta);

}  // namespace skt
