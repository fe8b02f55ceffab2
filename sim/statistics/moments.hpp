// What are the mean and the variance of a stream of scalars or of vectors, in one pass?
//
// Updates by Welford (1962), merges by Chan, Golub and LeVeque (1983); merging in a fixed order gives the same bits for
// any thread count. A non-finite sample makes the mean and the variance non-finite for good. It would be wrong if a
// merge of parts differed from one pass over the whole by more than rounding.
#pragma once

#include <cstdint>

#include "sim/matrix.hpp"

namespace skt {

// What an interval for a mean takes of a sample.
struct SampleSummary {
  std::uint64_t count = 0;
  double mean = 0;
  double variance = 0;  // unbiased

  double deviation_of_mean() const;  // sqrt(variance / count)
};

class Moments {
 public:
  void add(double x);
  void merge(const Moments& later);

  std::uint64_t count() const { return count_; }
  double mean() const { return mean_; }  // 0 while there is no sample
  double variance() const;               // unbiased; NaN for fewer than two samples
  double deviation_of_mean() const;      // sqrt(variance / count); NaN for fewer than two samples
  SampleSummary summary() const { return {count_, mean(), variance()}; }

 private:
  std::uint64_t count_ = 0;
  double mean_ = 0;
  double squares_ = 0;
};

// Coordinate-wise mean and variance, and the mean squared distance to the mean. The first sample fixes the length;
// std::invalid_argument for another one.
class VectorMoments {
 public:
  void add(const Vector& x);
  void merge(const VectorMoments& later);

  std::uint64_t count() const { return count_; }
  const Vector& mean() const { return mean_; }  // empty while there is no sample
  Vector variance() const;                      // unbiased, per coordinate; NaN for fewer than two samples

 private:
  std::uint64_t count_ = 0;
  Vector mean_;
  Vector squares_;
};

}  // namespace skt
