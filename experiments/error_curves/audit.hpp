// What does Theorem 3 say at a production setting (paper, Table 6), and how large are the errors there really?
//
// Every term of the bound over the trivial bound max_j ||v_j||, which no output can exceed, under three readings of the
// occupancy B; beside it the exact errors, the measured ones, and what makes them small: how far tanh is saturated,
// how many keys no table brings together with the query, how many scores differ, how much of the way from the plain
// mean of the values to y* the population output goes. Two searches: from which L and M on, and up to which tau, the
// theorem says something, and the error itself is below a wanted level. A wrong threshold would show when it is put
// back into the bound (tests).
#pragma once

#include <array>
#include <string>
#include <vector>

#include "experiments/error_curves/error_terms.hpp"
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
};

// realised: the fullest bucket of one draw of L tables. quantile: what no bucket of L tables exceeds with probability
// 1 - delta/2. almost_sure: a certified lower bound of what holds almost surely, which the proofs need (keys in the
// best open half-space that was found).
enum class OccupancyReading { realised, quantile, almost_sure };
std::string name_of(OccupancyReading reading);

// From which L and M on, and up to which tau, a level is kept. Infinite tau: at every temperature.
struct Thresholds {
  double tables = 0;
  double samples = 0;
  double temperature = 0;
};

struct BoundAudit {
  OccupancyReading reading = OccupancyReading::realised;
  Index occupancy = 0;         // B, keys
  double required_tables = 0;  // the least L that the theorem admits
  ErrorTerms over_trivial;     // each term of the bound / max ||v||
  Thresholds alone;            // where one term alone meets the trivial bound: necessary
  Thresholds together;         // a third each, at their own temperature: sufficient
};

// Means over draws of L tables.
struct TableStatistics {
  Moments keys_never_hit;         // share of the keys with no hard collision
  Moments distinct_scores;        // 1/sum of squared shares of equal soft scores in bfloat16
  Moments distinct_hard_counts;   // the same of the hard counts
  std::vector<double> occupancy;  // the fullest bucket of every table drawn, trial by trial
  void merge(const TableStatistics& later);
};

struct SettingAudit {
  Setting setting;
  double trivial = 0;                                // max ||v||, the unit of what follows where not said otherwise
  Centre centre;                                     // in the unit of the values
  double saturated_planes = 0;                       // P(|tanh(w.q)| >= 0.99)
  double keys_never_hit = 0;                         // exact mean of TableStatistics::keys_never_hit
  double recovered = 0;                              // <y_tau - vbar, y* - vbar>/||y* - vbar||^2, vbar the plain mean
  double angular_deviation = 0;                      // ||y* - vbar||
  double population_deviation = 0;                   // ||y_tau - vbar||
  double sampling = 0, finite_tables = 0, bias = 0;  // exact root mean squares, the first two as limits in L
  Thresholds alone, together;                        // of the errors, at the target
  MeasuredTerms measured;                            // in the unit of the values
  TableStatistics tables;
  std::array<BoundAudit, 3> bounds;

  double bits_per_token() const;  // codes, and a value norm in half precision
};

struct Audit {
  AuditPlan plan;
  double query_norm = 0;
  std::vector<SettingAudit> settings;  // planes outermost
};

// InputError for a plan that is out of range.
Audit run_audit(const AuditPlan& plan, Seed seed);

// Their parts, on an instance of one's own.
TableStatistics table_statistics(const Instance& instance, const Setting& setting, Seed seed, std::uint64_t trials);
BoundAudit audit_bound(const Instance& instance, const Setting& setting, const Centre& centre, Index occupancy,
                       double delta);
// What needs no draw of tables and no pair of keys; no threshold either.
SettingAudit population_audit(const Instance& instance, const Setting& setting);

}  // namespace skt
