// Running mean and variance of a scalar or of a vector, mergeable in a fixed order (Chan, Golub, LeVeque 1983).
#pragma once

#include <cstdint>

#include "sim/matrix.hpp"

namespace skt {

class Moments {
 public:
  void add(double x);
  void merge(const Moments& later);

  std::uint64_t count() const { return count_; }
  double mean() const { return mean_; }
  double variance() const;            // unbiased; NaN for fewer than two samples
  double deviation_of_mean() const;   // sqrt(variance / count)

 private:
  std::uint64_t count_ = 0;
  double mean_ = 0;
  double squares_ = 0;
};

// Coordinate-wise mean and variance, and the mean squared distance to the mean.
class VectorMoments {
 public:
  void add(const Vector& x);
  void merge(const VectorMoments& later);

  std::uint64_t count() const { return count_; }
  const Vector& mean() const { return mean_; }
  Vector variance() const;      // unbiased, per coordinate
  double total_variance() const;  // sum of variance()

 private:
  std::uint64_t count_ = 0;
  Vector mean_;
  Vector squares_;
};

}  // namespace skt
