// The angle between two vectors without loss of digits near 0 and pi: half of it, by its sine and cosine.
#pragma once

#include "estimators/population/parameters.hpp"
#include "sim/matrix.hpp"

namespace skt {

struct HalfAngle {
  double sine = 0;
  double cosine = 1;

  static HalfAngle of_cosine(double cosine);  // of the whole angle, in [-1, 1]

  // Between two unit vectors, from the lengths of their difference and sum.
  static HalfAngle between(const Vector& a, const Vector& b);

  Cosine cosine_of_angle() const;
  double cotangent_of_angle() const;  // +-infinity at 0 and pi
};

// x/|x|, or zero for x = 0. Throws InputError, naming `what`, for a vector that is not finite.
Vector unit_or_zero(const Vector& x, const char* what);

}  // namespace skt
