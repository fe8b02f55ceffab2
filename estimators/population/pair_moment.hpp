// How often do two keys agree with the query at once? E[s_i s_j] of one plane, with no Monte Carlo.
//
// Given z, key k agrees with probability p_k = Phi(c_k z), both agree with probability A, and
//   E[s_i s_j | z] = T^2 A + miss T (p_i + p_j) + miss^2,
// all terms positive. For coplanar vectors on opposite sides of the query A = max(0, p_i + p_j - 1). From there,
// turning key j about the query's axis until the angle between the two planes is gamma, Plackett's identity
// dE[T^2 A]/d(asin r_ij) = E[T(sigma z)^2]/(2 pi), sigma the sine of the query's distance to the keys' great circle,
// and d(asin r_ij) = -sigma d(gamma) give
//   E[T^2 A] = E[T^2 max(0, p_i + p_j - 1)] + (1/2pi) int_gamma^pi sigma E[T(sigma z)^2] dgamma,
// again all positive: a relative error of rounding size for every triple, degenerate or not. The covariance starts from
// gamma = pi/2 instead, where the two bits are independent given z.
// It would be wrong if Owen's T function, which shares nothing with this route, gave another moment.
#pragma once

#include "estimators/population/parameters.hpp"
#include "sim/number.hpp"

namespace skt {

// h(rho_i, rho_j, r_ij) = E[s_i s_j] of one plane; rho_i, rho_j to the query, r_ij between the keys.
// The three cosines must form a positive semidefinite Gram matrix (within rounding); otherwise InputError.
Estimate plane_pair_moment(const PopulationParameters& parameters, Cosine rho_i, Cosine rho_j, Cosine r_ij);

// h - g_i g_j, the covariance of the two keys' factors of one plane, without cancellation: its error is relative to
// E T^2, not to h.
Estimate plane_pair_covariance(const PopulationParameters& parameters, Cosine rho_i, Cosine rho_j, Cosine r_ij);

// At temperature 0, which is hard hashing: g -> 1 - theta/pi, and h -> (g_i + g_j + g_ij - 1)/2 with g_ij the agreement of
// the keys with each other.
double hard_agreement(Cosine rho);
double hard_pair_moment(Cosine rho_i, Cosine rho_j, Cosine r_ij);

}  // namespace skt
