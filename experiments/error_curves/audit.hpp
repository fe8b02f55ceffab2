// What does Theorem 3 say at a production setting (paper, Table 6), and how large are the errors there really?
//
// Every term of the bound over the trivial bound max_j ||v_j||, which no output can exceed, under three readings of the
// occupancy B; beside it the exact errors, the measured ones, and what makes them small: how far tanh is saturated,
// how many keys no table brings together with the query, how many scores differ, how much of the way from the plain
// mean of the values to y* the population output goes. Two searches: from which L and M on, and up to which tau, the
// theorem says something, and the error itself is below a wanted level. A wrong threshold would show when it is put
// back into the bound (tests). Last, on draws of their own, printed, repaired and our bounds beside the true quantile of
// each error (bound_draws.hpp).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "estimators/error_terms/error_thresholds.hpp"
#include "estimators/error_terms/measured_terms.hpp"
#include "estimators/error_terms/table_statistics.hpp"
#include "proofs_check/error_curves/bound_draws.hpp"
#include "proofs_check/error_curves/bound_thresholds.hpp"
#include "sim/families.hpp"

namespace skt {

struct AuditPlan {
  FamilyParameters family;
  std::vector<Index> planes{8, 10, 12};             // Table 6: LongBench 8, RULER 10 to 12
  std::vector<double> temperatures{0.3, 0.5, 0.7};  // Table 6
  Index tables = 60;
  Index samples = 0;  // 0: a tenth of the keys
  Scaling scaling = Scaling::inverse_sqrt_dim;
  double delta = 0.1;    // of the bounds, half for the tables and half for the samples
  double target = 0.01;  // the wanted error over the trivial bound
  std::uint64_t trials = 32;
  double bound_delta = 0.05;        // of each bound that is compared with the true quantile
  std::uint64_t bound_draws = 200;  // 0: no comparison
  Index fresh_tables = 20'000;      // for Corollaries 3 and 4
};

// Which parts of an audit are wanted.
enum class AuditPart { all, bounds };

// The bound under three readings of the occupancy.
struct OccupancyReadings {
  BoundAudit realised;  // the fullest bucket of one draw of L tables
  BoundAudit quantile;  // what no bucket of L tables exceeds with probability 1 - delta/2
  // A certified lower bound of what holds almost surely, which the proofs need: the keys in the best open half-space
  // that was found, or the fullest bucket of any draw.
  BoundAudit almost_sure;

  // With their names, in this order.
  std::vector<std::pair<std::string, BoundAudit>> named() const;
};

struct SettingAudit : PopulationFigures {  // its centre with the limits in L
  double finite_tables = 0;                // exact root mean square over `trivial`, as a limit in L
  ErrorThresholds needs{};                 // of the errors, at the target
  MeasuredTerms measured{};                // in the unit of the values
  TableStatistics tables{};
  OccupancyReadings bounds{};
  BoundComparison compared{};

  double bits_per_token() const;  // codes, and a value norm in half precision
};

struct Audit {
  AuditPlan plan;
  AuditPart part = AuditPart::all;
  double query_norm = 0;
  std::vector<SettingAudit> settings;  // planes outermost
};

// InputError for what its table (requests.hpp) cannot see: what does not go together, and the size of learned keys.
void check(const AuditPlan& plan, AuditPart part = AuditPart::all);

// InputError for a plan that fails the check. Of `bounds`, the settings hold their figures, centre and comparison only.
Audit run_audit(const AuditPlan& plan, AuditPart part, Seed seed);

// How many proved bounds are missed more often than delta, with certainty.
Index refuted_bounds(const Audit& audit);

}  // namespace skt
