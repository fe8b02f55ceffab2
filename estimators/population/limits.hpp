// What do the population quantities become where the query is saturated, the temperature low or high?
//
// Closed forms, with no quadrature: the oracle must approach them at the stated rates (tests), which is how a wrong
// constant in either would show. h_ij and g are of one plane.
#pragma once

#include "estimators/population/parameters.hpp"

namespace skt {

// tau -> 0, hard hashing: g -> 1 - theta/pi.
double hard_agreement(Cosine rho);

// tau -> 0: h_ij -> (g_i + g_j + g_k - 1)/2 with g_k the agreement of the keys with each other.
double hard_pair_moment(Cosine rho_i, Cosine rho_j, Cosine r_ij);

// tau -> 0, |rho| < 1: g - (1 - theta/pi) ~ -(pi/24) (rho/sqrt(1 - rho^2)) (tau/(s |q|))^2, s the scaling factor.
double cold_agreement_excess(const PopulationParameters& parameters, Cosine rho);

// tau -> 0: epsilon ~ P ln2 sqrt(2/pi)/2 tau/(s |q|).
double cold_epsilon(const PopulationParameters& parameters);

// tau -> infinity: (1 - 2^-P) - epsilon ~ P 2^-P E|tanh(|q| z)| s/tau.
double hot_epsilon_deficit(const PopulationParameters& parameters);

// |q| -> infinity: g -> 1/2 + t asin(rho)/pi with t = tanh(s/tau).
double saturated_agreement(const PopulationParameters& parameters, Cosine rho);

// |q| -> infinity: h -> (1 + t (2/pi)(asin rho_i + asin rho_j) + t^2 (2/pi) asin r_ij)/4.
double saturated_pair_moment(const PopulationParameters& parameters, Cosine rho_i, Cosine rho_j, Cosine r_ij);

}  // namespace skt
