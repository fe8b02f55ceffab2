// What do the steps of Lemma 9 compare? (eqs. (21) to (23))
//
// n~, Z~ of the drawn tables beside n_tau, Z_tau of their law, for the statements (drawn Gaussian tables, exact
// population) and for the adversarial search (finite laws of tables). It would be wrong if scalar values of opposite
// sign did not give equality in (22).
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

}  // namespace skt
