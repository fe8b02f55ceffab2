// g of a million keys: an interpolant of the plane agreement in the angle to the query.
//
// g(theta) - g(pi) = (1/pi) int_theta^pi E[T(sin(theta') r)] dtheta' with r a Rayleigh variable: smooth but for theta
// near 0 and pi, where it bends on the scale of the signal. So it is interpolated in the distance from the antipode,
// graded towards 0, and taken as 1 - g of the mirrored key on the query's own side.
#pragma once

#include "estimators/population/graded_interpolant.hpp"
#include "estimators/population/half_angle.hpp"

namespace skt {

class AgreementInterpolant {
 public:
  explicit AgreementInterpolant(const PopulationParameters& parameters);

  double operator()(HalfAngle half) const;

  // Of min(g, 1 - g): measured between the nodes, and the quadrature's own.
  double relative_error() const { return relative_error_; }

 private:
  GradedInterpolant below_right_angle_;  // g at an angle of 0 .. pi/2 from the antipode
  double relative_error_;
};

}  // namespace skt
