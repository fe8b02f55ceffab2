// How far is attention over the selected keys from dense attention?
//
// Source: docs/bounds/selection.md, Theorem 10. Nothing is random: m is the softmax mass of the keys that
// are missed, y the dense output, y_S that of the selected keys alone. It would be wrong if |y - y_S| were larger than
// either, or if the first were larger where all missed values agree.
#pragma once

#include <span>

#include "sim/matrix.hpp"

namespace skt {

struct SelectionBounds {
  double missed_mass = 0;    // m
  double by_farthest = 0;    // (i) m max |v_j - y_S| over the missed keys of positive mass
  double by_covariance = 0;  // (ii) sqrt(m/(1 - m) |Cov v|)
};

// Softmax weights [keys], not negative, of any scale; `selected` without repetition, in any order. Both are infinite
// where the selected keys have no mass. Cost: one product of value_dim^2/2 multiplications for each key. InputError for
// weights that are negative, not finite or sum to 0, an index out of range or given twice, and shapes that do not fit.
SelectionBounds selection_bounds(const Vector& softmax, const Matrix& values, std::span<const Index> selected);

}  // namespace skt
