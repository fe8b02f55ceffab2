// What is the exact law of y_{tau,L} if a table gives one of two outcomes?
//
// The number of tables with the rarer outcome is binomial, so that every probability is a sum of L + 1 terms and no
// bound needs Monte Carlo to be judged. Moments are written out: zeta takes two values, so its covariance has rank one.
// It would be wrong if the moments were not those of the two outcomes listed, or the sum over all counts not 1.
#pragma once

#include <functional>

#include "estimators/error_terms/table_moments.hpp"
#include "estimators/tables/table_sums.hpp"

namespace skt {

struct TableOutcome {
  Vector numerator;  // [value_dim]
  double normaliser = 1;
};

struct TwoPointTables {
  TableOutcome usual, rare;
  double chance = 0.5;  // of the rare one, in (0, 1)

  double mass() const { return (1 - chance) * usual.normaliser + chance * rare.normaliser; }
  Vector output() const;                              // y_tau
  TargetMoments moments(const Vector& target) const;  // exact
  double kurtosis() const;                            // E||xi||^4/T1^2
  TableSums sums(Index tables, Index of_rare) const;  // `of_rare` rare tables and tables - of_rare usual ones
};

// A sign times `length` on the first coordinate of `value_dim`, normaliser 1: I-TWO as tau -> 0 with one plane.
TwoPointTables sign_tables(Index value_dim = 1);

// y_tau = 0 and normaliser 1: 1 - chance with probability `chance`, else -chance. Two copies of a key with the values
// and the collision probability that make it so.
TwoPointTables jump_tables(double chance);

// P(||y_{tau,L} - target|| > radius), exactly. An excess within rounding, a relative 1e-12, counts as none. Numbers of
// rare tables less probable than `least` are left out, which spares most of them where there are many tables: what is
// missing is tables + 1 times `least` at most.
using RadiusOfSums = std::function<double(const TableSums&)>;
double miss_probability(const TwoPointTables& law, Index tables, const Vector& target, const RadiusOfSums& radius,
                        double least = 0);

}  // namespace skt
