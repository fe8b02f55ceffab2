// How large can the mean of independent samples of [0, 1] be?
//
// Against each mean m a gambler bets that the samples are smaller: a capital of 1 is multiplied by 1 - l_i (y_i - m) for
// each sample, with l_i chosen from the samples before it. If m is the mean, the capital is never negative and keeps its
// expectation, so it reaches 1/error with probability at most `error` (Markov; Waudby-Smith and Ramdas 2024, the
// predictable plug-in of their Theorem 3, one-sided). The capital rises with m: the means not yet refuted are those up to
// a limit. No other assumption, and none on the variance: small variances are bet on harder.
//
// It would be wrong if l_i looked at sample i, or a factor could be negative; tests/sim/statistics/betting_test.cpp.
#pragma once

#include <span>

namespace skt {

// Most of the capital is never put on one sample: l_i (1 - m) <= 0.95. A sample of 1 costs a factor of 20 at most.
inline constexpr double kMostStaked = 0.95;

// The logarithm of the capital against the mean m, in the order of the samples; rises with m. The bets are those that
// would be best for `error`.
double log_capital_against(double m, std::span<const double> samples, double error);

// The mean exceeds it with probability at most `error`; 1 where no mean is refuted. InputError for no sample, one
// outside [0, 1] (NaN too), or an error outside (0, 1).
double mean_limit_by_betting(std::span<const double> samples, double error);

}  // namespace skt
