// How far is attention over the selected keys from dense attention?
//
// Source: docs/bounds/selection.md, Theorem 10. Nothing is random: m is the softmax mass of the keys that
// are missed, y the dense output, y_S that of the selected keys alone. It would be wrong if |y - y_S| were larger than
// either, or if the first were larger where all missed values agree. Theorem 13 (docs/bounds/importance.md): what leaving keys
// out costs exactly, key by key; and which norm of a value decides a ranking by score times norm, Theorem 14.
#pragma once

#include <span>

#include "estimators/population/parameters.hpp"
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

// (ii) for any selection of this softmax and these values that misses `missed_mass`; infinite from 1 on.
double error_of_missed_mass(const Vector& softmax, const Matrix& values, double missed_mass);

// Leaving out the keys that are not selected moves the renormalised output by sum_missed alpha_j (v_j - y)/(1 - m). Its
// length, and what it is at most: the sum of the lengths, equal where all v_j - y point one way. Arguments and errors as
// above; infinite where the selected keys have no mass.
struct LeftOut {
  double cost = 0;   // |y_S - y|
  double bound = 0;  // sum of alpha_j |v_j - y| over the missed keys, over 1 - m
};
LeftOut left_out(const Vector& softmax, const Matrix& values, std::span<const Index> selected);

// e^{2 P s/tau}: above this ratio of their values' norms, the key with the longer value has the higher product of SOCKET's
// score and norm, whatever the keys, the query and the tables. InputError for parameters out of range.
double outranking_norm(const PopulationParameters& parameters);

}  // namespace skt
