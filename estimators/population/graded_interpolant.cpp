#include "estimators/population/graded_interpolant.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "sim/number.hpp"

namespace skt {
namespace {

// A panel in units of the first one: [0, 1], [1, 2], [2, 4], ...
struct Panel {
  double begin, width;
  explicit Panel(int index) : begin(index == 0 ? 0 : std::ldexp(1, index - 1)), width(index == 0 ? 1 : begin) {}
  double point(double t) const { return begin + width * (t + 1) / 2; }
};

// Chebyshev coefficients, c[0] + c[1] T_1 + .., of what has these values at the zeros of the next polynomial.
template <std::size_t count>
std::array<double, count> chebyshev_coefficients(const std::array<double, count>& values) {
  std::array<double, count> c{};
  for (std::size_t n = 0; n < count; ++n) {
    for (std::size_t k = 0; k < count; ++k)
      c[n] += values[k] * std::cos(std::numbers::pi * real(n) * (real(k) + 0.5) / real(count));
    c[n] *= (n == 0 ? 1.0 : 2.0) / real(count);
  }
  return c;
}

template <std::size_t count>
double chebyshev_zero(std::size_t k) {
  return std::cos(std::numbers::pi * (real(k) + 0.5) / real(count));
}

// Clenshaw's recurrence.
template <std::size_t count>
double chebyshev_sum(const std::array<double, count>& c, double t) {
  double older = 0, newer = 0;
  for (std::size_t n = count - 1; n > 0; --n) older = std::exchange(newer, 2 * t * newer - older + c[n]);
  return t * newer - older + c[0];
}

// The same polynomial in powers of t.
template <std::size_t count>
std::array<double, count> powers_of(const std::array<double, count>& chebyshev) {
  std::array<double, count> powers{}, older{}, newer{};  // T_{n-1}, T_n
  newer[0] = 1;
  for (std::size_t n = 0; n < count; ++n) {
    std::array<double, count> next{};
    for (std::size_t k = 0; k < count; ++k) {
      powers[k] += chebyshev[n] * newer[k];
      next[k] = (k == 0 ? 0 : (n == 0 ? 1 : 2) * newer[k - 1]) - older[k];
    }
    older = std::exchange(newer, next);
  }
  return powers;
}

}  // namespace

GradedInterpolant::GradedInterpolant(const std::function<double(double)>& f, double first_width, double end) {
  const int halvings = std::clamp(static_cast<int>(std::ceil(std::log2(end / first_width))), 0, 60),
            panels = halvings + 1;
  const double first = std::ldexp(end, -halvings);
  inverse_first_ = 1 / first;
  pieces_.resize(panels * kPiecesOfPanel);
  std::vector<double> errors(panels, 0), deviations(panels, 0);

#pragma omp parallel for schedule(dynamic, 1)
  for (int p = 0; p < panels; ++p) {
    const Panel panel(p);
    std::array<double, kPoints> samples;
    for (std::size_t k = 0; k < kPoints; ++k) samples[k] = f(first * panel.point(chebyshev_zero<kPoints>(k)));
    const auto of_panel = chebyshev_coefficients(samples);
    const double scale = std::abs(*std::ranges::max_element(samples, {}, [](double x) { return std::abs(x); }));
    for (int i = 0; i < kPiecesOfPanel; ++i) {
      const double half = 1.0 / kPiecesOfPanel, centre = (2 * i + 1) * half - 1;  // in [-1, 1] of the panel
      std::array<double, kTerms> values;
      for (std::size_t k = 0; k < kTerms; ++k)
        values[k] = chebyshev_sum(of_panel, centre + half * chebyshev_zero<kTerms>(k));
      const Piece piece{panel.point(centre), 2 / (panel.width * half), powers_of(chebyshev_coefficients(values))};
      for (const double t : {centre - half, centre, centre + half}) {
        const double deviation = std::abs(piece.at(panel.point(t)) - chebyshev_sum(of_panel, t));
        if (deviation > 0) deviations[p] = std::max(deviations[p], deviation / scale);
      }
      pieces_[p * kPiecesOfPanel + i] = piece;
    }
  }
  // The extrema of the next Chebyshev polynomial, where the error of a converging series is largest.
#pragma omp parallel for schedule(dynamic, 1)
  for (int p = 0; p < panels; ++p) {
    for (int k : {0, 1, static_cast<int>(kPoints) / 2, static_cast<int>(kPoints)}) {
      const double x = std::fmin(end, first * Panel(p).point(std::cos(std::numbers::pi * k / kPoints)));
      const double exact = f(x);
      const double error = exact == 0 ? std::abs((*this)(x)) : std::abs((*this)(x)-exact) / std::abs(exact);
      errors[p] = std::max(errors[p], error);
    }
  }
  relative_error_ =
      *std::max_element(errors.begin(), errors.end()) + *std::max_element(deviations.begin(), deviations.end());
}

}  // namespace skt
