// Which mean square of each error term does the exact centre predict at L tables and M samples?
//
// Sampling at every L and M; the others as limits in L, with the leading correction as their error. A prediction that
// is off would show as a measured mean square that misses it, and by the numbers worked out by hand in the tests.
#pragma once

#include "estimators/error_terms/exact_terms.hpp"

namespace skt {

// Relative distance of L E||y_{tau,L} - y_tau||^2 to its limit C. With A = n~ - Z~ y_tau and d = Z~/Z_tau - 1 of mean
// zero, ||y_{tau,L} - y_tau||^2 = ||A||^2/(Z_tau^2 (1 + d)^2), so the correction is -2 E||A||^2 d + 3 E||A||^2 d^2 over
// E||A||^2. For L independent tables with Var d = v/L the first is at most 2 sqrt(v) r/L, r the relative spread of
// ||A||^2 for one table, counted as 1; the second at most 9 v/L for A and d jointly normal.
double limit_correction(const Centre& centre, double tables);

// E||y_{tau,L} - y_tau||^2 = C/L, with the correction as its error.
Estimate finite_tables_mean_square(const Centre& centre, double tables);

// How far rounding can take a measured output from the exact one: two sums over the keys with normalised weights, each
// off by at most 2 keys + value_dim + 4 roundings of the longest value.
double output_rounding(const Instance& instance, double largest_value);

// A mean square of lengths that are measured up to `rounding`: within 2 rounding sqrt(mean square) + rounding^2.
Estimate measured_mean_square(const Estimate& exact, double rounding);

// (S1^2 - ||y||^2)/M given the tables, from its mean over the tables drawn. S1 and ||y||, sums over keys with
// normalised weights, are off by at most 2 keys + value_dim + 4 roundings of S1 <= max ||v||, their squares by twice
// as many. Where one key has all the weight nothing else is left.
Estimate sampling_mean_square(double expected_given_tables, const Instance& instance, const Setting& setting,
                              double largest_value);

// E||T - y*||^2: T is unbiased given the tables, so the sampling term adds; y_{tau,L} has a mean of its own of order
// 1/L, which meets the bias in a cross term. Limits in L are widened alike.
Estimate total_mean_square(const Centre& centre, const Setting& setting, const Estimate& sampling);

}  // namespace skt
