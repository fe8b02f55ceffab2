#include "estimators/population/limits.hpp"

#include <cmath>
#include <numbers>

#include "estimators/population/plane_signal.hpp"
#include "estimators/population/population.hpp"
#include "sim/number.hpp"

namespace skt {
namespace {

// (2/pi) asin(rho) = 2 (1 - theta/pi) - 1.
double arc(Cosine rho) {
  return 2 * hard_agreement(rho) - 1;
}

}  // namespace

double hard_agreement(Cosine rho) {
  return angular_weight(1, rho).value;
}

double hard_pair_moment(Cosine rho_i, Cosine rho_j, Cosine r_ij) {
  return (hard_agreement(rho_i) + hard_agreement(rho_j) + hard_agreement(r_ij) - 1) / 2;
}

double cold_agreement_excess(const PopulationParameters& parameters, Cosine rho) {
  const PlaneSignal signal = plane_signal(parameters);
  const double width = 1 / (signal.strength * signal.norm);
  return -std::numbers::pi / 24 * cotangent(rho) * width * width;
}

double cold_epsilon(const PopulationParameters& parameters) {
  const PlaneSignal signal = plane_signal(parameters);
  constexpr double kDensity = std::numbers::inv_sqrtpi / std::numbers::sqrt2;  // 1/sqrt(2 pi)
  return real(parameters.planes) * std::numbers::ln2 * kDensity / (signal.strength * signal.norm);
}

double hot_epsilon_deficit(const PopulationParameters& parameters) {
  const PlaneSignal signal = plane_signal(parameters);
  const double mean_tanh =
      mean_over_projection([&](double z) { return std::tanh(signal.norm * z); }, std::fmin(1, 1 / signal.norm)).value;
  const double planes = real(parameters.planes);
  return planes * std::exp2(-planes) * mean_tanh * signal.strength;
}

double saturated_agreement(const PopulationParameters& parameters, Cosine rho) {
  return (1 + std::tanh(plane_signal(parameters).strength) * arc(rho)) / 2;
}

double saturated_pair_moment(const PopulationParameters& parameters, Cosine rho_i, Cosine rho_j, Cosine r_ij) {
  const double t = std::tanh(plane_signal(parameters).strength);
  return (1 + t * (arc(rho_i) + arc(rho_j)) + t * t * arc(r_ij)) / 4;
}

}  // namespace skt
