// What does softmax become when e^x is replaced by 1 + x at the largest score (document 004, review)?
//
//   weight_j = (1 + s_j - m) / sum_i (1 + s_i - m),  m = max s.
// The weights sum to 1 wherever the denominator is not 0, but they are a probability vector only while
// max s - min s <= 1, and the denominator vanishes or turns negative beyond; the document mentions neither. It would be
// wrong if two scores (0, -1.5) did not get the weights (2, -1).
#pragma once

#include "sim/matrix.hpp"

namespace skt {

enum class LinearisedState { probability_vector, negative_weights, non_positive_denominator };

struct LinearisedSoftmax {
  LinearisedState state = LinearisedState::probability_vector;
  double denominator = 0;
  Vector weights;  // [keys]; empty if the denominator is not positive
};

// scores [keys], at least one, finite; otherwise InputError.
LinearisedSoftmax linearised_softmax(const Vector& scores);

// Delta = max s - min s.
double dynamic_range(const Vector& scores);

// e^x - 1 - x without cancellation: the remainder R_1(x). 0 <= R_1(x) <= x^2/2 for x <= 0.
double exponential_remainder(double x);

// Delta^2 e^Delta: bounds ||softmax - linearised||_1 for Delta <= 1, since the difference is at most
// 2 sum R_1(s_j - m)/sum e^{s_j - m} <= 2 (Delta^2/2)/e^{-Delta}.
double linearisation_bound(double range);

}  // namespace skt
