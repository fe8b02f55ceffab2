// How probable is it that another key's score reaches that of a given key, at most?
//
// Source: docs/bounds/selection.md, Theorem 11: P(s_i >= s_j over L tables) <= min_{x >= 0}
// (E e^{x(s_i - s_j)})^L, the expectation of one table from the moments E m_i^a m_j^b of one plane's factors. Each of
// those is a quadrature over the query's projection z with the probability that both keys agree with it, Owen's T
// function. What quadrature, rounding and the cut of the power series can add is added. It would be wrong if it were
// below the probability on a plane whose bits follow a law of three values, or far above its closed form there.
#pragma once

#include <array>

#include "estimators/population/parameters.hpp"

namespace skt {

// How two keys lie to the query: the cotangents of their angles to it, and the cosine of the angle between the two
// planes that each spans with it.
struct Competitor {
  double cotangent = 0;      // of the competitor, infinite for +-1
  double turn_cosine = 0;    // -1 .. 1
  double key_cotangent = 0;  // of the key that is to be kept
};

// P(g_i <= cotangent z, g_j <= key_cotangent z) for standard normals of correlation turn_cosine, z > 0: both keys' bits
// agree with the query's. Absolute error of a few rounding units.
double both_agree(const Competitor& pair, double z);

// Upper bounds of E e^{x(s_i - s_j)} of one table as a function of x, minimised.
class ScoreDifference {
 public:
  ScoreDifference(const PopulationParameters& parameters, const Competitor& pair);

  // At least E e^{u (s_i - s_j)/largest score}, u >= 0.
  double exponential_moment(double u) const;

  // At least min over u of it, at most 1.
  double least_moment() const;

 private:
  static constexpr int kDegree = 64;
  std::array<double, kDegree + 1> coefficients_{};  // of u^k, each not below the exact one
  double range_ = 0;                                // |s_i - s_j|/largest score is at most this
};

}  // namespace skt
