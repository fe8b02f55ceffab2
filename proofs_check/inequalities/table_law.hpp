// A law of tables that is a finite sum: a few tables, each with its probability.
//
// The deterministic steps of appendix B hold for every law of the tables, if B bounds every bucket of every table of
// that law. So a few tables with probabilities are enough to test a step exactly: expectations are sums, B is known,
// and an optimiser can move through all such laws (adversarial_search.hpp). It would be wrong if a table's scores
// differed from the estimators'.
#pragma once

#include "proofs_check/context.hpp"
#include "proofs_check/inequalities/bias_cases.hpp"
#include "sim/instance.hpp"
#include "sim/number.hpp"

namespace skt {

// Below this mass a weight is as uncertain as its rounding, and outputs are not defined.
inline constexpr double kLeastMass = 1e-6;

struct TableLaw {
  Vector probability;  // of each table, sums to 1 [tables]
  Matrix scores;       // s [tables, keys]
  Matrix collisions;   // I, 0 or 1 [tables, keys]
  Vector own;          // p(b_q) [tables]
  Vector missed;       // 1 - p(b_q), summed over the other buckets [tables]
  Vector fullest;      // keys of the largest bucket [tables]
  Matrix values;       // V [keys, value_dim]
  Matrix signal;       // u of the query, from its single table [tables, planes]
  double temperature = 0;
  double logit_error = 0;  // of a probability, from the rounding of the projections of the query
  double spectral = 0;     // |V|_2

  Index tables() const { return scores.rows(); }
  double keys() const { return real(scores.cols()); }
  double occupancy() const { return fullest.maxCoeff(); }                          // B, almost sure under this law
  Vector mean_scores() const { return scores.transpose() * probability; }          // w_tau
  Vector mean_collisions() const { return collisions.transpose() * probability; }  // w
  Vector numerator(Index table) const { return values.transpose() * scores.row(table).transpose(); }

  // Sums of N terms of at most 1, each with the error of a probability: a few units, and logit_error by each of two
  // routes. Of a sum of values: this times |V|_2.
  double rounding() const;
};

// Through the estimators of the context. `probability` [tables].
TableLaw table_law(const Context& context, const Instance& instance, const Hyperplanes& hyperplanes, double temperature,
                   const Vector& probability);

// All tables equally probable.
TableLaw table_law(const Context& context, const Instance& instance, const Hyperplanes& hyperplanes,
                   double temperature);

// The population of this law, for the steps that compare w_tau with w; B is occupancy().
BiasCase bias_case(const TableLaw& law);

}  // namespace skt
