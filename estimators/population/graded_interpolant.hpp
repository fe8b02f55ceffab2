// How is an expensive positive function on [0, end] evaluated a million times?
//
// Chebyshev interpolation on panels [0, f], [f, 2f], [2f, 4f], ... up to `end`: the panels of
// estimators/quadrature.hpp, on which a function with singularities on the imaginary axis is interpolated with relative
// error (3 + sqrt 8)^-points. The error is measured where it is largest between the nodes.
#pragma once

#include <functional>
#include <vector>

namespace skt {

class GradedInterpolant {
 public:
  // Samples f at 22 points to a panel, on this machine's threads. The first panel is the largest end / 2^k that is not
  // above first_width, k <= 60.
  GradedInterpolant(const std::function<double(double)>& f, double first_width, double end);

  // f(x) for 0 <= x <= end.
  double operator()(double x) const;

  // The largest |interpolant - f| / |f| at four points of each panel between the nodes.
  double relative_error() const { return relative_error_; }

 private:
  static constexpr int kPoints = 22;  // (3 + sqrt 8)^-22 = 1.4e-17

  double inverse_first_ = 0;  // 1 / width of the first panel
  int panels_ = 0;
  std::vector<double> coefficients_;  // [panels, kPoints], of Chebyshev polynomials
  std::vector<int> lengths_;          // [panels], how many of them are above rounding
  double relative_error_ = 0;
};

}  // namespace skt
