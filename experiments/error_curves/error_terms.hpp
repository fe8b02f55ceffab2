// How large are the three error terms of the paper's Theorem 3 at one setting, and what are they exactly?
//
//   T - y* = (T - y_{tau,L}) + (y_{tau,L} - y_tau) + (y_tau - y*)      sampling, finite tables, bias  (paper, eq. (8))
//
// Exact centres: E||T - y_{tau,L}||^2 given the tables is (S1^2 - ||y_{tau,L}||^2)/M; L E||y_{tau,L} - y_tau||^2
// tends to the delta-method constant; the bias is a difference of two population quantities. Measured: means over
// trials, each with tables of its own. An error here would show as a measured interval that misses its centre.
#pragma once

#include <cstdint>

#include "estimators/population/population.hpp"
#include "estimators/population/ratio_limits.hpp"
#include "estimators/population/weights.hpp"
#include "experiments/command/progress.hpp"
#include "proofs_check/laws/paper_error_bounds.hpp"
#include "sim/statistics/moments.hpp"

namespace skt {

struct Setting {
  Index planes = 8;
  Index tables = 60;
  Index samples = 410;
  double temperature = 0.5;
  Scaling scaling = Scaling::inverse_sqrt_dim;
  Index budget = 0;  // keys that exact attention sees (Algorithm 3); 0: not measured
};

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

  // The constants of the bounds for a given occupancy B.
  BoundConstants constants(double occupancy) const;
};
Centre exact_centre(const Instance& instance, const Setting& setting);

// The same without the limits in L, whose cost is quadratic in the keys: `tables` stays empty.
Centre population_centre(const Instance& instance, const Setting& setting);

// Means over trials. One number to a trial, so that their spread is that of independent draws.
struct MeasuredTerms {
  Moments sampling;           // ||T - y_{tau,L}||^2, averaged over the draws of T on the same tables
  Moments sampling_expected;  // its exact expectation given those tables
  Moments finite_tables;      // ||y_{tau,L} - y_tau||^2
  Moments bias;               // see measure_terms
  Moments total;              // ||T - y*||^2, averaged like sampling
  Moments selection;          // ||attention over the `budget` keys of highest score - dense attention||^2
  Moments left_out;           // square of the softmax mass of the other keys
  Index occupancy = 0;        // largest bucket of any table drawn

  void merge(const MeasuredTerms& later);
};

struct Effort {
  std::uint64_t trials = 350;  // draws of L tables
  std::uint64_t draws = 8;     // draws of T on each of them
};

// The bias is measured along its exact direction b: <n~ - Z~ y*, b>/Z_tau has mean <n_tau - Z_tau y*, b>/Z_tau = bias
// for every L, and adding bias (1 - Z~/Z_tau), of mean zero, takes out the spread that comes from Z~ alone.
// NaN where the bias is zero. meter advances by one for each trial.
MeasuredTerms measure_terms(const Instance& instance, const Setting& setting, const Centre& centre, Seed seed,
                            const Effort& effort, ProgressMeter& meter);

}  // namespace skt
