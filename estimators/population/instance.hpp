// Population quantities of a whole instance: weights of all keys, and how fast y_{tau,L} approaches y_tau.
#pragma once

#include "estimators/population/population.hpp"
#include "sim/instance.hpp"

namespace skt {

// w_tau of every key by an interpolant in the angle whose error is checked against the quadrature: 1M keys in seconds.
// `error` bounds |weight - exact| for every key. A zero key counts as orthogonal to the query.
struct PopulationWeights {
  Vector weights;  // [keys]
  double error = 0;
};
PopulationWeights population_weights(const PopulationParameters& parameters, const Vector& cosines);
PopulationWeights population_weights(const PopulationParameters& parameters, const Instance& instance);

// parameters.query_norm and .dim are taken from the instance.
PopulationParameters population_parameters(const Instance& instance, Index planes, double temperature, Scaling scaling);

// Limits of the ratio y_{tau,L} = n~/Z~ as L grows (delta method). With a_j = v_j - y_tau, sum_j w_j a_j = 0:
struct RatioLimits {
  // lim L E||y_{tau,L} - y_tau||^2 = (1/Z_tau^2) sum_ij h_ij^P <a_i, a_j>
  Estimate mean_square;
  // lim L (E y_{tau,L} - y_tau) = -(1/Z_tau^2) sum_ij h_ij^P a_j, [value_dim]
  Vector bias;
  double bias_error = 0;  // Euclidean
  // Var of one table's Z~ = sum_j s_j: sum_ij h_ij^P - Z_tau^2, at every L
  Estimate normaliser_variance;
};
// Cost O(keys^2 (dim + value_dim + nodes)); memory O(keys (dim + value_dim + nodes)), no [keys, keys] array.
// The same bits for any thread count. InputError if keys and values differ in number, or are none.
RatioLimits ratio_limits(const PopulationParameters& parameters, const Instance& instance);

// Their parts.
Estimate delta_method_constant(const PopulationParameters& parameters, const Instance& instance);
Estimate normaliser_variance(const PopulationParameters& parameters, const Instance& instance);

}  // namespace skt
