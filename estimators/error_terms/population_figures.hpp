// What makes the errors of Theorem 3 small at a setting, exactly, with no draw of tables and no pair of keys?
//
// How far tanh is saturated, how many keys no table brings together with the query, and how much of the way from the
// plain mean of the values to y* the population output goes: an output near the plain mean is off by little from
// anything. Wrong if the measured share of keys never hit missed its exact mean (table_statistics.hpp), or if cold
// buckets did not recover y* whole and hot ones nothing of it.
#pragma once

#include "estimators/error_terms/exact_terms.hpp"

namespace skt {

struct PopulationFigures {
  Setting setting;
  double trivial = 0;               // max ||v||, the unit of what follows where not said otherwise
  Centre centre;                    // in the unit of the values; without its limits in L
  double saturated_planes = 0;      // P(|tanh(w.q)| >= 0.99)
  double keys_never_hit = 0;        // expected share of the keys with no hard collision in L tables
  double recovered = 0;             // <y_tau - vbar, y* - vbar>/||y* - vbar||^2, vbar the plain mean
  double angular_deviation = 0;     // ||y* - vbar||
  double population_deviation = 0;  // ||y_tau - vbar||
  double sampling = 0;              // root mean square at the population weights, the limit in L
  double bias = 0;                  // ||y_tau - y*||
};
PopulationFigures population_figures(const Instance& instance, const Setting& setting);

// P(|tanh(w.q)| >= 0.99) for a row w of standard normals: w.q is normal with deviation |q|.
double saturated_planes(double query_norm);

// One table brings a key and the query together with the probability of the key's angular weight; the mean over the
// keys.
double expected_keys_never_hit(const Vector& angular_weights, double tables);

// Which share of a way has been gone along it: 0 at the start and beside it, 1 at the goal.
double recovered_share(const Vector& way, const Vector& gone);

}  // namespace skt
