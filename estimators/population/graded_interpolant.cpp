#include "estimators/population/graded_interpolant.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

namespace skt {
namespace {

// A panel in units of the first one: [0, 1], [1, 2], [2, 4], ...
struct Panel {
  double begin, width;
  explicit Panel(int index) : begin(index == 0 ? 0 : power_of_two(index - 1)), width(index == 0 ? 1 : begin) {}
  double point(double t) const { return begin + width * (t + 1) / 2; }
  double coordinate(double x) const { return 2 * (x - begin) / width - 1; }

 private:
  static double power_of_two(int exponent) {  // by its bits: std::ldexp is slower than the interpolation
    return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
  }
};

// 0 below 1, else 1 + floor(log2 x).
int panel_of(double x) {
  const int exponent = static_cast<int>(std::bit_cast<std::uint64_t>(x) >> 52) - 1023;  // x >= 0
  return std::max(0, exponent + 1);
}

}  // namespace

GradedInterpolant::GradedInterpolant(const std::function<double(double)>& f, double first_width, double end) {
  const int halvings = std::clamp(static_cast<int>(std::ceil(std::log2(end / first_width))), 0, 60);
  panels_ = halvings + 1;
  const double first = std::ldexp(end, -halvings);
  inverse_first_ = 1 / first;
  coefficients_.assign(panels_ * kPoints, 0);
  lengths_.assign(panels_, 1);
  const auto angle = [](double k) { return std::numbers::pi * k / kPoints; };

#pragma omp parallel for schedule(dynamic, 1)
  for (int p = 0; p < panels_; ++p) {
    const Panel panel(p);
    double samples[kPoints];
    for (int k = 0; k < kPoints; ++k) samples[k] = f(first * panel.point(std::cos(angle(k + 0.5))));
    for (int n = 0; n < kPoints; ++n) {
      double sum = 0;
      for (int k = 0; k < kPoints; ++k) sum += samples[k] * std::cos(n * angle(k + 0.5));
      const double c = (n == 0 ? 1.0 : 2.0) / kPoints * sum;
      coefficients_[p * kPoints + n] = c;
      if (std::abs(c) > std::numeric_limits<double>::epsilon() / 4 * std::abs(samples[0])) {
        lengths_[p] = n + 1;
      }
    }
  }
  // The extrema of the next Chebyshev polynomial, where the error of a converging series is largest.
  std::vector<double> errors(panels_, 0);
#pragma omp parallel for schedule(dynamic, 1)
  for (int p = 0; p < panels_; ++p) {
    for (int k : {0, 1, kPoints / 2, kPoints}) {
      const double x = std::fmin(end, first * Panel(p).point(std::cos(angle(k))));
      const double exact = f(x);
      const double error = exact == 0 ? std::abs((*this)(x)) : std::abs((*this)(x)-exact) / std::abs(exact);
      errors[p] = std::max(errors[p], error);
    }
  }
  relative_error_ = *std::max_element(errors.begin(), errors.end());
}

double GradedInterpolant::operator()(double x) const {
  const double scaled = x * inverse_first_;
  const int p = std::min(panel_of(scaled), panels_ - 1);
  const double t = Panel(p).coordinate(scaled);
  const double* c = coefficients_.data() + p * kPoints;
  double older = 0, newer = 0;  // Clenshaw's recurrence
  for (int n = lengths_[p] - 1; n > 0; --n) {
    const double next = 2 * t * newer - older + c[n];
    older = newer;
    newer = next;
  }
  return t * newer - older + c[0];
}

}  // namespace skt
