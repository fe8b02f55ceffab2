#include "estimators/population/weights.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "estimators/population/agreement_interpolant.hpp"
#include "estimators/population/half_angle.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

PopulationWeights weights_of(const PopulationParameters& parameters, const std::vector<HalfAngle>& angles) {
  const AgreementInterpolant agreement(parameters);
  const double planes = real(parameters.planes);
  const Index keys = std::ssize(angles);
  PopulationWeights result{Vector(keys), 0};
  Vector errors(keys);
#pragma omp parallel for schedule(static)
  for (Index j = 0; j < keys; ++j) {
    const double g = agreement(angles[j]);
    result.weights[j] = std::pow(g, planes);
    // The interpolant, and an angle known to a few rounding units (|dg/dtheta| <= 1/pi).
    errors[j] = planes * std::pow(g, planes - 1) *
                (std::fmin(g, 1 - g) * agreement.relative_error() + 4 * std::numeric_limits<double>::epsilon());
  }
  if (keys > 0) result.error = errors.maxCoeff();
  return result;
}

}  // namespace

PopulationParameters population_parameters(const Instance& instance, Index planes, double temperature,
                                           Scaling scaling) {
  return {instance.query.norm(), temperature, instance.dim(), planes, scaling};
}

PopulationWeights population_weights(const PopulationParameters& parameters, const Vector& cosines) {
  std::vector<HalfAngle> angles;
  angles.reserve(cosines.size());
  for (Index j = 0; j < cosines.size(); ++j) {
    require(std::abs(cosines[j]) <= 1, "cosine of key {} is {}: allowed is -1 to 1", j, cosines[j]);
    angles.push_back(HalfAngle::of_cosine(cosines[j]));
  }
  return weights_of(parameters, angles);
}

PopulationWeights population_weights(const PopulationParameters& parameters, const Instance& instance) {
  const Vector direction = unit_or_zero(instance.query, "query");
  std::vector<HalfAngle> angles;
  angles.reserve(instance.num_keys());
  for (Index j = 0; j < instance.num_keys(); ++j) {
    const Vector key = unit_or_zero(instance.keys.row(j), "a key");
    angles.push_back(key.isZero(0) ? HalfAngle::of_cosine(0) : HalfAngle::between(key, direction));
  }
  return weights_of(parameters, angles);
}

}  // namespace skt
