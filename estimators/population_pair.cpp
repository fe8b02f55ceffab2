// E[s_i s_j] of one plane.
//
// Given z, key k agrees with probability p_k = Phi(c_k z), both agree with probability A, and
//   E[s_i s_j | z] = T^2 A + miss T (p_i + p_j) + miss^2,
// all terms positive. For coplanar vectors on opposite sides of the query A = max(0, p_i + p_j - 1). From there,
// turning key j about the query's axis until the angle between the two planes is gamma, Plackett's identity
// dE[T^2 A]/d(asin r_ij) = E[T(sigma z)^2]/(2 pi), sigma the sine of the query's distance to the keys' great circle,
// and d(asin r_ij) = -sigma d(gamma) give
//   E[T^2 A] = E[T^2 max(0, p_i + p_j - 1)] + (1/2pi) int_gamma^pi sigma E[T(sigma z)^2] dgamma,
// again all positive: a relative error of rounding size for every triple, degenerate or not.
#include <boost/math/quadrature/gauss.hpp>

#include "estimators/pair_geometry.hpp"
#include "estimators/plane_signal.hpp"

namespace skt {
namespace {

// Phi(x) - Phi(y) for x - y = width > 0, without cancellation.
double normal_mass(double x, double y, double width) {
  if (width < 0.1 * std::abs(x)) {  // phi changes by a factor below e^(0.1 x^2): 15 points resolve it wherever it counts
    const double middle = x - width / 2;
    const auto density = [&](double t) {
      const double u = middle + width / 2 * t;
      return std::exp(-u * u / 2);
    };
    return width / 2 * std::numbers::inv_sqrtpi / std::numbers::sqrt2 *
           boost::math::quadrature::gauss<double, 15>::integrate(density, -1.0, 1.0);
  }
  if (y > 0) return normal_cdf(-y) - normal_cdf(-x);
  if (x < 0) return normal_cdf(x) - normal_cdf(y);
  return (std::erf(x / std::numbers::sqrt2) - std::erf(y / std::numbers::sqrt2)) / 2;
}

// E[T^2 max(0, p_i + p_j - 1)].
Estimate coplanar_moment(const PlaneSignal& signal, double cot_i, double cot_j, const PairGeometry& geometry,
                         double scale) {
  if (!(geometry.half_sum > 0)) return {};
  return mean_over_projection(
      [&](double z) {
        const double t = signal.tanh_beta(z);
        return t * t * normal_mass(cot_i * z, -cot_j * z, geometry.cot_sum * z);
      },
      scale);
}

// sigma E[T(sigma z)^2] at the angle x from that end of [0, pi] at which sin theta_ij / 2 ... is `near`.
struct Turn {
  PlaneSignal signal;
  double sines, near, far;

  double operator()(double x) const {
    const double sine = std::sin(x / 2), cosine = std::cos(x / 2);
    const double sigma =
        sines * sine * cosine / std::sqrt((near * near + sines * sine * sine) * (far * far + sines * cosine * cosine));
    const PlaneSignal shrunk{signal.norm * sigma, signal.strength};
    const auto squared = [&](double z) {
      const double t = shrunk.tanh_beta(z);
      return t * t;
    };
    return sigma * mean_over_projection(squared, shrunk.scale()).value;
  }

  // sigma bends at x = near/sqrt(sines); E[T(sigma z)^2] is within e^-128 of its Taylor polynomial below a 16th of
  // the signal's scale.
  double first_width() const {
    if (near == 0) return 1;
    return std::fmin(1, near / std::sqrt(sines)) * std::fmin(1, signal.scale()) / 16;
  }
};

Estimate turned_moment(const PlaneSignal& signal, const PairGeometry& g) {
  if (g.sines == 0) return {};
  constexpr double quarter = std::numbers::pi / 2;
  const Turn from_zero{signal, g.sines, g.half_difference, std::abs(g.half_sum)};
  const Turn from_pi{signal, g.sines, std::abs(g.half_sum), g.half_difference};
  const Estimate low = integrate_graded(from_zero, std::fmin(g.gamma, quarter), quarter, from_zero.first_width());
  const Estimate high = integrate_graded(from_pi, 0, std::fmin(g.gamma_to_pi, quarter), from_pi.first_width());
  return {(low.value + high.value) / (2 * std::numbers::pi), (low.error + high.error) / (2 * std::numbers::pi)};
}

}  // namespace

Estimate plane_pair_moment(const PopulationParameters& parameters, Cosine rho_i, Cosine rho_j, Cosine r_ij) {
  const PlaneSignal signal = plane_signal(parameters);
  const double cot_i = cotangent(rho_i), cot_j = cotangent(rho_j);
  cotangent(r_ij);  // checks r_ij
  const PairGeometry geometry = pair_geometry(rho_i, rho_j, r_ij);

  double scale = signal.scale();
  for (double cot : {cot_i, cot_j}) {
    if (cot != 0 && std::isfinite(cot)) scale = std::fmin(scale, 1 / std::abs(cot));
  }
  const Estimate single = mean_over_projection(
      [&](double z) {
        const double miss = signal.miss(z);
        return miss * (miss + signal.tanh_beta(z) * (normal_cdf(cot_i * z) + normal_cdf(cot_j * z)));
      },
      scale);
  const Estimate coplanar = coplanar_moment(signal, cot_i, cot_j, geometry, scale);
  const Estimate turned = turned_moment(signal, geometry);
  return {single.value + coplanar.value + turned.value, single.error + coplanar.error + turned.error};
}

}  // namespace skt
