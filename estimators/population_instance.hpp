// Population quantities of a whole instance: weights of all keys, y_tau, and the delta-method constant
//   lim_{L->inf} L E||y_{tau,L} - y_tau||^2 = (1/Z_tau^2) sum_ij h_ij^P <v_i - y_tau, v_j - y_tau>.
#pragma once

#include "estimators/population.hpp"
#include "sim/instance.hpp"

namespace skt {

// w_tau of every key by an interpolant in the cosine whose error is checked against the quadrature:
// 1M keys in seconds. `error` bounds |weight - exact| for every key.
struct PopulationWeights {
  Vector weights;  // [keys]
  double error = 0;
};
PopulationWeights population_weights(const PopulationParameters& parameters, const Vector& cosines);
PopulationWeights population_weights(const PopulationParameters& parameters, const Instance& instance);

// parameters.query_norm and .dim are taken from the instance.
PopulationParameters population_parameters(const Instance& instance, Index planes, double temperature,
                                           Scaling scaling);

// The delta-method constant. Cost O(keys^2); memory O(keys * nodes + a block).
Estimate delta_method_constant(const PopulationParameters& parameters, const Instance& instance);

// Var Z~ of one table: sum_ij h_ij^P - Z_tau^2, for Z~ = sum_j s_j.
Estimate normaliser_variance(const PopulationParameters& parameters, const Instance& instance);

}  // namespace skt
