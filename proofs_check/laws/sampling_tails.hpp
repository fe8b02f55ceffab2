// How often does the sampling estimator T leave a radius about its mean?
//
// Exactly where its law is a binomial or can be enumerated, counted over draws elsewhere. It would be wrong if the
// chances of an enumeration did not sum to 1, or if counted draws left a radius more often than the enumeration says.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "sim/matrix.hpp"
#include "sim/randomness.hpp"

namespace skt {

// X = -1 with probability `minority`, otherwise 1: P(|T - y| > radius) of `samples` draws. A radius that is met within
// rounding is not left.
double signs_outside(std::uint64_t samples, double minority, double radius);

// The law of |T - y + u| over all sequences of draws, keys^samples of them.
struct SampledErrorLaw {
  std::vector<double> chances, squares;

  double mean() const;      // of the square
  double variance() const;  // of the square
  double outside(double radius) const;
};
SampledErrorLaw enumerated_errors(const Vector& weights, const Matrix& values, Index samples, const Vector& offset);

// Independent draws of T, each with a radius that may depend on the rows drawn.
struct SampledErrors {
  std::vector<double> errors, radii;

  std::uint64_t outside() const;
  double mean_radius() const;
  // Mean radius over the sample quantile of the errors.
  double radius_over_quantile(double level) const;
  void merge(const SampledErrors& later);
};
using RadiusOfRows = std::function<double(const Matrix& drawn_rows)>;
SampledErrors drawn_errors(Seed seed, const Vector& weights, const Matrix& values, Index samples, std::uint64_t trials,
                           const RadiusOfRows& radius);

}  // namespace skt
