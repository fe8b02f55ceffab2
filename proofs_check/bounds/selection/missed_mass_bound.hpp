// How much softmax mass does a selection miss, at most, before its tables are drawn?
//
// Source: docs/bounds/selection.md, Theorem 15: of the selection as it is run, by score times the norm of the value, or
// any other factor. If at most `budget` keys reach a threshold, all that reach it are selected. So no sum over
// pairs of keys is needed, and no factor keys/budget. It would be wrong if a drawn selection missed more with a
// probability above delta.
#pragma once

#include <vector>

#include "estimators/population/parameters.hpp"
#include "sim/instance.hpp"

namespace skt {

// Of each key's product of factor and mean score over the tables: how probable it is, at most, that it is below the
// threshold, and that it is not; [keys].
struct ScoreTails {
  Vector below, above;
};

// Of a mean of `tables` independent scores in [low, high], of this mean and variance, above the mean and below it; 1
// where `at` is on the other side. The lesser of Bennett's and Hoeffding's bounds.
struct ScoreLaw {
  double mean = 0, variance = 0, low = 0, high = 1;
  double above(double at, Index tables) const;
  double below(double at, Index tables) const;
};

// Probability, at most, that more keys reach the threshold than are selected: for any set C of at most `budget` keys the sum
// of `above` over the others, over budget + 1 - |C|. The best C are those of largest `above`. 1 at most.
double crowd_probability(const Vector& above, Index budget);

// Missed mass that is exceeded with probability at most delta, for softmax weights that sum to 1; 1: says nothing.
double missed_mass_at(const Vector& softmax, const ScoreTails& tails, Index budget, double delta);

// Of each delta the least over thresholds between the mean products. Softmax weights and factors [keys], not negative, the factors not all
// 0; 1 <= budget <= keys, tables >= 1, 0 < delta < 1, otherwise InputError. A zero key counts as orthogonal. Cost
// O(keys (dim + 50 log budget)).
std::vector<double> missed_mass_bounds(const Instance& instance, const PopulationParameters& parameters,
                                       const Vector& softmax, const Vector& factors, Index tables, Index budget,
                                       const std::vector<double>& deltas);
double missed_mass_bound(const Instance& instance, const PopulationParameters& parameters, const Vector& softmax,
                         const Vector& factors, Index tables, Index budget, double delta);

}  // namespace skt
