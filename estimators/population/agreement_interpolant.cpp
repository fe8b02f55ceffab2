#include "estimators/population/agreement_interpolant.hpp"

#include <cmath>
#include <numbers>

#include "estimators/population/plane_signal.hpp"
#include "estimators/population/population.hpp"

namespace skt {
namespace {

// The cosine at this angle from the antipode.
Cosine from_antipode(double angle) {
  const double sine = std::sin(angle / 2);
  return {-std::cos(angle), 2 * sine * sine};
}

}  // namespace

// Below a 16th of the signal's scale the integrand's Taylor polynomial is good to exp(-16^2/2).
AgreementInterpolant::AgreementInterpolant(const PopulationParameters& parameters)
    : below_right_angle_([&](double angle) { return plane_agreement(parameters, from_antipode(angle)).value; },
                         std::fmin(1, plane_signal(parameters).scale()) / 16, std::numbers::pi / 2) {
  const Estimate hardest = plane_agreement(parameters, {-1, 0});
  relative_error_ = below_right_angle_.relative_error() + hardest.error / hardest.value;
}

double AgreementInterpolant::operator()(HalfAngle half) const {
  if (half.cosine < half.sine) return below_right_angle_(2 * std::asin(half.cosine));
  return 1 - below_right_angle_(2 * std::asin(half.sine));
}

}  // namespace skt
