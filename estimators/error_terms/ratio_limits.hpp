// How fast does the ratio y_{tau,L} of an instance approach y_tau as the tables grow?
//
// The delta method over the moments of one table (table_moments.hpp). It would be wrong if the double
// sums over plain quadratures of each pair, or one simulated table, had other moments.
#pragma once

#include "estimators/error_terms/table_moments.hpp"
#include "sim/instance.hpp"
#include "sim/number.hpp"

namespace skt {

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
RatioLimits ratio_limits(const TableMoments& moments);

// The same for an instance: cost, memory and refusals of table_moments.
RatioLimits ratio_limits(const PopulationParameters& parameters, const Instance& instance);

}  // namespace skt
