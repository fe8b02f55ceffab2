// The exact population oracle: expectations over the hyperplanes, with no Monte Carlo.
//
// One plane at a time. z = w.q/|q| is N(0,1); beta(z) = tanh(|q| z) s / tau with s = 1/sqrt(dim) or 1;
// T(z) = tanh(beta(z)); a key at cosine rho to the query falls on the side of the query's projection sign with
// probability Phi(c z), c = rho/sqrt(1-rho^2). Independent planes and tables turn one-plane moments into powers. Every
// function returns its value with an estimate of its absolute error; it would be wrong if the closed limits
// (tau -> 0, tau -> infinity, |q| -> infinity) or the rigorous integration in the tests disagreed.
#pragma once

#include "estimators/soft_buckets.hpp"

namespace skt {

struct Estimate {
  double value = 0;
  double error = 0;  // absolute, >= 0
};

// The parameters every population quantity depends on. Ranges: query_norm and temperature 1e-150 to 1e150, dim >= 1,
// planes >= 1; anything else (or NaN) throws InputError.
struct PopulationParameters {
  double query_norm = 1;
  double temperature = 0.5;
  Index dim = 128;
  Index planes = 8;
  Scaling scaling = Scaling::inverse_sqrt_dim;
};

// Cosine given together with its distance to the nearer of +-1, so that 1 - |rho| down to 1e-300 keeps its digits.
struct Cosine {
  double value = 0;       // in [-1, 1]
  double complement = 1;  // 1 - |value| >= 0
  static Cosine of(double value) { return {value, 1 - (value < 0 ? -value : value)}; }
};

// g(rho): probability-weighted agreement of one plane, E sigma(2 u b / tau) for a key at cosine rho. In [0, 1].
Estimate plane_agreement(const PopulationParameters& parameters, Cosine rho);

// g2(rho) = E[s^2] of one plane.
Estimate plane_second_moment(const PopulationParameters& parameters, Cosine rho);

// g2(rho) - g(rho)^2, the variance of one plane's factor, without cancellation.
Estimate plane_variance(const PopulationParameters& parameters, Cosine rho);

// h(rho_i, rho_j, r_ij) = E[s_i s_j] of one plane; rho_i, rho_j to the query, r_ij between the keys.
// The three cosines must form a positive semidefinite Gram matrix (within rounding); otherwise InputError.
Estimate plane_pair_moment(const PopulationParameters& parameters, Cosine rho_i, Cosine rho_j, Cosine r_ij);

// h - g_i g_j, the covariance of the two keys' factors of one plane, without cancellation: its error is relative to
// E T^2, not to h.
Estimate plane_pair_covariance(const PopulationParameters& parameters, Cosine rho_i, Cosine rho_j, Cosine r_ij);

// w_tau = g(rho)^P, the mean of one table's soft score.
Estimate population_weight(const PopulationParameters& parameters, Cosine rho);

// Var of one table's soft score, g2^P - g^(2P), without cancellation.
Estimate population_weight_variance(const PopulationParameters& parameters, Cosine rho);

// E[s_i s_j] over one table, h^P.
Estimate population_pair_moment(const PopulationParameters& parameters, Cosine rho_i, Cosine rho_j, Cosine r_ij);

// epsilon_tau = 1 - g(1)^P, the expected mass outside the query's own bucket.
Estimate epsilon(const PopulationParameters& parameters);

// w = (1 - theta/pi)^P.
Estimate angular_weight(Index planes, Cosine rho);

}  // namespace skt
