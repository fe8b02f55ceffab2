#include "estimators/population/agreement_interpolant.hpp"

#include "estimators/population/population.hpp"
#include "tests/estimators/population/half_angle_of.hpp"
#include "tests/numbers.hpp"

using namespace skt;

TEST_CASE("With a saturated query the agreement is linear in the angle", "[oracle]") {
  // |q| -> infinity: g = 1/2 + tanh(S) (1/2 - angle/pi) with S = 1/(4 * 0.5); the rest is at most S / |q|.
  const AgreementInterpolant agreement({1e9, 0.5, 16, 1, Scaling::inverse_sqrt_dim});

  for (double angle : {0.01, 0.7, kPi / 2, 2.0, 3.1}) {
    INFO("angle " << angle);
    CHECK(std::abs(agreement(half_angle_of(angle)) - (0.5 + std::tanh(0.5) * (0.5 - angle / kPi))) <= 1e-9);
  }
}

TEST_CASE("Interpolated agreement is that of the quadrature to the error it reports", "[oracle]") {
  for (double temperature : {1e-4, 0.5, 20.0}) {
    const PopulationParameters p{3, temperature, 16, 1, Scaling::inverse_sqrt_dim};
    const AgreementInterpolant agreement(p);

    CHECK(agreement.relative_error() <= 1e-12);
    for (double angle = 0.03; angle < kPi; angle += 0.17) {
      const Estimate exact = plane_agreement(p, half_angle_of(angle).cosine_of_angle());
      const double smaller = std::fmin(exact.value, 1 - exact.value);
      INFO("tau " << temperature << " angle " << angle);
      CHECK(std::abs(agreement(half_angle_of(angle)) - exact.value) <=
            agreement.relative_error() * smaller + exact.error + 4 * std::numeric_limits<double>::epsilon());
    }
  }
}

TEST_CASE("Opposite keys agree with probabilities that add to one, and a key at a right angle with a half", "[unit]") {
  const AgreementInterpolant agreement({11, 0.3, 128, 1, Scaling::inverse_sqrt_dim});

  for (double angle : {1e-9, 1e-3, 0.5, 1.5}) {
    const HalfAngle half = half_angle_of(angle);
    CHECK(agreement(half) + agreement({half.cosine, half.sine}) == 1);
  }
  CHECK(std::abs(agreement(half_angle_of(kPi / 2)) - 0.5) <= 1e-14);
}
