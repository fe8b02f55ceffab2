// What does one plane of the query contribute, as a function of its projection z = w.q/|q| >= 0?
//
// beta(z) = S tanh(a z) with a = |q| and S = s/tau; the soft bit agrees with the sign of z with probability
// sigma(2 beta) and misses it with miss(z) = sigma(-2 beta); T(z) = tanh(beta) = 1 - 2 miss(z). Both are computed
// directly, since rounding would lose either one from the other.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

#include "estimators/population/parameters.hpp"
#include "estimators/quadrature.hpp"

namespace skt {

struct PlaneSignal {
  double norm = 0;      // a = |q|
  double strength = 0;  // S = s/tau

  double miss(double z) const { return 1 / (1 + std::exp(2 * strength * std::tanh(norm * z))); }
  double tanh_beta(double z) const { return std::tanh(strength * std::tanh(norm * z)); }

  // On what scale of z they change: their poles lie on the imaginary axis, the nearest at atan(pi/(2S))/a.
  double scale() const { return 1 / (norm * std::max(1.0, strength)); }
};

// Throws InputError naming the parameter that is out of range.
PlaneSignal plane_signal(const PopulationParameters& parameters);

// cot of the angle to the query, rho/sqrt(1 - rho^2); infinite for +-1. Throws InputError if rho is no cosine.
double cotangent(Cosine rho);

// Distribution function of N(0,1), accurate in relative terms in the lower tail.
inline double normal_cdf(double x) {
  return std::erfc(-x / std::numbers::sqrt2) / 2;
}

// E f(|z|) for z ~ N(0,1) and an f that changes on no scale below `scale`. Beyond z = 10 lies a share
// 2 Phi(-10) = 1.5e-23 of the mass; no integrand here is larger there than polynomial growth makes it.
template <class F>
Estimate mean_over_projection(F&& f, double scale) {
  constexpr double kDensity = 2 / (std::numbers::sqrt2 / std::numbers::inv_sqrtpi);  // 2/sqrt(2 pi)
  return integrate_graded([&](double z) { return kDensity * std::exp(-z * z / 2) * f(z); }, 0, 10,
                          std::min(1.0, scale));
}

// E T(z)^2; with norm a sigma it is E T(sigma z)^2.
Estimate squared_signal(const PlaneSignal& signal);

}  // namespace skt
