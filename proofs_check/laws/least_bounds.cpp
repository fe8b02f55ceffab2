#include "proofs_check/laws/least_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "estimators/population/plane_signal.hpp"
#include "estimators/population/population.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

// g^P and (1-g)^P at g = sigma(2 S).
struct Extremes {
  double own, opposite;
};

Extremes extremes(double strength, Index planes) {
  const double p = real(planes), log_own = -std::log1p(std::exp(-2 * strength));
  return {std::exp(p * log_own), std::exp(p * (log_own - 2 * strength))};
}

Extremes extremes(const PopulationParameters& parameters) {
  return extremes(plane_signal(parameters).strength, parameters.planes);
}

double bias_term(const Extremes& at) {
  return 2 * (1 - at.own) / (at.own + at.opposite);
}

}  // namespace

double most_agreement(const PopulationParameters& parameters) {
  return 1 / (1 + std::exp(-2 * plane_signal(parameters).strength));
}

double least_bias_term(const PopulationParameters& parameters) {
  return bias_term(extremes(parameters));
}

double least_bias_term_of_any_occupancy(const PopulationParameters& parameters) {
  return 2 * (1 - extremes(parameters).own);
}

double least_required_tables(const PopulationParameters& parameters, double delta) {
  require(delta > 0 && delta < 1, "delta is {}: allowed is above 0 and below 1", delta);
  const Extremes at = extremes(parameters);
  return 2 * std::log(8 / delta) / std::pow(at.own + at.opposite, 2);
}

double sure_occupancy(const KeyDirections& keys) {
  constexpr double kPi = std::numbers::pi;
  // The count on one side changes where the normal is at a right angle to a direction.
  std::vector<double> turns;
  for (const double angle : keys.angles)
    for (const double side : {-kPi / 2, kPi / 2}) turns.push_back(std::remainder(angle + side, 2 * kPi));
  std::sort(turns.begin(), turns.end());
  double most = 0;
  for (std::size_t i = 0; i < turns.size(); ++i) {
    const double next = i + 1 < turns.size() ? turns[i + 1] : turns[0] + 2 * kPi, normal = (turns[i] + next) / 2;
    if (next - turns[i] < 1e-12) continue;  // the border of a key: rounding would decide its side
    double count = 0;
    for (std::size_t j = 0; j < keys.angles.size(); ++j)
      if (std::cos(keys.angles[j] - normal) > 0) count += keys.counts[j];
    most = std::max(most, count);
  }
  return most;
}

BoundConstants best_constants(const PopulationParameters& parameters, const KeyDirections& keys) {
  require(!keys.angles.empty() && keys.angles.size() == keys.counts.size(),
          "{} angles and {} counts: allowed are as many, one at least", keys.angles.size(), keys.counts.size());
  BoundConstants c{.occupancy = sure_occupancy(keys), .angular_mass = 0, .population_mass = 0};
  for (std::size_t j = 0; j < keys.angles.size(); ++j) {
    const Cosine rho = Cosine::of(std::cos(keys.angles[j]));
    c.angular_mass += keys.counts[j] * angular_weight(parameters.planes, rho).value;
    c.population_mass += keys.counts[j] * population_weight(parameters, rho).value;
  }
  c.epsilon = epsilon(parameters).value;
  return c;
}

}  // namespace skt
