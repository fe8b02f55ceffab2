// With which probability is each key among the `budget` of highest score, where only the law of each score is known?
//
// pi_j = P(score_j > threshold), and the threshold is the number at which the pi sum to the budget. An APPROXIMATION:
// the threshold of a selection moves with the scores, and the scores of two keys are not independent; neither is
// accounted for. Wrong, beyond that, if the probabilities did not sum to the budget or left [0, 1], or if for two keys
// they were not those of the law.
#pragma once

#include <functional>

#include "sim/matrix.hpp"

namespace skt {

// pi [keys] for a budget of 1 .. keys.
using InclusionAt = std::function<Vector(Index budget)>;

// P(score_j > threshold) for one threshold, [keys]; must not rise with it.
using TailsAt = std::function<Vector(double threshold)>;

// pi of any law, of sum `budget` in 1 .. keys: the tails at the threshold where they sum to it, between two thresholds
// with tails of a sum >= budget and <= budget; keys whose tails jump there share the jump in equal parts.
Vector inclusion_between(const TailsAt& tails, double lo, double hi, double budget);

// Mean, standard deviation and skewness of each key's score, [keys] each; deviations 0 and more.
struct ScoreLaws {
  Vector mean, deviation, skewness;
};

// Probability that a variable of mean 0, deviation 1 and this skewness exceeds x: the normal tail at Wilson and
// Hilferty's (1931) cube root, a gamma law of that skewness to .0004 up to 1/2, .002 up to 1 and .013 up to 2. To first order it is the Edgeworth
// term Q(x) + phi(x) skewness (x^2 - 1)/6, but falls in x and stays in [0, 1] for every skewness.
double skewed_tail(double x, double skewness);

// pi [keys], each in [0, 1], of sum `budget`. Keys of deviation 0 at the threshold share what is left evenly.
// InputError for a budget outside 1 .. keys, a law that is not finite, or a deviation below 0.
Vector inclusion_by_moments(const ScoreLaws& laws, Index budget);

// The same where score_j is a count of Bin(draws, chance_j), by its exact tail; keys tied at the threshold share
// evenly, as in a random order. InputError for a budget outside 1 .. keys, draws below 1 or a chance outside [0, 1].
Vector inclusion_by_counts(const Vector& chance, Index draws, Index budget);

}  // namespace skt
