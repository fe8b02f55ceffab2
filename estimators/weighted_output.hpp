// The output that a non-negative weight on every key gives: sum_j w_j v_j / sum_j w_j.
// With angular weights it is y*, with soft scores y_{tau,L}, with population weights y_tau (paper, sections 3, 5).
#pragma once

#include "sim/instance.hpp"

namespace skt {

// Throws InputError if the weights are negative, not finite or sum to zero. weights [keys],
// values [keys, value_dim].
Vector weighted_output(const Vector& weights, const Matrix& values);

// Row norms ||v_j||_2, [keys]; equal rows have equal norms, bit for bit.
Vector row_norms(const Matrix& values);

// Largest singular value of values.
double spectral_norm(const Matrix& values);

}  // namespace skt
