// Moments of one plane, of one key and of pairs, by another route in 50-digit arithmetic (Boost.Math): from the formulas
// as they are usually written, and for the bivariate normal orthant by Owen's T function, where the library integrates
// over the angle between two planes.
#include "estimators/population/pair_moment.hpp"

#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <boost/math/special_functions/owens_t.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>

#include "estimators/population/population.hpp"
#include "tests/numbers.hpp"

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

// The sum of visit(z, weight of z) is an expectation over |z|, z N(0,1). Panels double from `first` on; the 30-point rule
// errs by (3 + sqrt 8)^-60.
template <class Visit>
void over_projection(const Real& first, const Visit& visit) {
  using Rule = boost::math::quadrature::gauss<Real, 30>;
  for (Real begin = 0, end = first; begin < kEndOfMass; begin = end, end = std::min(Real(2 * end), kEndOfMass)) {
    const Real middle = (begin + end) / 2, half = (end - begin) / 2;
    for (std::size_t n = 0; n < Rule::abscissa().size(); ++n) {
      for (int side : {-1, 1}) {
        const Real z = middle + side * half * Rule::abscissa()[n];
        const Real density = sqrt(2 / boost::math::constants::pi<Real>()) * exp(-z * z / 2);
        visit(z, Real(half * Rule::weights()[n] * density));
      }
    }
  }
}

struct Plane {
  Real norm, strength;

  explicit Plane(const PopulationParameters& p)
      : norm(p.query_norm),
        strength(1 / (p.temperature * (p.scaling == Scaling::none ? Real(1) : sqrt(Real(p.dim))))) {}

  // The smallest scale of integrands with cdf(cot z).
  Real scale(const Real& cot) const {
    return 1 / std::max({Real(1), Real(norm * std::max(Real(1), strength)), Real(abs(cot))});
  }
  Real signal(const Real& z) const { return tanh(Real(strength * tanh(Real(norm * z)))); }
  Real miss(const Real& z) const { return 1 / (1 + exp(Real(2 * strength * tanh(Real(norm * z))))); }
};

// Of the real number that the cosine stands for, which is not +-1.
Real exact_cotangent(Cosine rho) {
  const Real x(rho.value), c(rho.complement);
  if (std::abs(rho.value) <= 0.5) return x / sqrt(1 - x * x);
  return (rho.value > 0 ? 1 : -1) * (1 - c) / sqrt(c * (2 - c));
}

struct Pair {
  Real g_i, g_j, h;
};

// h = 1/4 (1 + (2 g_i - 1) + (2 g_j - 1) + 2 int phi T^2 (4 Phi2 - 2 Phi - 2 Phi + 1)), 2 g - 1 = 2 int phi T
// (2 Phi - 1), from the cosines' exact values.
Pair by_owens_t(const PopulationParameters& p, double rho_i, double rho_j, double r) {
  const Real i(rho_i), j(rho_j), root_i = sqrt(1 - i * i), root_j = sqrt(1 - j * j);
  const Real cot_i = i / root_i, cot_j = j / root_j, conditional = (r - i * j) / (root_i * root_j);
  const Plane plane(p);
  Real x_i = 0, x_j = 0, kappa = 0;
  over_projection(std::min(plane.scale(cot_i), plane.scale(cot_j)), [&](const Real& z, const Real& weight) {
    const Real signal = plane.signal(z), a = cdf(cot_i * z), b = cdf(cot_j * z);
    x_i += weight * signal * (2 * a - 1);
    x_j += weight * signal * (2 * b - 1);
    kappa += weight * signal * signal * (4 * orthant(cot_i * z, cot_j * z, conditional) - 2 * a - 2 * b + 1);
  });
  return {(1 + x_i) / 2, (1 + x_j) / 2, (1 + x_i + x_j + kappa) / 4};
}

struct PlaneMoments {
  Real first = 0, second = 0;  // E s, E s^2
  Real with_query = 0;         // E s s_q, of a key along the query
};

PlaneMoments moments_of(const PopulationParameters& p, Cosine rho) {
  const Plane plane(p);
  const bool pole = rho.complement == 0;
  const Real cot = pole ? Real(0) : exact_cotangent(rho);
  PlaneMoments m;
  over_projection(plane.scale(cot), [&](const Real& z, const Real& weight) {
    const Real miss = plane.miss(z), hit = 1 - miss;
    const Real near = pole ? Real(rho.value > 0) : cdf(cot * z), far = pole ? Real(rho.value < 0) : cdf(-cot * z);
    m.first += weight * (hit * near + miss * far);
    m.second += weight * (hit * hit * near + miss * miss * far);
    m.with_query += weight * hit * (hit * near + miss * far);
  });
  return m;
}

bool confirmed(const Estimate& estimate, const Real& exact) {
  return abs(estimate.value - exact) <= estimate.error;
}

// And the error that is claimed is below 1e-12 of the value.
bool confirmed_closely(const Estimate& estimate, const Real& exact) {
  return confirmed(estimate, exact) && estimate.error <= 1e-12 * estimate.value;
}

}  // namespace

TEST_CASE("moments of one plane, and of its degenerate pairs, agree with 50 digits", "[oracle]") {
  const Cosine one{1, 0}, minus_one{-1, 0};
  const Cosine cosines[] = {
      minus_one, {-1 + 1e-15, 1e-15}, Cosine::of(-0.5), Cosine::of(0), Cosine::of(0.3), {1 - 1e-9, 1e-9}, one};
  const struct {
    Scaling scaling;
    Index dim;
  } divisors[] = {{Scaling::none, 1}, {Scaling::inverse_sqrt_dim, 128}, {Scaling::inverse_sqrt_dim, 10000}};
  int turn = 0;
  for (double norm : {1e-3, std::sqrt(128.0), 1e3}) {
    for (double temperature : {1e-6, 1e-3, 0.5, 100.0}) {
      for (Cosine rho : cosines) {
        const auto [scaling, dim] = divisors[turn++ % 3];
        const PopulationParameters p{norm, temperature, dim, 10, scaling};
        const auto [g, g2, with_query] = moments_of(p, rho);
        const Cosine opposite{-rho.value, rho.complement};
        INFO("norm " << norm << " tau " << temperature << " dim " << dim << " cosine " << rho.value);

        CHECK(confirmed_closely(plane_agreement(p, rho), g));
        CHECK(confirmed_closely(plane_second_moment(p, rho), g2));
        CHECK(confirmed_closely(plane_variance(p, rho), g2 - g * g));
        CHECK(confirmed_closely(population_weight(p, rho), pow(g, 10)));
        CHECK(confirmed_closely(population_weight_variance(p, rho), pow(g2, 10) - pow(g, 20)));
        if (rho.complement == 0 && rho.value > 0) CHECK(confirmed_closely(epsilon(p), 1 - pow(g, 10)));
        CHECK(confirmed_closely(plane_pair_moment(p, rho, rho, one), g2));  // a duplicate
        CHECK(confirmed_closely(population_pair_moment(p, rho, rho, one), pow(g2, 10)));
        CHECK(confirmed_closely(plane_pair_moment(p, rho, opposite, minus_one), g - g2));  // an antipode
        CHECK(confirmed_closely(plane_pair_moment(p, one, rho, rho), with_query));
        CHECK(confirmed_closely(plane_pair_moment(p, minus_one, rho, opposite), g - with_query));
        CHECK(confirmed(plane_pair_covariance(p, rho, rho, one), g2 - g * g));
        CHECK(confirmed(plane_pair_covariance(p, rho, opposite, minus_one), g * g - g2));
      }
    }
  }
}

TEST_CASE("coplanar keys on opposite sides of the query are never both missed by more than the plane", "[oracle]") {
  // cos 2 theta = 2 cos^2 theta - 1 is exact for these, so both keys agree with probability max(0, 2 Phi - 1).
  for (const auto& [rho, r] : {std::pair{0.5, -0.5}, {0.75, 0.125}, {-0.75, 0.125}}) {
    for (double temperature : {1e-6, 0.5, 100.0}) {
      const PopulationParameters p{std::sqrt(128.0), temperature, 128, 1, Scaling::inverse_sqrt_dim};
      const Plane plane(p);
      const Real cot = exact_cotangent(Cosine::of(rho));
      Real h = 0;
      over_projection(plane.scale(cot), [&, sign = rho](const Real& z, const Real& weight) {
        const Real miss = plane.miss(z), signal = plane.signal(z), side = cdf(cot * z);
        const Real both = sign > 0 ? Real(2 * side - 1) : Real(0);
        h += weight * (signal * signal * both + 2 * miss * signal * side + miss * miss);
      });
      INFO("cosine " << rho << " tau " << temperature);

      CHECK(confirmed_closely(plane_pair_moment(p, Cosine::of(rho), Cosine::of(rho), Cosine::of(r)), h));
    }
  }
}

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

TEST_CASE("at temperature 0 right angles agree half of the time, and three of them all a quarter", "[unit]") {
  const Cosine right = Cosine::of(0), half = Cosine::of(0.5), one = Cosine::of(1);

  CHECK(hard_agreement(right) == Approx(0.5));
  CHECK(hard_agreement(half) == Approx(2.0 / 3));
  CHECK(hard_pair_moment(right, right, right) == Approx(0.25));
  CHECK(hard_pair_moment(half, half, one) == Approx(2.0 / 3));               // a duplicate
  CHECK(hard_pair_moment(half, half, Cosine::of(-0.5)) == Approx(1.0 / 3));  // 2/3 + 2/3 + 1/3 - 1, halved
}

TEST_CASE("temperatures far outside practice have finite answers or are refused", "[unit]") {
  const auto sound = [](const Estimate& e) {
    return e.value >= 0 && e.value <= 1 && e.error >= 0 && e.error <= 1e-11 * e.value + 1e-290;
  };
  for (double temperature : {1e-150, 1e-12, 1e12, 1e150}) {
    for (double norm : {1e-150, 1e-12, 1.0, 1e12, 1e150}) {
      const PopulationParameters p{norm, temperature, 1, 10, Scaling::none};
      INFO("tau " << temperature << " norm " << norm);
      CHECK(sound(epsilon(p)));
      CHECK(sound(population_weight(p, Cosine::of(-1))));
      CHECK(sound(population_weight(p, Cosine::of(0.3))));
      CHECK(sound(population_weight_variance(p, Cosine::of(1))));
    }
  }
  for (double temperature : {1e-12, 1e12}) {
    const PopulationParameters p{1e3, temperature, 1, 10, Scaling::none};
    INFO("tau " << temperature);
    CHECK(sound(plane_pair_moment(p, Cosine::of(0.3), Cosine::of(-0.2), Cosine::of(0.1))));
  }
  for (double temperature : {0.0, -1.0, 1e-200, std::nan(""), HUGE_VAL}) {
    INFO("tau " << temperature);
    CHECK_THROWS_AS(epsilon({1, temperature, 1, 1, Scaling::none}), InputError);
    CHECK_THROWS_AS(epsilon({temperature, 1, 1, 1, Scaling::none}), InputError);
  }
  CHECK_THROWS_AS(epsilon({1, 1, 0, 1, Scaling::inverse_sqrt_dim}), InputError);
  CHECK_THROWS_AS(epsilon({1, 1, 1, 0, Scaling::none}), InputError);
}
