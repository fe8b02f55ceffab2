// How large are the summands X_m = (a_J/p_J) v_J of the sampling estimator? (eqs. (25) to (29))
//
// S1 = sum a_j |v_j|, p_j = a_j |v_j|/S1, y = sum a_j v_j; for the statements and for the adversarial search. It would
// be wrong if |X_m| differed from S1.
#pragma once

#include "proofs_check/inequalities/inequality_sides.hpp"
#include "sim/matrix.hpp"

namespace skt {

// The quantities that the lines compare, for one (a, V). At most 12 keys.
struct SamplingSummands {
  Vector weights;       // a, normalised
  Matrix values;        // V [keys, value_dim]
  Vector norms;         // |v_j|
  Vector output;        // y
  double total = 0;     // S1
  double spectral = 0;  // |V|_2

  SamplingSummands(const Vector& raw_weights, Matrix v);

  // X of key j: (a_j/p_j) v_j, defined where p_j > 0.
  Vector draw(Index j) const;
};

// Sums of at most 12 terms, quotients and square roots on both sides: a relative error below 64 units. The singular
// value adds its own few units for matrices of at most 12 x 12.
constexpr double kSummandRounding = 64 * std::numeric_limits<double>::epsilon();

InequalitySides output_sides(const SamplingSummands& s);   // (26): |y| <= S1
InequalitySides centred_sides(const SamplingSummands& s);  // (27): |X_m - y| <= 2 S1, over all draws
InequalitySides value_sides(const SamplingSummands& s);    // (28): |v_j| <= |V|_2
InequalitySides total_sides(const SamplingSummands& s);    // (29): S1 <= |V|_2

}  // namespace skt
