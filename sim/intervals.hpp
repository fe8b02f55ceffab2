// Confidence intervals. Each contains the true value with probability >= 1 - error for the stated assumption.
#pragma once

#include <cstdint>

#include "sim/moments.hpp"

namespace skt {

struct Interval {
  double lo = 0;
  double hi = 0;
  double width() const { return hi - lo; }
  bool contains(double x) const { return lo <= x && x <= hi; }
};

// Of a binomial proportion (exact; Clopper and Pearson 1934). InputError unless successes <= trials, trials > 0.
Interval clopper_pearson(std::uint64_t successes, std::uint64_t trials, double error);

// Of a mean of normal (or many) samples with unknown variance. InputError for fewer than two samples.
Interval student(const Moments& moments, double error);

// Of a mean of samples in an interval of length `range` (Maurer and Pontil 2009, two-sided). No other assumption.
Interval empirical_bernstein(const Moments& moments, double range, double error);

// Of a mean of samples whose standard deviation is known (normal limit).
Interval known_deviation(const Moments& moments, double deviation, double error);

}  // namespace skt
