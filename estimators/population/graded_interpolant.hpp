// How is an expensive positive function on [0, end] evaluated a million times?
//
// Chebyshev interpolation on panels [0, f], [f, 2f], [2f, 4f], ... up to `end`: the panels of
// estimators/quadrature.hpp, on which a function with singularities on the imaginary axis is interpolated with relative
// error (3 + sqrt 8)^-points. Each panel is cut into pieces with a polynomial of low degree, which is quicker: the
// singularities are 64 times the half width of a piece away. The error is measured where it is largest between the nodes,
// and that of a piece against its panel.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <vector>

namespace skt {

class GradedInterpolant {
 public:
  // Samples f at 22 points to a panel, on this machine's threads. The first panel is the largest end / 2^k that is not
  // above first_width, k <= 60.
  GradedInterpolant(const std::function<double(double)>& f, double first_width, double end);

  // f(x) for 0 <= x <= end.
  double operator()(double x) const {
    const double scaled = x * inverse_first_;
    // From 1 on the exponent and the first digits of a number count the pieces.
    const auto bits = std::bit_cast<std::uint64_t>(scaled);
    const std::size_t at = scaled < 1 ? static_cast<std::size_t>(scaled * kPiecesOfPanel)
                                      : (bits >> (52 - kPieceBits)) - ((std::uint64_t{1023} - 1) << kPieceBits);
    return pieces_[std::min(at, pieces_.size() - 1)].at(scaled);
  }

  // The largest |interpolant - f| / |f| at four points of each panel between the nodes, plus the largest deviation of a
  // piece from its panel's polynomial, at its ends and middle, in units of the largest value of the panel.
  double relative_error() const { return relative_error_; }

 private:
  static constexpr std::size_t kPoints = 22;  // (3 + sqrt 8)^-22 = 1.4e-17
  static constexpr int kPieceBits = 5, kPiecesOfPanel = 1 << kPieceBits;
  static constexpr std::size_t kTerms = 10;  // (64 + 64)^-10 = 8e-22, and 1e-15 of polynomials of degree 22

  struct Piece {
    double centre, inverse_half;  // in units of the first panel
    std::array<double, kTerms> powers;
    double at(double scaled) const {
      const double t = (scaled - centre) * inverse_half;
      double sum = powers[kTerms - 1];
      for (std::size_t n = kTerms - 1; n-- > 0;) sum = sum * t + powers[n];
      return sum;
    }
  };

  double inverse_first_ = 0;  // 1 / width of the first panel
  std::vector<Piece> pieces_;
  double relative_error_ = 0;
};

}  // namespace skt
