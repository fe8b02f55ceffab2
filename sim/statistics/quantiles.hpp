// Below which value does a given share of a sample, or of the law it is drawn from, lie?
//
// It would be wrong if the interval missed a known quantile more often than its error.
#pragma once

#include <vector>

#include "sim/statistics/intervals.hpp"

namespace skt {

// Linear interpolation between the order statistics around (n - 1) level (Hyndman and Fan 1996, definition 7; NumPy's
// default). InputError for an empty sample, one with a number that is not finite, or a level outside 0 .. 1.
double sample_quantile(std::vector<double> sample, double level);

// Contains the quantile inf{x: F(x) >= level} of the law of independent samples with probability >= 1 - error; no other
// assumption (order statistics and binomial tails; David and Nagaraja 2003, section 7.1). An end that the sample is too
// small to bound is infinite. InputError as above, and unless 0 < error < 1.
Interval quantile_interval(std::vector<double> sample, double level, double error);

}  // namespace skt
