// Between which limits does an estimated quantity lie?
//
// Each interval contains the true value with probability >= 1 - error under the assumption stated with it; `error` in
// (0, 1), else InputError. Non-finite moments give a non-finite interval, which contains no number. An interval would
// be wrong if it missed a known truth more often than its error; tests/sim/statistics/intervals_test.cpp counts that.
#pragma once

#include <cstdint>

#include "sim/statistics/moments.hpp"

namespace skt {

struct Interval {
  double lo = 0;
  double hi = 0;
  double width() const { return hi - lo; }
  bool contains(double x) const { return lo <= x && x <= hi; }
};

// Of a binomial proportion (exact; Clopper and Pearson 1934). InputError unless successes <= trials, trials > 0.
Interval clopper_pearson(std::uint64_t successes, std::uint64_t trials, double error);

// Of a mean of normal samples with unknown variance. Of skewed ones the error is nominal, and missed by a factor that
// the number of samples brings down slowly. InputError for fewer than two samples.
Interval student(const SampleSummary& samples, double error);

// Of a mean of samples in an interval of length `range` (Maurer and Pontil 2009, Theorem 4, two-sided). No other
// assumption. InputError for fewer than two samples or a range that is negative or not finite.
//
// Where the constants come from, one side at error e: Bernstein gives sigma sqrt(2 log(1/e)/n) + log(1/e)/(3n), the
// concentration of the sample deviation sigma <= sqrt(V) + sqrt(2 log(1/e)/(n - 1)), each with half of e. The product
// of the two roots is at most 2 log(2/e)/(n - 1), and 2 + 1/3 = 7/3.
Interval empirical_bernstein(const SampleSummary& samples, double range, double error);

// Of a mean of normal samples whose standard deviation is known; of others the error is nominal. InputError for no
// sample or a deviation that is negative or not finite.
Interval known_deviation(const SampleSummary& samples, double deviation, double error);

inline Interval student(const Moments& moments, double error) {
  return student(moments.summary(), error);
}
inline Interval empirical_bernstein(const Moments& moments, double range, double error) {
  return empirical_bernstein(moments.summary(), range, error);
}
inline Interval known_deviation(const Moments& moments, double deviation, double error) {
  return known_deviation(moments.summary(), deviation, error);
}

}  // namespace skt
