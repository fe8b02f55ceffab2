// The exact population oracle: expectations over the hyperplanes, with no Monte Carlo.
//
// One plane at a time. z = w.q/|q| is N(0,1); beta(z) = tanh(|q| z) s / tau with s = 1/sqrt(dim) or 1;
// T(z) = tanh(beta(z)); a key at cosine rho to the query falls on the side of the query's projection sign with
// probability Phi(c z), c = rho/sqrt(1-rho^2). Independent planes and tables turn one-plane moments into powers. Every
// function returns its value with an estimate of its absolute error; it would be wrong if the integration
// in 50 digits in the tests disagreed (tests/estimators/population/pair_moment_test.cpp).
#pragma once

#include "estimators/population/parameters.hpp"
#include "sim/number.hpp"

namespace skt {

// g(rho): probability-weighted agreement of one plane, E sigma(2 u b / tau) for a key at cosine rho. In [0, 1].
Estimate plane_agreement(const PopulationParameters& parameters, Cosine rho);

// g2(rho) = E[s^2] of one plane.
Estimate plane_second_moment(const PopulationParameters& parameters, Cosine rho);

// g2(rho) - g(rho)^2, the variance of one plane's factor, without cancellation.
Estimate plane_variance(const PopulationParameters& parameters, Cosine rho);

// w_tau = g(rho)^P, the mean of one table's soft score.
Estimate population_weight(const PopulationParameters& parameters, Cosine rho);

// Var of one table's soft score, g2^P - g^(2P), without cancellation.
Estimate population_weight_variance(const PopulationParameters& parameters, Cosine rho);

// E[s_i s_j] over one table, h^P, for three cosines as in pair_moment.hpp.
Estimate population_pair_moment(const PopulationParameters& parameters, Cosine rho_i, Cosine rho_j, Cosine r_ij);

// epsilon_tau = 1 - g(1)^P, the expected mass outside the query's own bucket.
Estimate epsilon(const PopulationParameters& parameters);

// w = (1 - theta/pi)^P.
Estimate angular_weight(Index planes, Cosine rho);

}  // namespace skt
