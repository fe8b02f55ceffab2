// How far will y_{tau,L} be from a target, before any table is drawn, and how many tables does a wanted error take?
//
// Source: docs/bounds/planned_tables.md, Corollaries 3 and 4(i), Proposition C, Approximation 6. The target is that of
// `at`: y_tau, or y* directly. The tables must be independent and `at` of their law; each radius holds with probability
// at least 1 - delta. A wrong one would show where it is attained: one table, constant D, two lengths of xi.
//
// InputError for a delta outside (0, 1) or fewer than one table. A radius that does not exist is +infinity.
#pragma once

#include <functional>
#include <optional>

#include "estimators/error_terms/table_moments.hpp"

namespace skt {

// What is known of ||zetabar||^2, zetabar the mean of zeta over the tables, and of the mean Dbar' of D/Z_tau, which is 1
// on average. The error is ||zetabar||/Dbar'.
struct SquaredMean {
  double mean = 0;                  // upper end
  double variance = 0;              // upper end
  double with_normaliser = 0;       // covariance with Dbar', lower end
  double normaliser_deviation = 0;  // c, of D/Z_tau of one table, upper end
};

// What Corollary 3 makes of it: the least of the root of its quadratic and of its second form, over a fixed list of ways
// to divide delta.
double radius_of_ratio(const SquaredMean& law, double tables, double delta);

// Corollary 3. `kurtosis` is an upper end of E||zeta - mu||^4/T1^2, 1 and more; infinity gives infinity. The offset of
// `at` counts as exact.
double a_priori_bound(const TargetMoments& at, double kurtosis, double tables, double delta);

// Proposition C: Chebyshev's inequality for the ratio, with no fourth moment.
double chebyshev_bound(const TargetMoments& at, double tables, double delta);

// R of Corollary 4(i): ||xi|| of a table is never longer, so the kurtosis at y_tau is at most R^2/T1.
double largest_table_norm(const Instance& instance, const TableMoments& moments,
                          const PopulationParameters& parameters);

// APPROXIMATION 6, no guarantee: root mean square of ||y_{tau,L} - y_tau|| for values that are independent of the keys
// and of each other.
double approximate_table_error(const Instance& instance, const PopulationParameters& parameters,
                               const Vector& population_weights, double tables);

// The smallest number of tables up to `most` with bound(tables) <= wanted, or none. Exact for a bound that falls with
// the tables; of another one a number with that property, if the search along powers of 2^(1/8) meets one. `bound` is
// called some 8 log2(most) times.
std::optional<Index> smallest_tables(double wanted, const std::function<double(double tables)>& bound, Index most);

}  // namespace skt
