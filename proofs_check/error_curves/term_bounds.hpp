// How large does Theorem 3 bound each error term at a setting, for a given occupancy of the buckets?
//
// The bounds of proofs_check/laws/paper_error_bounds.hpp at the exact constants of the instance; Theorem 3 splits delta evenly
// between tables and samples. A wrong constant would show in a bound that a measured error exceeds.
#pragma once

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

}  // namespace skt
