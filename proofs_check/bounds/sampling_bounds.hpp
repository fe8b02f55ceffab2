// How far is the sampling estimator T from the output that it samples?
//
// Source: docs/bounds/sampling.md, Theorem 7. Given the weights, one draw gives X = S1 v_J/|v_J| with
// probability a_J |v_J|/S1, a of sum 1; T is the mean of M of them, y = E X, Sigma = Cov X. Every radius is of
// |T - y| and holds with probability at least 1 - delta, or 1 - delta_1 - delta_2, over the draws. It would be wrong if
// M signs, whose law is a binomial sum, or one draw of two values left it more often.
//
// InputError for a delta outside (0, 1), no sample, or shapes that do not fit. A radius that does not exist is
// +infinity.
#pragma once

#include "sim/matrix.hpp"

namespace skt {

// The law of one draw.
struct SamplingLaw {
  double total_norm = 0;          // S1 = sum a_j |v_j|
  Vector mean;                    // y, [value_dim]
  Matrix covariance;              // Sigma, [value_dim, value_dim]; its trace is S1^2 - |y|^2
  double trace_of_square = 0;     // tr Sigma^2
  double along_mean = 0;          // y^T Sigma y
  double largest_eigenvalue = 0;  // of Sigma
  double smallest_alignment = 0;  // min <X, y> over the keys that can be drawn
};

// Weights [keys], not negative, of any scale; values [keys, value_dim]. InputError where S1 is 0 or not finite. Cost: a
// product of value_dim^2/2 multiplications for each key.
SamplingLaw sampling_law(const Vector& weights, const Matrix& values);

// Mean and variance of |T - y + u|^2 over the draws: exact for u = 0, otherwise the largest over all u of the given
// length (Theorem 9).
struct SquaredError {
  double mean = 0;
  double variance = 0;

  // Cantelli's inequality: what the length |T - y + u| exceeds with probability delta at most.
  double bound(double delta) const;
};
SquaredError squared_sampling_error(const SamplingLaw& law, Index samples, double offset = 0);
// The same of a known u, [value_dim]: exact. InputError for another shape, or a length that is not finite.
SquaredError squared_sampling_error_at(const Vector& offset, const SamplingLaw& law, Index samples);

// Theorem 7(a): from the law.
double sampling_error_bound(const SamplingLaw& law, Index samples, double delta);

// Theorem 7(b): from S1 and the M >= 2 value rows that were drawn, [samples, value_dim], without a pass over all values.
double sampling_error_bound_from_rows(double total_norm, const Matrix& drawn_rows, double delta_1, double delta_2);

// Theorem 7(c): grows as sqrt(log(1/delta)).
double exponential_sampling_bound(const SamplingLaw& law, Index samples, double delta_1, double delta_2);

// The e >= 0 with (1 + e) log(1 + e) - e = level, from above.
double chernoff_excess(double level);

// How far is T from the angular target y*, all three errors together? Theorem 9(a) and (b) of docs/bounds/total.md:
// squares add, not lengths. It would be wrong if one draw of two values, at an offset that lengthens the longer error,
// left the radius more often than it may.

// `table_radius`: what |y_{tau,L} - y*| exceeds with probability delta_tables at most, finite and from 0. `law` is that
// of a draw on the realised tables. With probability at least (1 - delta_tables)(1 - delta_samples) |T - y*| is at most
// the result; infinite for an infinite radius.
double total_error_bound(double table_radius, const SamplingLaw& law, Index samples, double delta_samples);

// `offset` is y_{tau,L} - y* of the realised tables, [value_dim]: y* takes one pass over the keys. Then chance is in the
// samples alone, and |T - y*| is at most the result with probability at least 1 - delta given the tables, hence in all.
double total_error_bound_at(const Vector& offset, const SamplingLaw& law, Index samples, double delta);

}  // namespace skt
