// How well does a per-plane score s correlate with q.k? (Lemma 6 and Remark 7)
//
// With x = Wq for orthonormal rows, |q| = 1 and C = sqrt(2/pi): Gamma(s) = C x.s/|s|. For the statements and for the
// adversarial search. It would be wrong if Gamma(x) differed from C|x|_2.
#pragma once

#include <cmath>
#include <numbers>

#include "sim/matrix.hpp"
#include "sim/number.hpp"

namespace skt {

inline double projection_constant() {
  return std::sqrt(2 / std::numbers::pi);  // C
}
inline double gamma_of(const Vector& x, const Vector& s) {
  return projection_constant() * x.dot(s) / s.norm();
}
inline double gamma_hard(const Vector& x) {
  return projection_constant() * x.lpNorm<1>() / std::sqrt(real(x.size()));
}
inline double gamma_soft(const Vector& x) {
  return gamma_of(x, x.array().tanh().matrix());
}
inline double gamma_most(const Vector& x) {
  return projection_constant() * x.norm();
}

}  // namespace skt
