#include "estimators/population/half_angle.hpp"

#include <fmt/format.h>

#include <cmath>

#include "sim/require.hpp"

namespace skt {

HalfAngle HalfAngle::of_cosine(double cosine) {
  return {std::sqrt((1 - cosine) / 2), std::sqrt((1 + cosine) / 2)};
}

HalfAngle HalfAngle::between(const Vector& a, const Vector& b) {
  const double difference = (a - b).norm(), sum = (a + b).norm();
  const double twice = std::hypot(difference, sum);  // 2 but for rounding
  return {difference / twice, sum / twice};
}

Cosine HalfAngle::cosine_of_angle() const {
  const double smaller = std::fmin(sine, cosine);
  const double complement = 2 * smaller * smaller;
  if (complement > 0.5) return Cosine::of((cosine - sine) * (cosine + sine));
  return {std::copysign(1 - complement, cosine - sine), complement};
}

double HalfAngle::cotangent_of_angle() const {
  return (cosine - sine) * (cosine + sine) / (2 * sine * cosine);
}

Vector unit_or_zero(const Vector& x, const char* what) {
  const double norm = x.stableNorm();
  if (!std::isfinite(norm)) refuse("{} has the norm {}: allowed are finite ones", what, norm);
  if (norm == 0) return x;
  const Vector scaled = x / norm;
  return scaled / scaled.norm();  // the quotient by a subnormal norm has not the length 1
}

}  // namespace skt
