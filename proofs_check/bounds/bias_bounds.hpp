// How far is the population output y_tau from the angular target y*?
//
// Source: docs/bounds/bias.md, Theorem 8. Nothing is random. Both weights [keys], not negative, of any scale; rr_j is the
// ratio of the two after each is made to sum to 1. It would be wrong if the output moved further than either bound, or
// if the first were not attained where rr is affine along the direction of the largest variance.
//
// InputError for weights that are negative, not finite or sum to 0, or shapes that do not fit.
#pragma once

#include "sim/matrix.hpp"

namespace skt {

// Theorem 8(i): sqrt(chi2 |Cov v|), chi2 and covariance under the population weights. Infinite where a key has angular
// weight and no population weight.
double bias_bound_by_chi_square(const Vector& angular_weights, const Vector& population_weights, const Matrix& values);

// Theorem 8(ii): the total variation distance of the two laws times a diameter of the values, finite and from 0.
double bias_bound_by_variation(const Vector& angular_weights, const Vector& population_weights, double diameter);

// chi2 = sum_j a_tau,j (rr_j - 1)^2 and TV = 1/2 sum_j |a_j - a_tau,j|.
double chi_square(const Vector& angular_weights, const Vector& population_weights);
double total_variation(const Vector& angular_weights, const Vector& population_weights);

// What TV is at most where the largest rr is `ratio` >= 1 times the smallest: a function of the cosines alone.
double variation_of_ratio(double ratio);

}  // namespace skt
