// Which error is to be expected of tables that are not drawn yet, and how many tables and samples does a wanted error take?
//
// The bounds of proofs_check/bounds/ at the numbers of one query. It would be wrong if a count one smaller reached the
// wanted error too, or the count itself did not.
#pragma once

#include <optional>
#include <string>

#include "estimators/error_terms/table_moments.hpp"
#include "estimators/tables/table_sums.hpp"
#include "proofs_check/bounds/fresh_tables.hpp"
#include "proofs_check/bounds/sampling_bounds.hpp"
#include "proofs_check/certificate/certify_plan.hpp"

namespace skt {

// Of the total, the share of delta that the tables get: their error is small beside that of the sampling.
inline constexpr double kTablesShareOfTotal = 0.15;

// What the samples get, so that (1 - delta_tables)(1 - delta_samples) = 1 - delta.
double delta_of_samples(double delta);

// Radii of ||y_{tau,L} - y_tau|| with L = `tables`.
struct AprioriBounds {
  TargetMoments at;
  double kurtosis_bound = 0;     // R^2/T1, Corollary 4(i)
  double kurtosis_estimate = 0;  // of the drawn tables: no guarantee
  std::optional<CertifiedLaw> fresh{};

  double by_kurtosis(double tables, double delta) const;
  double by_chebyshev(double tables, double delta) const;
  double by_fresh(double tables, double delta) const;  // infinite without fresh tables
  double estimated(double tables, double delta) const;

  // The least of them that holds but with probability delta, what the fresh tables may mislead by included.
  double certified(double tables, double delta) const;
};

// All of it for one instance; `sums` are those of the drawn tables.
AprioriBounds a_priori_bounds(const Instance& instance, const CertifyPlan& plan, const TableSums& sums, Seed seed,
                              const WorkDone& done = {});

// Smallest counts for the wanted error; none: not reached. The reason says why, and what would change it; also where the
// samples are more than the keys.
struct SmallestCounts {
  std::optional<Index> tables_certified, tables_estimated;  // ||y_{tau,L} - y_tau|| alone
  std::optional<Index> samples;                             // ||T - y_{tau,L}|| alone, on the drawn tables
  // ||T - y*||, half of delta each; estimated, since the samples' law is that of the drawn tables.
  std::optional<Index> together_tables_estimated, together_samples_estimated;
  std::string reason{};
};

// `bounds` is null without the pairs of keys; `law` is that of a draw on the drawn tables.
SmallestCounts smallest_counts(double target, const CertifyPlan& plan, const AprioriBounds* bounds,
                               const SamplingLaw& law, double bias, Index keys);

}  // namespace skt
