// How much of the softmax lies outside a list, if each key of the rest is read or not by itself?
//
// Symbols as in rest_sample.hpp. Key j is drawn with probability pi_j = min(1, w_j n / sum w), w_j = e^{ceiling_j - m},
// independently of the others, so that at most n keys are expected; no draw needs a sum over those before it. D^ = sum of
// f_j / pi_j over the drawn keys has the mean D_R, and the variance of rest_variance(). It would be wrong if a key of the list
// were drawn, or a weight not divided by its probability: OWN-16g.
#pragma once

#include <span>
#include <vector>

#include "estimators/residual/rest_sample.hpp"

namespace skt {

struct PoissonDraws {
  std::vector<Index> keys;            // rising
  std::vector<double> probabilities;  // of the drawn keys: whole multiples of 2^-32, above 0
  Vector weights;                     // f_j / pi_j of the drawn keys
  double largest = 0;                 // e^{ceiling_j - m} / pi_j is at most this for every key with pi_j < 1
};

// ceilings [keys]: of the logits. A rest of at most `samples` keys is read whole.
PoissonDraws draw_rest_apart(const Vector& logits, std::span<const Index> rest, const Vector& ceilings, double largest,
                             Index samples, const RestAddress& at);

// sum of f_j^2 (1 - pi_j) / pi_j over the rest.
double rest_variance(const Vector& logits, std::span<const Index> rest, const Vector& ceilings, double largest,
                     Index samples);

// D_R exceeds it with probability at most `error` where the ceilings hold (fixed_bet.hpp). Exact where every key is drawn
// for certain. Infinite if a drawn key lies above its ceiling, by more than rounding.
double apart_weight_limit(const PoissonDraws& draws, double error);

}  // namespace skt
