#include "proofs_check/laws/exact_population.hpp"

#include <algorithm>

#include "estimators/population/angular_kernel.hpp"
#include "estimators/weighted_output.hpp"

namespace skt {

Population population_of(const Instance& instance, Index planes, double temperature, Scaling scaling) {
  const PopulationParameters parameters{instance.query.norm(), temperature, instance.dim(), planes, scaling};
  const Vector cosines = cosines_to_query(instance);
  const Index keys = instance.num_keys();
  Vector soft(keys), angular(keys);
  double error = 0;
  for (Index j = 0; j < keys; ++j) {
    if (j > 0 && cosines(j) == cosines(j - 1)) {  // copies of a key, as the tight instances have them
      soft(j) = soft(j - 1);
      angular(j) = angular(j - 1);
      continue;
    }
    const Estimate weight = population_weight(parameters, Cosine::of(cosines(j)));
    const Estimate target = angular_weight(planes, Cosine::of(cosines(j)));
    soft(j) = weight.value;
    angular(j) = target.value;
    error = std::max({error, weight.error, target.error});
  }
  return {.parameters = parameters,
          .soft = soft,
          .angular = angular,
          .soft_mass = soft.sum(),
          .angular_mass = angular.sum(),
          .soft_output = weighted_output(soft, instance.values),
          .angular_output = weighted_output(angular, instance.values),
          .epsilon = epsilon(parameters),
          .error = error};
}

Matrix pair_moments(const Instance& instance, const PopulationParameters& parameters) {
  const Vector cosines = cosines_to_query(instance);
  const Index keys = instance.num_keys();
  Matrix moments(keys, keys);
  for (Index i = 0; i < keys; ++i)
    for (Index j = i; j < keys; ++j) {
      const double between = i == j ? 1.0 : cosine(instance.keys.row(i).transpose(), instance.keys.row(j).transpose());
      moments(i, j) = moments(j, i) =
          population_pair_moment(parameters, Cosine::of(cosines(i)), Cosine::of(cosines(j)), Cosine::of(between)).value;
    }
  return moments;
}

}  // namespace skt
