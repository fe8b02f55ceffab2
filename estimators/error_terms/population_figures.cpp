#include "estimators/error_terms/population_figures.hpp"

#include <cmath>
#include <numbers>

#include "estimators/population/angular_kernel.hpp"
#include "estimators/value_sampling.hpp"
#include "sim/number.hpp"

namespace skt {
namespace {

constexpr double kSaturated = 0.99;  // |tanh| from which on a plane counts as saturated

}  // namespace

double saturated_planes(double query_norm) {
  return std::erfc(std::atanh(kSaturated) / query_norm / std::numbers::sqrt2);
}

double expected_keys_never_hit(const Vector& angular_weights, double tables) {
  return (1 - angular_weights.array()).pow(tables).mean();
}

double recovered_share(const Vector& way, const Vector& gone) {
  return gone.dot(way) / way.squaredNorm();
}

PopulationFigures population_figures(const Instance& instance, const Setting& setting) {
  PopulationFigures at;
  at.setting = setting;
  at.centre = population_centre(instance, setting);
  at.trivial = at.centre.largest_value;
  at.saturated_planes = saturated_planes(instance.query.norm());
  at.keys_never_hit = expected_keys_never_hit(angular_weights(instance, setting.planes), real(setting.tables));

  const Vector plain = instance.values.colwise().mean().transpose();
  const Vector angular = at.centre.angular_output - plain, population = at.centre.population_output - plain;
  at.recovered = recovered_share(angular, population);
  at.angular_deviation = angular.norm() / at.trivial;
  at.population_deviation = population.norm() / at.trivial;
  const Vector weights = population_weights(population_parameters(instance, setting), instance).weights;
  const double one_sample = ValueSampler(weights, instance.values).mean_squared_error(1);
  at.sampling = std::sqrt(one_sample / real(setting.samples)) / at.trivial;
  at.bias = at.centre.bias.value / at.trivial;
  return at;
}

}  // namespace skt
