#include "proofs_check/inequalities/plane_score_correlation.hpp"

#include <cmath>
#include <numbers>

#include "sim/number.hpp"

namespace skt {

double projection_constant() {
  return std::sqrt(2 / std::numbers::pi);
}
double gamma_of(const Vector& x, const Vector& s) {
  return projection_constant() * x.dot(s) / s.norm();
}
double gamma_hard(const Vector& x) {
  return projection_constant() * x.lpNorm<1>() / std::sqrt(real(x.size()));
}
double gamma_soft(const Vector& x) {
  return gamma_of(x, x.array().tanh().matrix());
}
double gamma_most(const Vector& x) {
  return projection_constant() * x.norm();
}

}  // namespace skt
