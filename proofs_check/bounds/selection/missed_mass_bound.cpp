#include "proofs_check/bounds/selection/missed_mass_bound.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include "estimators/population/plane_signal.hpp"
#include "estimators/population/soft_score_moments.hpp"
#include "proofs_check/bounds/value_covariance.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

// x log(x/y), 0 at x = 0.
double relative_entropy(double x, double y) {
  return x > 0 ? x * std::log(x / y) : 0;
}

// Of a mean of numbers at most `reach` above their mean, and at most `whole` apart: beyond the mean by `excess` > 0.
double tail(double excess, double variance, double reach, double whole, Index tables) {
  if (excess > reach) return 0;
  const double u = excess * reach / variance;
  const double bennett = variance / (reach * reach) * ((1 + u) * std::log1p(u) - u);
  const double share = (whole - reach) / whole, moved = share + excess / whole;
  const double hoeffding = relative_entropy(moved, share) + relative_entropy(1 - moved, 1 - share);
  return std::exp(-real(tables) * (variance > 0 ? std::fmax(bennett, hoeffding) : hoeffding));
}

std::vector<ScoreLaw> laws_of(const Instance& instance, const PopulationParameters& parameters) {
  const SoftScoreMoments moments(parameters);
  const double beta = plane_signal(parameters).strength, planes = real(parameters.planes);
  const double low = std::pow(1 / (1 + std::exp(2 * beta)), planes),
               high = std::pow(1 / (1 + std::exp(-2 * beta)), planes);
  const Vector direction = unit_or_zero(instance.query, "query");
  std::vector<ScoreLaw> laws;
  for (Index j = 0; j < instance.num_keys(); ++j) {
    const Vector unit = unit_or_zero(instance.keys.row(j), "a key");
    const ScoreMoments of = moments.of_table(
        unit.isZero(0) || direction.isZero(0) ? HalfAngle::of_cosine(0) : HalfAngle::between(unit, direction));
    laws.push_back({of.mean, of.variance, low, high});
  }
  return laws;
}

ScoreTails tails_at(const std::vector<ScoreLaw>& laws, const Vector& factors, double threshold, Index tables) {
  ScoreTails tails{Vector::Ones(factors.size()), Vector::Zero(factors.size())};
  for (Index j = 0; j < factors.size(); ++j) {
    if (factors(j) == 0) continue;  // never reaches it
    tails.below(j) = laws[j].below(threshold / factors(j), tables);
    tails.above(j) = laws[j].above(threshold / factors(j), tables);
  }
  return tails;
}

}  // namespace

double ScoreLaw::above(double at, Index tables) const {
  return at <= mean ? 1 : tail(at - mean, variance, high - mean, high - low, tables);
}

double ScoreLaw::below(double at, Index tables) const {
  return at >= mean ? 1 : tail(mean - at, variance, mean - low, high - low, tables);
}

double crowd_probability(const Vector& above, Index budget) {
  std::vector<double> falling(above.begin(), above.end());
  if (std::ssize(falling) <= budget) return 0;
  const auto end = falling.begin() + budget + 1;
  std::nth_element(falling.begin(), end - 1, falling.end(), std::greater<>());
  std::sort(falling.begin(), end, std::greater<>());
  double rest = std::accumulate(end, falling.end(), 0.0), least = 1;
  for (Index c = budget; c >= 0; --c) {
    rest += falling[c];
    least = std::fmin(least, rest / real(budget + 1 - c));
  }
  return least;
}

namespace {

// What is left of delta for keys that fall short.
double missed_beside_crowd(const Vector& softmax, const ScoreTails& tails, double left) {
  return left > 0 ? softmax.dot((tails.below / left).cwiseMin(1)) : 1;
}

}  // namespace

double missed_mass_at(const Vector& softmax, const ScoreTails& tails, Index budget, double delta) {
  return missed_beside_crowd(softmax, tails, delta - crowd_probability(tails.above, budget));
}

std::vector<double> missed_mass_bounds(const Instance& instance, const PopulationParameters& parameters,
                                       const Vector& softmax, const Vector& factors, Index tables, Index budget,
                                       const std::vector<double>& deltas) {
  constexpr int kThresholds = 48;
  const Index keys = instance.num_keys();
  const Vector alpha = probabilities_of(softmax, keys, "softmax weights");
  require(factors.size() == keys && factors.minCoeff() >= 0 && factors.maxCoeff() > 0 && factors.allFinite(),
          "factors of {} keys: allowed are {} that are finite and not negative, one of them above 0", factors.size(),
          keys);
  require(tables >= 1 && budget >= 1 && budget <= keys, "{} tables and a budget of {}: allowed are 1 and more, 1 to {}",
          tables, budget, keys);
  for (const double delta : deltas)
    require(delta > 0 && delta < 1, "delta is {}: allowed is above 0 and below 1", delta);
  std::vector<double> least(deltas.size(), budget == keys ? 0 : 1);
  if (budget == keys) return least;
  const std::vector<ScoreLaw> laws = laws_of(instance, parameters);
  std::vector<double> products;
  for (Index j = 0; j < keys; ++j) products.push_back(factors(j) * laws[j].mean);
  std::sort(products.begin(), products.end(), std::greater<>());
  const double first = products[budget], last = products[0];
  for (int i = 0; i < kThresholds && first > 0; ++i) {
    const double threshold = first * std::pow(last / first, (i + 0.5) / kThresholds);
    const ScoreTails tails = tails_at(laws, factors, threshold, tables);
    const double crowd = crowd_probability(tails.above, budget);
    for (std::size_t d = 0; d < deltas.size(); ++d)
      least[d] = std::fmin(least[d], missed_beside_crowd(alpha, tails, deltas[d] - crowd));
  }
  return least;
}

double missed_mass_bound(const Instance& instance, const PopulationParameters& parameters, const Vector& softmax,
                         const Vector& factors, Index tables, Index budget, double delta) {
  return missed_mass_bounds(instance, parameters, softmax, factors, tables, budget, {delta}).front();
}

}  // namespace skt
