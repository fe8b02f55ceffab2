// The oracle against integrals whose error is proven (FLINT/Arb), from the formulas as they are usually written.
#include "estimators/population/pair_moment.hpp"
#include "estimators/population/population.hpp"
#include "sim/number.hpp"
#include "tests/catch.hpp"
#include "tests/estimators/population/rigorous_integral.hpp"

using namespace skt;

namespace {

// Beyond 16 lies 2 Phi(-16) = 1e-57 of the mass.
constexpr double kEnd = 16;

// One plane in balls: S, cot of the angle, density, miss.
struct Plane {
  double norm;
  Ball strength;

  explicit Plane(const PopulationParameters& p)
      : norm(p.query_norm),
        strength(p.scaling == Scaling::none ? Ball(1) / Ball(p.temperature)
                                            : Ball(1) / (sqrt(Ball(real(p.dim))) * Ball(p.temperature))) {}

  double scale() const { return 0.5 / (norm * std::fmax(1, strength.bound())); }
  // By decaying exponentials, so that wide balls stay clear of the poles.
  Ball decay(const Ball& z) const { return exp(-Ball(2) * strength * tanh(Ball(norm) * z)); }
  Ball miss(const Ball& z) const { return decay(z) / (Ball(1) + decay(z)); }
  Ball signal(const Ball& z) const { return (Ball(1) - decay(z)) / (Ball(1) + decay(z)); }
};

Ball density(const Ball& z) {
  return sqrt(Ball(2) / Ball::pi()) * exp(-z * z / Ball(2));
}
Ball cdf(const Ball& x) {
  return erfc(-x / sqrt(Ball(2))) / Ball(2);
}

// Exact for the real number the cosine stands for.
Ball cotangent(Cosine rho) {
  if (std::abs(rho.value) <= 0.5) return Ball(rho.value) / sqrt(Ball(1) - Ball(rho.value) * Ball(rho.value));
  const Ball c(rho.complement);
  const Ball magnitude = (Ball(1) - c) / sqrt(c * (Ball(2) - c));
  return rho.value > 0 ? magnitude : -magnitude;
}

// E s^power of one plane.
Ball moment(const PopulationParameters& p, Cosine rho, unsigned power) {
  const Plane plane(p);
  const bool pole = rho.complement == 0;
  const Ball cot = pole ? Ball(0) : cotangent(rho);
  const auto integrand = [&](const Ball& z) {
    const Ball miss = plane.miss(z), hit = Ball(1) - miss;
    if (pole) return density(z) * pow(rho.value > 0 ? hit : miss, power);
    return density(z) * (pow(hit, power) * cdf(cot * z) + pow(miss, power) * cdf(-cot * z));
  };
  const double bend = pole || rho.value == 0 ? 1 : std::sqrt(1 - rho.value * rho.value);
  return rigorous_integral(integrand, plane.scale() * bend, kEnd);
}

// The claimed error is true, and below 1e-12 of the value.
bool confirmed(const Estimate& estimate, const Ball& exact) {
  return (exact - Ball(estimate.value)).bound() <= estimate.error && estimate.error <= 1e-12 * estimate.value;
}

}  // namespace

// E s_q s_j of one plane for a key along the query and another.
Ball moment_with_query(const PopulationParameters& p, Cosine rho) {
  const Plane plane(p);
  const bool pole = rho.complement == 0;
  const Ball cot = pole ? Ball(0) : cotangent(rho);
  const auto integrand = [&](const Ball& z) {
    const Ball miss = plane.miss(z), hit = Ball(1) - miss;
    if (pole) return density(z) * hit * (rho.value > 0 ? hit : miss);
    return density(z) * hit * (hit * cdf(cot * z) + miss * cdf(-cot * z));
  };
  return rigorous_integral(integrand, plane.scale(), kEnd);
}

TEST_CASE("moments of one plane lie within their error of a proven enclosure", "[oracle]") {
  const Cosine cosines[] = {
      {-1, 0}, {-1 + 1e-15, 1e-15}, Cosine::of(-0.5), Cosine::of(0), Cosine::of(0.3), {1 - 1e-9, 1e-9}, {1, 0}};
  const struct {
    Scaling scaling;
    Index dim;
  } divisors[] = {{Scaling::none, 1}, {Scaling::inverse_sqrt_dim, 128}, {Scaling::inverse_sqrt_dim, 10000}};
  int turn = 0;
  for (double norm : {1e-3, 1.0, std::sqrt(128.0), 1e3}) {
    for (double temperature : {1e-6, 1e-3, 0.5, 100.0}) {
      for (Cosine rho : cosines) {
        const auto [scaling, dim] = divisors[turn++ % 3];
        const PopulationParameters p{norm, temperature, dim, 10, scaling};
        const Ball g = moment(p, rho, 1), g2 = moment(p, rho, 2);
        INFO("norm " << norm << " tau " << temperature << " dim " << dim << " cosine " << rho.value);

        CHECK(confirmed(plane_agreement(p, rho), g));
        CHECK(confirmed(plane_second_moment(p, rho), g2));
        CHECK(confirmed(plane_variance(p, rho), g2 - g * g));
        CHECK(confirmed(population_weight(p, rho), pow(g, 10)));
        CHECK(confirmed(population_weight_variance(p, rho), pow(g2, 10) - pow(g, 20)));
        if (rho.complement == 0 && rho.value > 0) CHECK(confirmed(epsilon(p), Ball(1) - pow(g, 10)));
      }
    }
  }
}

TEST_CASE("degenerate pairs lie within their error of integrals in one variable", "[oracle]") {
  const Cosine cosines[] = {{-1, 0}, {-1 + 1e-15, 1e-15}, Cosine::of(-.3), Cosine::of(.75), {1 - 1e-9, 1e-9}, {1, 0}};
  for (double norm : {1e-3, std::sqrt(128.0), 1e3}) {
    for (double temperature : {1e-6, 0.5, 100.0}) {
      for (Cosine rho : cosines) {
        const PopulationParameters p{norm, temperature, 128, 3, Scaling::inverse_sqrt_dim};
        const Cosine opposite{-rho.value, rho.complement}, one{1, 0}, minus_one{-1, 0};
        const Ball g = moment(p, rho, 1), g2 = moment(p, rho, 2);
        INFO("norm " << norm << " tau " << temperature << " cosine " << rho.value);

        CHECK(confirmed(plane_pair_moment(p, rho, rho, one), g2));  // a duplicate
        CHECK(confirmed(population_pair_moment(p, rho, rho, one), pow(g2, 3)));
        CHECK(confirmed(plane_pair_moment(p, rho, opposite, minus_one), g - g2));  // an antipode
        CHECK(confirmed(plane_pair_moment(p, one, rho, rho), moment_with_query(p, rho)));
        CHECK(confirmed(plane_pair_moment(p, minus_one, rho, opposite), g - moment_with_query(p, rho)));
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
      const Ball cot = cotangent(Cosine::of(rho));
      const auto integrand = [&, sign = rho](const Ball& z) {
        const Ball miss = plane.miss(z), signal = plane.signal(z), side = cdf(cot * z);
        const Ball both = sign > 0 ? Ball(2) * side - Ball(1) : Ball(0);
        return density(z) * (signal * signal * both + Ball(2) * miss * signal * side + miss * miss);
      };
      INFO("cosine " << rho << " tau " << temperature);

      CHECK(confirmed(plane_pair_moment(p, Cosine::of(rho), Cosine::of(rho), Cosine::of(r)),
                      rigorous_integral(integrand, plane.scale() / 2, kEnd)));
    }
  }
}
