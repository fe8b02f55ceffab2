// How do a query and two keys lie on the sphere, given their three cosines?
//
// The spherical triangle query - key i - key j has the sides theta_i, theta_j, theta_ij and at the query the angle
// gamma with cos gamma = (r_ij - rho_i rho_j) / (sin theta_i sin theta_j). Near-parallel and coplanar triples lose all
// digits of gamma in double precision, so the differences are formed with 50 digits from the exact inputs.
#pragma once

#include "estimators/population/parameters.hpp"

namespace skt {

struct PairGeometry {
  double sines = 0;            // sin theta_i sin theta_j
  double gamma = 0;            // in [0, pi]; 0 where sines is 0
  double gamma_to_pi = 0;      // pi - gamma, with its own digits
  double half_difference = 0;  // |sin((theta_i - theta_j)/2)|
  double half_sum = 0;         // cos((theta_i + theta_j)/2), its sign that of pi - theta_i - theta_j
  double cot_sum = 0;          // cot theta_i + cot theta_j
};

// Throws InputError if no three vectors have these cosines, beyond what rounding of each explains.
PairGeometry pair_geometry(Cosine rho_i, Cosine rho_j, Cosine r_ij);

}  // namespace skt
