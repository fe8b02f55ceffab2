// The population weight of every key of an instance: w_tau, a million of them in seconds.
//
// g by an interpolant in the angle (agreement_interpolant.hpp), whose error is measured against the quadrature. It
// would be wrong if a weight were further than its error from population_weight of the same cosine.
#pragma once

#include "estimators/population/parameters.hpp"
#include "sim/instance.hpp"

namespace skt {

// `error` bounds |weight - exact| for every key. A zero key counts as orthogonal to the query. InputError for a cosine
// outside -1 .. 1 or a key that is not finite.
struct PopulationWeights {
  Vector weights;  // [keys]
  double error = 0;
};
PopulationWeights population_weights(const PopulationParameters& parameters, const Vector& cosines);
PopulationWeights population_weights(const PopulationParameters& parameters, const Instance& instance);

// parameters.query_norm and .dim are taken from the instance.
PopulationParameters population_parameters(const Instance& instance, Index planes, double temperature, Scaling scaling);

}  // namespace skt
