// The exact population quantities of a small instance, key by key from the quadrature, beside the angular target.
#pragma once

#include "estimators/population/population.hpp"
#include "sim/instance.hpp"

namespace skt {

struct Population {
  PopulationParameters parameters;
  Vector soft;            // w_tau [keys]
  Vector angular;         // w [keys]
  double soft_mass;       // Z_tau
  double angular_mass;    // Z
  Vector soft_output;     // y_tau
  Vector angular_output;  // y*
  Estimate epsilon;
  double error;  // bounds the absolute error of every weight
};

// O(keys) quadratures: for some hundreds of keys at most.
Population population_of(const Instance& instance, Index planes, double temperature,
                         Scaling scaling = Scaling::inverse_sqrt_dim);

// h_ij^P [keys, keys], E[s_i s_j] of one table.
Matrix pair_moments(const Instance& instance, const PopulationParameters& parameters);

}  // namespace skt
