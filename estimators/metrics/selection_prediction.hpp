// What will a selection by collision scores keep and lose, before any table is drawn?
//
// The law of a key's score over random tables depends on its angle to the query alone (soft_inclusion.hpp; a hard count
// is binomial), so each key has a probability pi_j of being selected (predicted_inclusion.hpp). With softmax
// probabilities alpha and values v, y dense, A = sum pi_j alpha_j and ybar = sum pi_j alpha_j v_j / A:
//   recall of the true top keys = mean of pi over them;   missed mass = sum alpha_j (1 - pi_j);
//   E||y_S - y||^2 = ||ybar - y||^2 + sum pi_j (1 - pi_j) alpha_j^2 ||v_j - ybar||^2 / A^2.
// An APPROXIMATION, without a bound on its error. Not accounted for: the threshold moves with the scores; keys that are
// near each other share their noise (so the keys of one cluster are selected or lost together); the quotient y_S is
// expanded to first order. docs/rankings/prediction.md has it beside simulated tables on five families of keys. Wrong,
// beyond that, if a selection of all keys missed anything, or simulated tables parted from it on keys without clusters.
#pragma once

#include <vector>

#include "estimators/population/parameters.hpp"
#include "sim/instance.hpp"
#include "sim/matrix.hpp"

namespace skt {

struct PredictedSelection {
  Vector inclusion;         // pi [keys], each in [0, 1], of sum `budget`
  double missed_mass = 0;   // softmax probability of the keys left out, in [0, 1]
  double output_error = 0;  // root mean square of ||y_S - y||, in the unit of the values
  double recall = 0;        // of the true top `budget` keys by q.k: precision at k = budget, in [0, 1]
};

// What the keys are ranked by: the soft score (paper, eq. (4)), that times the value's norm (Algorithm 4), or the count
// of hard collisions (eq. (3)).
enum class PredictedScore { soft, soft_times_norm, hard };

// Of the selection of the `budget` keys of highest score over this many tables. parameters: those of the instance
// (population_parameters of weights.hpp). A zero key or query counts as orthogonal. InputError for no key, tables below
// 1, a budget outside 1 .. keys, another dim than the keys', or a number that is not finite. Memory O(keys).
PredictedSelection predict_selection(const Instance& instance, const PopulationParameters& parameters, Index tables,
                                     Index budget, PredictedScore score);

// The same for several budgets, with the moments computed once.
std::vector<PredictedSelection> predict_selections(const Instance& instance, const PopulationParameters& parameters,
                                                   Index tables, const std::vector<Index>& budgets,
                                                   PredictedScore score);

// Cosines to the query, [keys] in [-1, 1]; 0 for a zero key or query. InputError for a vector that is not finite.
Vector key_cosines(const Instance& instance);

}  // namespace skt
