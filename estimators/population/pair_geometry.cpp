#include "estimators/population/pair_geometry.hpp"

#include <fmt/format.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <limits>

#include "estimators/population/plane_signal.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

using Real = boost::multiprecision::cpp_bin_float_50;

double to_double(const Real& x) {
  return x.convert_to<double>();
}

// A cosine and its two complements, each to 50 digits.
struct Exact {
  Real value, one_minus, one_plus;
  bool near_pole;

  explicit Exact(Cosine c) : near_pole(std::abs(c.value) > 0.5) {
    const Real complement = c.complement;
    if (!near_pole) {
      value = c.value, one_minus = 1 - value, one_plus = 1 + value;
    } else if (c.value > 0) {
      value = 1 - complement, one_minus = complement, one_plus = 2 - complement;
    } else {
      value = complement - 1, one_minus = 2 - complement, one_plus = complement;
    }
  }
  Exact operator-() const {
    Exact mirrored = *this;
    mirrored.value = -value;
    swap(mirrored.one_minus, mirrored.one_plus);
    return mirrored;
  }
  Real squared_sine() const { return one_minus * one_plus; }
};

Real difference(const Exact& a, const Exact& b) {
  if (a.near_pole && b.near_pole && (a.value > 0) == (b.value > 0)) {
    return a.value > 0 ? b.one_minus - a.one_minus : a.one_plus - b.one_plus;
  }
  return a.value - b.value;
}

// r - rho_i rho_j, with rho_i the cosine nearer to a pole: no digits lost where all three are near their poles.
Real excess(const Exact& i, const Exact& j, const Exact& r) {
  return i.value > 0 ? difference(r, j) + i.one_minus * j.value : difference(r, -j) - i.one_plus * j.value;
}

// By how much cos theta_ij may leave its range because each cosine was rounded: an angle is known to eps/sin, at worst
// to sqrt(eps).
double rounding_of_range(double sine_i, double sine_j) {
  constexpr double kRounded = std::numeric_limits<double>::epsilon();
  const auto angle_error = [](double sine) { return kRounded / std::fmax(sine, std::sqrt(kRounded)); };
  return 4 * (kRounded + (sine_i + sine_j) * (angle_error(sine_i) + angle_error(sine_j)));
}

}  // namespace

PairGeometry pair_geometry(Cosine rho_i, Cosine rho_j, Cosine r_ij) {
  if (rho_j.complement < rho_i.complement) std::swap(rho_i, rho_j);
  const Exact i(rho_i), j(rho_j), r(r_ij);
  const Real squared_i = i.squared_sine(), squared_j = j.squared_sine();
  const Real sines = sqrt(squared_i * squared_j), beyond = excess(i, j, r);
  Real to_upper = sines - beyond, to_lower = sines + beyond;  // cos(theta_i -+ theta_j) -+ r
  const double allowance = rounding_of_range(to_double((sqrt(squared_i))), to_double((sqrt(squared_j))));
  require(to_upper >= -allowance && to_lower >= -allowance,
          "cosines {}, {} to the query and {} between the keys: no vectors have these", rho_i.value, rho_j.value,
          r_ij.value);
  if (to_upper < 0) to_upper = 0;
  if (to_lower < 0) to_lower = 0;

  PairGeometry g;
  g.sines = to_double(sines);
  if (sines > 0) {
    const Real root_upper = sqrt(to_upper), root_lower = sqrt(to_lower);
    g.gamma = to_double((2 * atan2(root_upper, root_lower)));
    g.gamma_to_pi = to_double((2 * atan2(root_lower, root_upper)));
  }
  const Real sin_i = sqrt(i.one_minus / 2), cos_i = sqrt(i.one_plus / 2);
  const Real sin_j = sqrt(j.one_minus / 2), cos_j = sqrt(j.one_plus / 2);
  const Real half_sum = cos_i * cos_j - sin_i * sin_j;
  g.half_difference = std::abs(to_double((sin_i * cos_j - cos_i * sin_j)));
  g.half_sum = to_double(half_sum);
  // cot + cot = sin(theta_i + theta_j)/sines, and sin = 2 sin cos of the half sum.
  g.cot_sum = sines > 0 ? to_double((2 * half_sum * (sin_i * cos_j + cos_i * sin_j) / sines))
                        : cotangent(rho_i) + cotangent(rho_j);
  return g;
}

}  // namespace skt
