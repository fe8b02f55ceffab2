#include "estimators/population/pair_moment.hpp"

#include <boost/math/quadrature/gauss.hpp>

#include "estimators/population/pair_geometry.hpp"
#include "estimators/population/plane_signal.hpp"
#include "estimators/population/population.hpp"

namespace skt {
namespace {

constexpr double kQuarter = std::numbers::pi / 2;

// Phi(x) - Phi(y) for x - y = width > 0, without cancellation.
double normal_mass(double x, double y, double width) {
  if (width < 0.1 * std::abs(x)) {
    // phi changes by a factor below e^(0.1 x^2): 15 points resolve it wherever it counts.
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

// sigma E[T(sigma z)^2] as a function of the angle x between the planes or, from the other end, of pi minus it:
// sin^2(theta_ij/2) = near^2 + sines sin^2(x/2), cos^2(theta_ij/2) = far^2 + sines cos^2(x/2) or the reverse.
struct Turn {
  PlaneSignal signal;
  double sines, near, far;

  static Turn from_zero(const PlaneSignal& signal, const PairGeometry& g) {
    return {signal, g.sines, g.half_difference, std::abs(g.half_sum)};
  }
  static Turn from_pi(const PlaneSignal& signal, const PairGeometry& g) {
    return {signal, g.sines, std::abs(g.half_sum), g.half_difference};
  }

  double operator()(double x) const {
    const double sine = std::sin(x / 2), cosine = std::cos(x / 2);
    const double sigma =
        sines * sine * cosine / std::sqrt((near * near + sines * sine * sine) * (far * far + sines * cosine * cosine));
    return sigma * squared_signal({signal.norm * sigma, signal.strength}).value;
  }

  // sigma bends at near/sqrt(sines); below a 16th of the signal's scale E[T(sigma z)^2] differs from a Taylor
  // polynomial by less than exp(-16^2/2).
  Estimate integral(double begin, double end) const {
    const double bend = std::fmin(1, near / std::sqrt(sines)) * std::fmin(1, signal.scale()) / 16;
    Estimate sum = integrate_graded(*this, begin, end, near == 0 ? 1 : bend);
    const Estimate inner = squared_signal(signal);  // the inner integral with the most panels
    if (inner.value > 0) sum.error += sum.value * inner.error / inner.value;
    return sum;
  }
};

double scale_of(const PlaneSignal& signal, double cot_i, double cot_j) {
  double scale = signal.scale();
  for (double cot : {cot_i, cot_j}) {
    if (cot != 0 && std::isfinite(cot)) scale = std::fmin(scale, 1 / std::abs(cot));
  }
  return scale;
}

// int_gamma^pi sigma E[T(sigma z)^2] dgamma.
Estimate turned_from_pi(const PlaneSignal& signal, const PairGeometry& g) {
  if (g.sines == 0) return {};
  const Estimate high = Turn::from_pi(signal, g).integral(0, std::fmin(g.gamma_to_pi, kQuarter));
  const Estimate low = Turn::from_zero(signal, g).integral(std::fmin(g.gamma, kQuarter), kQuarter);
  return {low.value + high.value, low.error + high.error};
}

// int_gamma^{pi/2} of the same, negative where gamma is obtuse.
Estimate turned_from_quarter(const PlaneSignal& signal, const PairGeometry& g) {
  if (g.sines == 0) return {};
  if (g.gamma < g.gamma_to_pi) return Turn::from_zero(signal, g).integral(g.gamma, kQuarter);
  const Estimate beyond = Turn::from_pi(signal, g).integral(g.gamma_to_pi, kQuarter);
  return {-beyond.value, beyond.error};
}

}  // namespace

Estimate plane_pair_moment(const PopulationParameters& parameters, Cosine rho_i, Cosine rho_j, Cosine r_ij) {
  const PlaneSignal signal = plane_signal(parameters);
  const double cot_i = cotangent(rho_i), cot_j = cotangent(rho_j);
  cotangent(r_ij);  // checks r_ij
  const PairGeometry geometry = pair_geometry(rho_i, rho_j, r_ij);
  const double scale = scale_of(signal, cot_i, cot_j);

  const Estimate single = mean_over_projection(
      [&](double z) {
        const double miss = signal.miss(z);
        return miss * (miss + signal.tanh_beta(z) * (normal_cdf(cot_i * z) + normal_cdf(cot_j * z)));
      },
      scale);
  const Estimate coplanar = coplanar_moment(signal, cot_i, cot_j, geometry, scale);
  const Estimate turned = turned_from_pi(signal, geometry);
  constexpr double kTurn = 2 * std::numbers::pi;
  return {single.value + coplanar.value + turned.value / kTurn, single.error + coplanar.error + turned.error / kTurn};
}

Estimate plane_pair_covariance(const PopulationParameters& parameters, Cosine rho_i, Cosine rho_j, Cosine r_ij) {
  const PlaneSignal signal = plane_signal(parameters);
  const double cot_i = cotangent(rho_i), cot_j = cotangent(rho_j);
  cotangent(r_ij);  // checks r_ij
  const double scale = scale_of(signal, cot_i, cot_j);
  const auto bit = [&](double cot, double z) {  // E[2s - 1 | z]
    return signal.tanh_beta(z) * std::erf(cot * z / std::numbers::sqrt2);
  };
  const double x_i = mean_over_projection([&](double z) { return bit(cot_i, z); }, scale).value;
  const double x_j = mean_over_projection([&](double z) { return bit(cot_j, z); }, scale).value;
  const Estimate given_projection =
      mean_over_projection([&](double z) { return (bit(cot_i, z) - x_i) * (bit(cot_j, z) - x_j); }, scale);
  const Estimate turned = turned_from_quarter(signal, pair_geometry(rho_i, rho_j, r_ij));
  constexpr double kTwoOverPi = 2 / std::numbers::pi;
  // The two differences are known to a rounding unit of T.
  const double rounding = 2 * std::numeric_limits<double>::epsilon() * squared_signal(signal).value;
  return {(given_projection.value + kTwoOverPi * turned.value) / 4,
          (given_projection.error + kTwoOverPi * turned.error + rounding) / 4};
}

double hard_agreement(Cosine rho) {
  return angular_weight(1, rho).value;
}

double hard_pair_moment(Cosine rho_i, Cosine rho_j, Cosine r_ij) {
  return (hard_agreement(rho_i) + hard_agreement(rho_j) + hard_agreement(r_ij) - 1) / 2;
}

}  // namespace skt
