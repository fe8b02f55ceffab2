// Does Theorem 3 say anything at a setting, and from which L and M on, and up to which temperature, does it?
//
// Its bound is vacuous where it exceeds the trivial bound max_j ||v_j||, which no output can exceed. A wrong threshold
// would show when it is put back into the bound (tests).
#pragma once

#include "estimators/error_terms/error_thresholds.hpp"
#include "proofs_check/error_curves/term_bounds.hpp"

namespace skt {

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
