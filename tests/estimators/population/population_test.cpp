// The oracle by the trapezoid rule on the whole line, which converges faster than any power for these integrands: they
// are even, analytic and decay like exp(-z^2/2).
#include "estimators/population/population.hpp"

#include <cmath>
#include <numbers>

#include "estimators/population/pair_moment.hpp"
#include "sim/require.hpp"
#include "tests/catch.hpp"
#include "tests/estimators/population/close.hpp"

using namespace skt;

namespace {

const PopulationParameters kUsual{2, 0.4, 4, 3, Scaling::inverse_sqrt_dim};

// E s^power of one plane for |rho| < 1.
double trapezoid_moment(const PopulationParameters& p, double rho, int power) {
  constexpr double kStep = 1.0 / 128, kEnd = 12;
  const double strength = (p.scaling == Scaling::none ? 1 : 1 / std::sqrt(double(p.dim))) / p.temperature;
  const double cot = rho / std::sqrt(1 - rho * rho);
  double sum = 0;
  for (double z = -kEnd; z <= kEnd; z += kStep) {
    const double miss = 1 / (1 + std::exp(2 * strength * std::tanh(p.query_norm * z)));
    const double same_side = std::erfc(-cot * z / std::sqrt(2.0)) / 2;
    sum += std::exp(-z * z / 2) * (std::pow(1 - miss, power) * same_side + std::pow(miss, power) * (1 - same_side));
  }
  return sum * kStep / std::sqrt(2 * std::numbers::pi);
}

}  // namespace

TEST_CASE("Moments of one plane and of one table agree with the trapezoid rule", "[oracle]") {
  for (double rho : {-0.8, -0.1, 0.3, 0.9}) {
    const double g = trapezoid_moment(kUsual, rho, 1), g2 = trapezoid_moment(kUsual, rho, 2);
    const Cosine cosine = Cosine::of(rho);
    INFO("cosine " << rho);

    CHECK(close(plane_agreement(kUsual, cosine).value, g, 1e-13));
    CHECK(close(plane_second_moment(kUsual, cosine).value, g2, 1e-13));
    CHECK(close(plane_variance(kUsual, cosine).value, g2 - g * g, 1e-11));  // the difference loses digits here
    CHECK(close(population_weight(kUsual, cosine).value, g * g * g, 1e-13));
    CHECK(close(population_weight_variance(kUsual, cosine).value, g2 * g2 * g2 - std::pow(g, 6), 1e-11));
  }
}

TEST_CASE("The variance keeps its digits where the signal is weak", "[oracle]") {
  // s = (1 + b T)/2 with T about S |q| z: the variance is E T^2 / 4 up to the square of x = E[b T], here
  // S |q| (2/pi)^1/2 times the mean of z b, which is rho.
  const PopulationParameters weak{1e-3, 10, 1, 1, Scaling::none};
  const double size = 1e-4;  // S |q|

  CHECK(close(plane_variance(weak, Cosine::of(0)).value, size * size / 4, 1e-5));
}

TEST_CASE("Epsilon is what the own bucket's weight leaves of one", "[unit]") {
  const double own = plane_agreement(kUsual, {1, 0}).value;

  CHECK(close(epsilon(kUsual).value, 1 - own * own * own, 1e-13));
}

TEST_CASE("The pair moment of a table is the power of a plane's, and of a key with itself its second moment",
          "[unit]") {
  const Cosine rho = Cosine::of(0.4), other = Cosine::of(-0.2), between = Cosine::of(0.5);
  const double h = plane_pair_moment(kUsual, rho, other, between).value;

  CHECK(close(population_pair_moment(kUsual, rho, other, between).value, h * h * h, 1e-13));
  CHECK(close(population_pair_moment(kUsual, rho, rho, {1, 0}).value, std::pow(trapezoid_moment(kUsual, 0.4, 2), 3),
              1e-13));
}

TEST_CASE("Angular weights are powers of 1 - angle/pi, with their digits at the antipode", "[unit]") {
  CHECK(close(angular_weight(3, Cosine::of(0.5)).value, 8.0 / 27, 1e-13));
  CHECK(close(angular_weight(2, Cosine::of(-0.5)).value, 1.0 / 9, 1e-13));
  CHECK(close(angular_weight(2, Cosine::of(std::sqrt(0.5))).value, 9.0 / 16, 1e-13));
  CHECK(angular_weight(5, {1, 0}).value == 1);
  CHECK(angular_weight(5, {-1, 0}).value == 0);
  CHECK(close(angular_weight(1, {-1, 1e-20}).value, std::sqrt(2e-20) / std::numbers::pi, 1e-13));
}

TEST_CASE("Cosines and planes out of range are refused", "[unit]") {
  CHECK_THROWS_AS(plane_agreement(kUsual, Cosine::of(1.1)), InputError);
  CHECK_THROWS_WITH(angular_weight(0, Cosine::of(0.5)), "planes is 0: allowed is 1 and more");
  CHECK_THROWS_AS(angular_weight(1, Cosine::of(-2)), InputError);
}
