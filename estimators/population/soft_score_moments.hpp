// How is one key's soft score spread over tables? Its first three moments, a million keys in seconds.
//
// One plane gives s = (1 + x)/2 with x = T(z) where the key lies on the side of the query's projection z, -T(z) where it
// does not (plane_signal.hpp). At the angle theta from the query's antipode let
//   p = E[T 1{same side}] / E T,   r = E[T^3 1{same side}] / E T^3,
// both from 0 at the antipode to 1/2 at a right angle. With C = E T, V = Var T and K = E (T - C)^3, exactly
//   E s = (1 - C)/2 + C p,   Var s = V/4 + C^2 p (1 - p),
//   8 E (s - E s)^3 = -K + 2 E[T^3] r - 6 C V p + 2 C^3 p (3 - 12 p + 8 p^2).
// No term but the last row cancels, so digits survive at every temperature. Nearer to the query than a right angle the
// key's opposite is taken: its s is 1 - s. A table's score is a product over independent planes, so E s^k of a table is
// that of a plane to the power P. p and r bend near the antipode on the scale of the signal: graded interpolants in the
// angle. Wrong if a moment parted from population_weight, from population_weight_variance or from simulated tables.
#pragma once

#include "estimators/population/graded_interpolant.hpp"
#include "estimators/population/half_angle.hpp"

namespace skt {

// Mean, variance and third central moment.
struct ScoreMoments {
  double mean = 0;
  double variance = 0;
  double third = 0;

  double skewness() const;  // third / variance^(3/2); 0 where that divisor is 0 or below the least double
};

class SoftScoreMoments {
 public:
  // InputError for parameters out of range (parameters.hpp).
  explicit SoftScoreMoments(const PopulationParameters& parameters);

  // Of the score of one table; of its factor for one plane. `half`: half the angle between key and query.
  ScoreMoments of_table(HalfAngle half) const;
  ScoreMoments of_plane(HalfAngle half) const;

  // Of p and r: measured between the nodes, and the quadrature's own. The mean and the variance of a table are
  // polynomials with positive coefficients, of degree P and 2P, in numbers that are known to this, so their relative
  // errors are at most P and 2P times it, and rounding.
  double relative_error() const { return relative_error_; }

 private:
  // E miss, E T, Var T, E T^3 and E (T - E T)^3.
  struct Signal {
    double miss = 0, mean = 0, variance = 0, cube = 0, third = 0;
  };
  static Signal signal_of(const PopulationParameters& parameters);

  Index planes_;
  Signal signal_;
  GradedInterpolant share_, cubed_share_;  // p and r
  double relative_error_;
};

}  // namespace skt
