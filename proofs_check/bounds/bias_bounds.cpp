#include "proofs_check/bounds/bias_bounds.hpp"

#include <cmath>
#include <limits>

#include "proofs_check/bounds/value_covariance.hpp"
#include "sim/require.hpp"

namespace skt {

double chi_square(const Vector& angular_weights, const Vector& population_weights) {
  const Vector a = probabilities_of(angular_weights, population_weights.size(), "angular weights");
  const Vector a_tau = probabilities_of(population_weights, a.size(), "population weights");
  double sum = 0;
  for (Index j = 0; j < a.size(); ++j) {
    const double difference = a(j) - a_tau(j);
    if (difference == 0) continue;
    if (a_tau(j) == 0) return std::numeric_limits<double>::infinity();
    sum += difference / a_tau(j) * difference;
  }
  return sum;
}

double total_variation(const Vector& angular_weights, const Vector& population_weights) {
  const Vector a = probabilities_of(angular_weights, population_weights.size(), "angular weights");
  return (a - probabilities_of(population_weights, a.size(), "population weights")).lpNorm<1>() / 2;
}

double variation_of_ratio(double ratio) {
  require(ratio >= 1, "the ratio of largest to smallest is {}: allowed are numbers from 1", ratio);
  return std::isinf(ratio) ? 1 : (std::sqrt(ratio) - 1) / (std::sqrt(ratio) + 1);
}

double bias_bound_by_chi_square(const Vector& angular_weights, const Vector& population_weights, const Matrix& values) {
  const Vector a_tau = probabilities_of(population_weights, values.rows(), "population weights");
  const double distance = chi_square(angular_weights, population_weights);
  if (std::isinf(distance)) return distance;
  const Vector mean = values.transpose() * a_tau;
  return std::sqrt(distance * largest_eigenvalue(value_covariance(a_tau, values, mean)));
}

double bias_bound_by_variation(const Vector& angular_weights, const Vector& population_weights, double diameter) {
  require(diameter >= 0 && std::isfinite(diameter), "the diameter is {}: allowed are finite numbers from 0", diameter);
  return total_variation(angular_weights, population_weights) * diameter;
}

}  // namespace skt
