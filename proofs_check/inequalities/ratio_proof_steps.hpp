// What do the steps of Lemma 9 compare? (eqs. (21) to (23))
//
// n~, Z~ of the drawn tables beside n_tau, Z_tau of their law, for the statements (drawn Gaussian tables, exact
// population) and for the adversarial search (finite laws of tables); and the instances on which the steps are tight or
// each of their terms is needed. It would be wrong if scalar values of opposite sign did not give equality in (22).
#pragma once

#include "proofs_check/inequalities/inequality_sides.hpp"
#include "proofs_check/inequalities/table_law.hpp"
#include "proofs_check/laws/table_scores.hpp"

namespace skt {

struct DrawnRatio {
  FiniteTables drawn;
  FiniteTables population;
  double occupancy = 0;  // which every bucket obeys
  double spectral_norm = 0;

  Vector difference() const { return drawn.output - population.output; }
  Vector numerator_gap() const { return drawn.numerator - population.numerator; }
  double mass_gap() const;
  // Every term of (21) and (22) rounds a few units of one of these.
  double rounding() const;
};

// One table of the law as the drawn one.
DrawnRatio drawn_ratio(const TableLaw& law, Index table);

// (22): |y_tauL - y_tau| <= |n~ - n_tau|/Z~ + |n_tau||Z~ - Z_tau|/(Z~ Z_tau).
InequalitySides triangle_sides(const DrawnRatio& r);

// (23), for Z~ >= Z_tau/2: (2/Z_tau)|n~ - n_tau| + (2|V| sqrt(B)/Z_tau^2)|Z~ - Z_tau|.
InequalitySides enough_mass_sides(const DrawnRatio& r);

// Two keys with the values +1 and -1, met by one of two tables: both terms of (22) point the same way.
DrawnRatio opposite_scalars();

// The same keys, w~ = (.375, 0) over two tables: L Z~ = Z_tau = .75, while Z~ is half of it. Both terms are 1/3.
DrawnRatio half_of_two_tables();

// Nineteen keys of value 0 at 0.1 pi to the query, nine of value 1 opposite to them: Z_tau = 19*0.9 + 9*0.1 = 18 as
// tau -> 0 with one plane. One table separates them with the query on the side of the nine, so Z~ = 9. No half-plane
// holds more than B = 19, |V| = 3, n_tau = 0.9.
DrawnRatio half_of_the_mass(const Context& context);

// A key of value 1 along the query and one of value 0 at theta = 0.01 pi to it. One table of a hundred meets the first
// alone: Z_tau = 1.99 and Z~ = 1 as tau -> 0 with one plane, B = 2, |V| = 1, n_tau = n~ = 1. Only the second term of (23)
// is left, and the ratio tends to 1/sqrt(2) with theta.
DrawnRatio half_with_all_values(const Context& context);

}  // namespace skt
