#include "estimators/error_terms/error_thresholds.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "estimators/error_terms/temperature_search.hpp"
#include "estimators/value_sampling.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

// Of the finite tables and of the sampling, whose root mean squares at L = 1 and M = 1 are given.
Thresholds counts(double one_table, double one_sample, double level, double temperature) {
  return {smallest_count(one_table, level), smallest_count(one_sample, level), temperature};
}

}  // namespace

double smallest_count(double coefficient, double level) {
  return std::max(1.0, std::ceil(std::pow(coefficient / level, 2)));
}

void require_target_in_reach(const Instance& instance, const PopulationFigures& at, double target) {
  const auto bias_at = [&](double temperature) {
    const Vector output = at_temperature(instance, at.setting, temperature).population_output;
    return (output - at.centre.angular_output).norm() / at.trivial;
  };
  const double bias = bias_at(kLowestTemperature), share = target / std::numbers::sqrt3;
  require(
      bias <= share || bias_at(kHighestTemperature) <= share,
      "query norm is {:.4g}, target {}: even at temperature {} the bias is {:.3g} of the longest value; allowed are "
      "longer queries or targets above {:.3g}",
      instance.query.norm(), target, kLowestTemperature, bias, bias * std::numbers::sqrt3);
}

ErrorThresholds error_thresholds(const Instance& instance, const PopulationFigures& at, double target,
                                 const PairBlocksDone& done) {
  require_target_in_reach(instance, at, target);
  const double level = target * at.trivial;
  const auto largest_temperature_of_bias = [&](double least) {
    return largest_temperature(instance, at.setting, least, [&](const AtTemperature& other) {
      return (other.population_output - at.centre.angular_output).norm();
    });
  };
  const double one_table = std::sqrt(at.centre.tables.mean_square.value);
  const double one_sample = at.sampling * std::sqrt(real(at.setting.samples)) * at.trivial;
  ErrorThresholds found;
  found.alone = counts(one_table, one_sample, level, largest_temperature_of_bias(level));

  // Mean squares add, up to the order 1/L: a third of the square each.
  const double share = level / std::numbers::sqrt3;
  Setting cooler = at.setting;
  cooler.temperature = std::min(cooler.temperature, largest_temperature_of_bias(share));
  if (cooler.temperature == at.setting.temperature) {
    found.together = counts(one_table, one_sample, share, cooler.temperature);
    return found;
  }
  const PopulationParameters parameters = population_parameters(instance, cooler);
  const Vector weights = population_weights(parameters, instance).weights;
  const double cooler_table = std::sqrt(ratio_limits(table_moments(parameters, instance, done)).mean_square.value);
  const double cooler_sample = std::sqrt(ValueSampler(weights, instance.values).mean_squared_error(1));
  found.together = counts(cooler_table, cooler_sample, share, cooler.temperature);
  return found;
}

}  // namespace skt
