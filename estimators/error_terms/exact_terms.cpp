#include "estimators/error_terms/exact_terms.hpp"

#include "estimators/population/angular_kernel.hpp"
#include "estimators/weighted_output.hpp"
#include "sim/number.hpp"

namespace skt {
namespace {

// ||delta y_tau|| when every weight is off by at most e: sum_j e ||v_j - y_tau|| / Z_tau <= 2 N e max||v|| / Z_tau.
double output_error(double weight_error, Index keys, double largest_value, double mass) {
  return 2 * real(keys) * weight_error * largest_value / mass;
}

}  // namespace

PopulationParameters population_parameters(const Instance& instance, const Setting& setting) {
  return population_parameters(instance, setting.planes, setting.temperature, setting.scaling);
}

Centre population_centre(const Instance& instance, const Setting& setting) {
  const PopulationParameters parameters = population_parameters(instance, setting);
  const PopulationWeights population = population_weights(parameters, instance);
  const Vector angular = angular_weights(instance, setting.planes);
  Centre centre;
  centre.angular_output = weighted_output(angular, instance.values);
  centre.population_output = weighted_output(population.weights, instance.values);
  centre.population_mass = population.weights.sum();
  centre.angular_mass = angular.sum();
  centre.epsilon = epsilon(parameters).value;
  centre.spectral_norm = spectral_norm(instance.values);
  centre.largest_value = row_norms(instance.values).maxCoeff();
  centre.bias = {(centre.population_output - centre.angular_output).norm(),
                 output_error(population.error, instance.num_keys(), centre.largest_value, centre.population_mass)};
  return centre;
}

Centre exact_centre(const Instance& instance, const Setting& setting) {
  Centre centre = population_centre(instance, setting);
  centre.tables = ratio_limits(population_parameters(instance, setting), instance);
  return centre;
}

}  // namespace skt
