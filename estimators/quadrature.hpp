// How is an integral computed whose integrand has features at widely different distances from one end?
//
// Panels that double in width away from that end, a 15/31-point Gauss-Kronrod rule (Boost.Math) on each. A panel
// [x, 2x] sees a singularity on the imaginary axis from outside a Bernstein ellipse of parameter 3 + sqrt 8, so the
// 15-point rule already errs by less than (3 + sqrt 8)^-30 = 1e-23 of the integrand there; the difference of the two
// rules is reported, and would show a first panel that is too wide.
#pragma once

#include <algorithm>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <limits>

#include "sim/number.hpp"

namespace skt {

// visit(begin, end) for the panels of [a, b], 0 <= a <= b, graded towards 0: the first has the width first_width >= 0, each
// next one that of its distance to 0.
template <class Visit>
void for_each_panel(double a, double b, double first_width, Visit&& visit) {
  for (double x = a; x < b;) {
    const double end = std::fmin(b, x + std::max({x, first_width, std::numeric_limits<double>::min()}));
    visit(x, end);
    x = end;
  }
}

// int_a^b f(x) dx on these panels. The error is the sum of the differences of the two rules, two rounding units for each
// evaluation of |f| and half a unit for each addition.
template <class F>
Estimate integrate_graded(F&& f, double a, double b, double first_width) {
  using Rule = boost::math::quadrature::gauss_kronrod<double, 31>;
  constexpr double kRounding = std::numeric_limits<double>::epsilon();
  Estimate sum;
  for_each_panel(a, b, first_width, [&](double x, double end) {
    const double middle = (x + end) / 2, half = (end - x) / 2;
    double difference = 0, magnitude = 0;
    sum.value += half * Rule::integrate([&](double t) { return f(middle + half * t); }, -1.0, 1.0, 0, 0.0, &difference,
                                        &magnitude);
    sum.error += half * (difference + 2 * kRounding * magnitude) + kRounding / 2 * std::abs(sum.value);
  });
  return sum;
}

}  // namespace skt
