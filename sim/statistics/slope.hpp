// With which power of x does a measured curve rise or fall?
//
// Weighted least squares of log y on log x. It would be wrong if the interval missed the exponent of an exact power law
// with normal errors more often than its error.
#pragma once

#include <vector>

#include "sim/statistics/intervals.hpp"

namespace skt {

struct CurvePoint {
  double x = 0;          // above 0
  double y = 0;          // above 0
  double deviation = 0;  // standard deviation of y, above 0, errors independent between points
};

struct LogLogSlope {
  double slope = 0;
  double deviation = 0;  // standard deviation of the slope
  Interval interval;     // normal: the deviations of the points count as known
};

// log y has standard deviation deviation / y and a bias of -(deviation / y)^2 / 2, which is left: keep deviation / y
// small. InputError for fewer than two different x, a number that is not finite and above 0, or an error outside
// (0, 1).
LogLogSlope log_log_slope(const std::vector<CurvePoint>& points, double error);

}  // namespace skt
