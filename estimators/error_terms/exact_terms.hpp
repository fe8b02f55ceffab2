// What are the three error terms of the paper's Theorem 3 exactly, at one setting?
//
//   T - y* = (T - y_{tau,L}) + (y_{tau,L} - y_tau) + (y_tau - y*)      sampling, finite tables, bias  (paper, eq. (8))
//
// Exact centres: E||T - y_{tau,L}||^2 given the tables is (S1^2 - ||y_{tau,L}||^2)/M; L E||y_{tau,L} - y_tau||^2 tends
// to the delta-method constant; the bias is a difference of two population quantities. An error here would show as a
// measured interval that misses its centre (measured_terms.hpp).
#pragma once

#include "estimators/error_terms/ratio_limits.hpp"
#include "estimators/population/population.hpp"
#include "estimators/population/weights.hpp"

namespace skt {

struct Setting {
  Index planes = 8;
  Index tables = 60;
  Index samples = 410;
  double temperature = 0.5;
  Scaling scaling = Scaling::inverse_sqrt_dim;
  Index budget = 0;  // keys that exact attention sees (Algorithm 3); 0: not measured
};

// Query norm and dimension of the instance, the rest of the setting.
PopulationParameters population_parameters(const Instance& instance, const Setting& setting);

// What depends on neither tables nor samples.
struct Centre {
  Vector angular_output;       // y*, [value_dim]
  Vector population_output;    // y_tau, [value_dim]
  double population_mass = 0;  // Z_tau
  double angular_mass = 0;     // Z
  double epsilon = 0;          // epsilon_tau
  Estimate bias;               // ||y_tau - y*||
  RatioLimits tables;          // how y_{tau,L} approaches y_tau
  double spectral_norm = 0;    // ||V||_2
  double largest_value = 0;    // max_j ||v_j||: the trivial bound, for all outputs lie in the hull of the values
};
Centre exact_centre(const Instance& instance, const Setting& setting);

// The same without the limits in L, whose cost is quadratic in the keys: `tables` stays empty.
Centre population_centre(const Instance& instance, const Setting& setting);

}  // namespace skt
