// How is a key's soft score over L tables distributed, where three moments do not say it?
//
// Cold scores are nearly counts of hits: many small ones and a few near 1, far from any law with three moments. But the
// whole law depends on the key by its angle alone, so it is computed at a few angles and interpolated between. At one
// angle: the law of log s of one plane on a grid; its P-fold convolution, carried over to a grid of s, is the law of one
// table; the L-fold convolution of that is the law of the sum (both by Fourier transforms, mass split between grid
// points so that means are kept). Numerical error about 1e-3 in a probability, more (.01) in the lowest hundredth of a
// cold law, which lies within a few grid points. Wrong if its moments parted from soft_score_moments.hpp, the cold limit
// from the binomial law, or simulated scores from it.
#pragma once

#include <vector>

#include "estimators/population/parameters.hpp"

namespace skt {

class SoftScoreLaw {
 public:
  // For angles to the query from least to most, in [0, pi]. InputError for parameters out of range, tables below 1 or
  // angles that are not in order.
  SoftScoreLaw(const PopulationParameters& parameters, Index tables, double least_angle, double most_angle);

  // P(mean of the scores over the tables > x), in [0, 1], at each of the angles that the law is computed at.
  std::vector<double> tails(double x) const;

  // Of such values, the one at any angle in the range, in [0, 1].
  double at_angle(const std::vector<double>& tails, double angle) const;

  // Above every mean that is told from the largest one.
  double most_score() const { return most_score_; }

 private:
  std::vector<double> angles_;              // Chebyshev points of the range
  std::vector<double> weights_;             // barycentric
  std::vector<std::vector<double>> above_;  // [angles, grid]: P(sum > grid point)
  double step_ = 0;                         // of the grid, as a mean over tables
  double most_score_ = 0;
};

}  // namespace skt
