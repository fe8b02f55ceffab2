// What do independent tables, drawn for the purpose, certify about the error of the user's own?
//
// Source: docs/bounds/planned_tables.md, Corollary 4(ii). The fourth moment of xi has no bound that is cheap and sharp;
// n fresh tables give one that holds but with probability beta, counted inside delta. It would be wrong if the
// certified radius were exceeded more often than delta in repetitions that draw the fresh tables too.
//
// InputError for a delta outside (0, 1), a beta outside (0, delta), or too few tables. Where the fresh tables are too few
// for delta, the radius is +infinity.
#pragma once

#include <functional>

#include "estimators/error_terms/table_moments.hpp"

namespace skt {

// ||xi||^2 at y_tau of independent tables [count], in the order drawn. The first twentieth chooses where to cut the law
// off; the others, which know nothing of that choice, certify.
struct FreshTables {
  Vector squared_norms;
};

// Called on the calling thread as tables are done, and at the end.
using FreshTablesProgress = std::function<void(Index done, Index count)>;

// Tables of a stream of their own: independent of those of draw_hyperplanes with the same seed. The first tables of a
// larger count are those of a smaller one; the same bits for any thread count. Cost O(count keys (planes dim +
// value_dim)); memory for one group of tables a thread. InputError for fewer than kLeastFreshTables or more than 2^32.
inline constexpr Index kLeastFreshTables = 40;
FreshTables draw_fresh_tables(const Instance& instance, const TableMoments& moments,
                              const PopulationParameters& parameters, Seed seed, Index count,
                              const FreshTablesProgress& progress = {});

// What they certify of xi' = xi where ||xi|| <= rho, 0 elsewhere; every part but with probability beta/3.
struct CertifiedLaw {
  double beta = 0;
  double cut = 0;                // rho^2, 1.4 times the largest of the first twentieth
  double beyond = 0;             // p0, upper limit of P(||xi|| > rho)
  double variance = 0;           // v, upper limit of Var ||xi'||^2
  double kurtosis_estimate = 0;  // E||xi||^4/(E||xi||^2)^2 of the sample: APPROXIMATION, no guarantee
};
CertifiedLaw certified_law(const FreshTables& fresh, double beta = 3e-4);

// The radius of ||y_{tau,L} - y_tau||. `at` holds the moments at y_tau.
double certified_a_priori_bound(const CertifiedLaw& law, const TargetMoments& at, double tables, double delta);
double certified_a_priori_bound(const FreshTables& fresh, const TargetMoments& at, double tables, double delta,
                                double beta = 3e-4);

// The least number of fresh tables with which some radius is finite, if none of them lies beyond the cut.
Index fresh_tables_needed(double tables, double delta, double beta = 3e-4);

}  // namespace skt
