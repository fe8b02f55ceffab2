// How large does Theorem 3 bound each error term at a setting, for a given occupancy of the buckets? Does it say anything
// there, and from which L and M on, and up to which temperature, does it?
//
// The bounds of proofs_check/laws/paper_error_bounds.hpp at the exact constants of the instance; Theorem 3 splits delta
// evenly between tables and samples. It is vacuous where it exceeds the trivial bound max_j ||v_j||, which no output can
// exceed. A wrong constant would show in a bound that a measured error exceeds, a wrong threshold when it is put back
// into the bound (tests).
#pragma once

#include "estimators/error_terms/error_thresholds.hpp"
#include "estimators/error_terms/exact_terms.hpp"
#include "proofs_check/laws/paper_error_bounds.hpp"

namespace skt {

// B is the occupancy.
BoundConstants bound_constants(const Centre& centre, Index occupancy);

struct TermBounds {
  ErrorTerms terms;
  double required_tables = 0;  // the least L that the theorem admits
};
TermBounds term_bounds(const Centre& centre, const Setting& setting, Index occupancy, double delta);

struct BoundAudit {
  Index occupancy = 0;         // B, keys
  double required_tables = 0;  // the least L that the theorem admits
  ErrorTerms over_trivial;     // each term of the bound / max ||v||
  Thresholds alone;            // where one term alone meets the trivial bound: necessary
  Thresholds together;         // a third each, at their own temperature: sufficient
};

BoundAudit audit_bound(const Instance& instance, const Setting& setting, const Centre& centre, Index occupancy,
                       double delta);

}  // namespace skt
