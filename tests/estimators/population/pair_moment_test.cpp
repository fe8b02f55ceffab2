// The pair moment by another route: Owen's T function (Boost.Math) in 50-digit arithmetic for the bivariate normal
// orthant, where the library integrates over the angle between two planes.
#include "estimators/population/pair_moment.hpp"

#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <boost/math/special_functions/owens_t.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>

#include "estimators/population/population.hpp"
#include "sim/require.hpp"
#include "tests/catch.hpp"

using namespace skt;

namespace {

using Real = boost::multiprecision::cpp_bin_float_50;

const Real kEndOfMass = 16;  // beyond lies 2 Phi(-16) = 1e-57 of the mass

Real cdf(const Real& x) {
  return boost::math::erfc(Real(-x / sqrt(Real(2)))) / 2;
}

// Phi2(h, k; r) for |r| < 1 and h, k not 0 (Owen 1956).
Real orthant(const Real& h, const Real& k, const Real& r) {
  const Real root = sqrt(1 - r * r);
  const Real half = h * k > 0 ? 0 : 0.5;
  return (cdf(h) + cdf(k)) / 2 - boost::math::owens_t(h, Real((k / h - r) / root)) -
         boost::math::owens_t(k, Real((h / k - r) / root)) - half;
}

struct Pair {
  Real g_i, g_j, h;
};

// h = 1/4 (1 + (2 g_i - 1) + (2 g_j - 1) + 2 int phi T^2 (4 Phi2 - 2 Phi - 2 Phi + 1)), 2 g - 1 = 2 int phi T
// (2 Phi - 1), from the cosines' exact values. Panels double from the smallest scale; the 30-point rule errs by
// (3 + sqrt 8)^-60.
Pair by_owens_t(const PopulationParameters& p, double rho_i, double rho_j, double r) {
  const Real i(rho_i), j(rho_j), root_i = sqrt(1 - i * i), root_j = sqrt(1 - j * j);
  const Real cot_i = i / root_i, cot_j = j / root_j, conditional = (r - i * j) / (root_i * root_j);
  const Real strength = 1 / (p.temperature * (p.scaling == Scaling::none ? Real(1) : sqrt(Real(p.dim))));
  const Real norm = p.query_norm;
  const Real steepest =
      std::max({Real(1), Real(norm * std::max(Real(1), strength)), Real(abs(cot_i)), Real(abs(cot_j))});
  Real x_i = 0, x_j = 0, kappa = 0;
  for (Real begin = 0, end = 1 / steepest; begin < kEndOfMass; begin = end, end = std::min(Real(2 * end), kEndOfMass)) {
    const Real middle = (begin + end) / 2, half = (end - begin) / 2;
    using Rule = boost::math::quadrature::gauss<Real, 30>;
    for (std::size_t n = 0; n < Rule::abscissa().size(); ++n) {
      for (int side : {-1, 1}) {
        const Real z = middle + side * half * Rule::abscissa()[n];
        const Real density = sqrt(2 / boost::math::constants::pi<Real>()) * exp(-z * z / 2);
        const Real weight = half * Rule::weights()[n] * density;
        const Real signal = tanh(Real(strength * tanh(Real(norm * z))));
        const Real a = cdf(cot_i * z), b = cdf(cot_j * z);
        x_i += weight * signal * (2 * a - 1);
        x_j += weight * signal * (2 * b - 1);
        kappa += weight * signal * signal * (4 * orthant(cot_i * z, cot_j * z, conditional) - 2 * a - 2 * b + 1);
      }
    }
  }
  return {(1 + x_i) / 2, (1 + x_j) / 2, (1 + x_i + x_j + kappa) / 4};
}

bool confirmed(const Estimate& estimate, const Real& exact) {
  return abs(estimate.value - exact) <= estimate.error;
}

}  // namespace

TEST_CASE("pair moments and covariances agree with Owen's T in 50 digits", "[oracle]") {
  const PopulationParameters weak{1e-3, 100, 128, 1, Scaling::inverse_sqrt_dim};
  const PopulationParameters usual{std::sqrt(128.0), 0.5, 128, 1, Scaling::inverse_sqrt_dim};
  const PopulationParameters cold{1e3, 1e-6, 1, 1, Scaling::none};
  const struct {
    double rho_i, rho_j, r;
    PopulationParameters p;
  } cases[] = {
      {.6, .3, .5, weak},
      {.9, -.8, -.6, usual},
      {-.9, -.85, .7, cold},
      {1 - 1e-9, .5, .5, usual},                     // a key near the query
      {-1 + 1e-9, .25, -.25, cold},                  // and near its antipode
      {1 - 1e-12, 1 - 1e-12, 1 - 1e-12, usual},      // two keys and the query within 1e-6 of each other
      {.5, .5, 1 - 1e-12, weak},                     // near duplicates
      {-.75, -.75, .125 + 0x1p-40, cold},            // an orthant whose solid angle is near 0
      {-1 + 1e-15, -1 + 1e-15, 1 - 0x1p-52, usual},  // and smaller still
  };
  for (const auto& [rho_i, rho_j, r, p] : cases) {
    const Pair exact = by_owens_t(p, rho_i, rho_j, r);
    const Cosine i = Cosine::of(rho_i), j = Cosine::of(rho_j), ij = Cosine::of(r);
    const Estimate h = plane_pair_moment(p, i, j, ij), swapped = plane_pair_moment(p, j, i, ij);
    const Estimate covariance = plane_pair_covariance(p, i, j, ij);
    INFO("cosines " << rho_i << " " << rho_j << " " << r << " norm " << p.query_norm << ": " << h.value << " +- "
                    << h.error << " differs by " << Real(h.value - exact.h) << ", covariance " << covariance.value
                    << " +- " << covariance.error << " by "
                    << Real(covariance.value - (exact.h - exact.g_i * exact.g_j)));

    CHECK(confirmed(h, exact.h));
    CHECK(confirmed(swapped, exact.h));
    CHECK(h.error <= 1e-12 * h.value);
    CHECK(confirmed(covariance, exact.h - exact.g_i * exact.g_j));
    CHECK(covariance.error <= 1e-12 * plane_second_moment(p, {1, 0}).value);
  }
}

TEST_CASE("the covariance of a key with its duplicate is its variance, with its antipode minus that", "[oracle]") {
  for (double norm : {1e-3, 11.3, 1e3}) {
    for (double temperature : {1e-6, 0.5, 100.0}) {
      for (double rho : {-1.0, -0.7, 0.0, 0.3, 1.0}) {
        const PopulationParameters p{norm, temperature, 128, 1, Scaling::inverse_sqrt_dim};
        const Estimate variance = plane_variance(p, Cosine::of(rho));
        const Estimate duplicate = plane_pair_covariance(p, Cosine::of(rho), Cosine::of(rho), Cosine::of(1));
        const Estimate antipode = plane_pair_covariance(p, Cosine::of(rho), Cosine::of(-rho), Cosine::of(-1));
        INFO("norm " << norm << " tau " << temperature << " cosine " << rho);

        CHECK(std::abs(duplicate.value - variance.value) <= duplicate.error + variance.error);
        CHECK(std::abs(antipode.value + variance.value) <= antipode.error + variance.error);
      }
    }
  }
}

TEST_CASE("cosines that no three vectors have are refused, rounded ones are not", "[unit]") {
  const PopulationParameters p{1, 0.5, 128, 1, Scaling::inverse_sqrt_dim};
  const auto h = [&](double i, double j, double r) {
    return plane_pair_moment(p, Cosine::of(i), Cosine::of(j), Cosine::of(r)).value;
  };

  CHECK_THROWS_AS(h(0.9, 0.9, -0.9), InputError);
  CHECK_THROWS_AS(h(1, 0.5, 0.6), InputError);
  CHECK_THROWS_AS(h(0.6, 0.8, 0.96 + 1e-12), InputError);
  CHECK_THROWS_AS(h(1.5, 0, 0), InputError);
  CHECK_THROWS_AS(h(0, 0, std::nan("")), InputError);
  for (double angle = 0.01; angle < 3; angle += 0.1) {
    CHECK(h(std::cos(angle), std::cos(2 * angle), std::cos(angle)) > 0);
    CHECK(h(std::cos(angle), std::cos(1.1), std::cos(angle - 1.1)) > 0);
  }
}
