// How far can y_{tau,L} be from y_tau, given what each of the L drawn tables made of the values?
//
// Source: docs/bounds/drawn_tables.md, Theorems 1 and 2. No score has to be bounded and no fourth moment to be known;
// the tables must be independent and the population numbers those of their law. `at` holds the moments at y_tau. Each
// radius holds with probability at least 1 - delta over the draw of the tables, for one query. It would be wrong if
// tables that are copies of each other kept it, or if an exact sum over a law of two values found more than delta.
//
// InputError for a delta outside (0, 1), no table, or shapes that do not fit. A radius that does not exist is +infinity.
#pragma once

#include "estimators/error_terms/table_moments.hpp"
#include "estimators/tables/table_sums.hpp"

namespace skt {

// k = sqrt((1 - delta)/delta): a variable exceeds its mean by k standard deviations with probability delta at most.
double cantelli_factor(double delta);

// Theorem 1(a), for a y_tau that is known.
double self_normalised_bound(const TableSums& sums, const Vector& population_output, const TargetMoments& at,
                             double delta);

// Theorem 1(b): from the drawn sums and t = Z_tau^4 T2 alone, the squared Frobenius norm of Cov(N - y_tau D). Infinite
// for a single table.
double certified_bound(const TableSums& sums, const TargetMoments& at, double delta);

// APPROXIMATION, no guarantee: 1(b) with t estimated from the same tables.
double estimated_bound(const TableSums& sums, double delta);

// Theorem 2: grows as sqrt(log(1/delta)). `gamma` > 0 is fixed before the tables are drawn; the first form takes
// sqrt(log(1/delta)/(L^2 lambda T1)).
double exponential_bound(const TableSums& sums, const Vector& population_output, const TargetMoments& at, double delta);
double exponential_bound(const TableSums& sums, const Vector& population_output, const TargetMoments& at, double delta,
                         double gamma);

}  // namespace skt
