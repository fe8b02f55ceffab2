#include "estimators/peers/linearised_softmax.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "sim/require.hpp"

namespace skt {

LinearisedSoftmax linearised_softmax(const Vector& scores) {
  if (scores.size() == 0) refuse("scores are empty: linearised softmax needs at least one");
  for (Index j = 0; j < scores.size(); ++j) {
    if (!std::isfinite(scores(j))) refuse("score[{}] is {}: not finite", j, scores(j));
  }
  const Vector linear = scores.array() - scores.maxCoeff() + 1;
  LinearisedSoftmax result;
  result.denominator = linear.sum();
  if (!(result.denominator > 0)) {
    result.state = LinearisedState::non_positive_denominator;
    return result;
  }
  if (linear.minCoeff() < 0) result.state = LinearisedState::negative_weights;
  result.weights = linear / result.denominator;
  return result;
}

double dynamic_range(const Vector& scores) {
  return scores.maxCoeff() - scores.minCoeff();
}

double exponential_remainder(double x) {
  // Beyond |x| = 1/2 the subtraction loses at most three bits; below it the series x^2/2! + x^3/3! + ... does not.
  if (!(std::abs(x) <= 0.5)) return std::expm1(x) - x;
  double term = x * x / 2;
  double sum = 0;
  for (int n = 3; std::abs(term) > std::numeric_limits<double>::epsilon() * std::abs(sum) / 4; ++n) {
    sum += term;
    term *= x / n;
  }
  return sum;
}

double linearisation_bound(double range) {
  return range * range * std::exp(range);
}

}  // namespace skt
