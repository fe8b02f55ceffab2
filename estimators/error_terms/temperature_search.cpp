#include "estimators/error_terms/temperature_search.hpp"

#include <algorithm>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <limits>

#include "estimators/weighted_output.hpp"

namespace skt {

double largest_temperature(double level, const std::function<double(double temperature)>& quantity) {
  const double low = std::log(kLowestTemperature), high = std::log(kHighestTemperature);
  // A power of tau where buckets are nearly hard, hence about a line in the logarithms.
  const auto log_excess = [&](double log_temperature) {
    const double value = quantity(std::exp(log_temperature));
    return std::log(std::max(value / level, std::numeric_limits<double>::min()));
  };
  const double at_high = log_excess(high);
  if (at_high <= 0) return std::numeric_limits<double>::infinity();
  const double at_low = log_excess(low);
  if (at_low > 0) return 0;
  std::uintmax_t evaluations = 60;  // bisection alone would need 35
  const auto precise = [](double a, double b) { return b - a <= kLogTemperatureError; };
  return std::exp(
      boost::math::tools::toms748_solve(log_excess, low, high, at_low, at_high, precise, evaluations).first);
}

AtTemperature at_temperature(const Instance& instance, Setting setting, double temperature) {
  setting.temperature = temperature;
  const PopulationParameters parameters = population_parameters(instance, setting);
  const Vector weights = population_weights(parameters, instance).weights;
  return {weighted_output(weights, instance.values), weights.sum(), epsilon(parameters).value};
}

double largest_temperature(const Instance& instance, const Setting& setting, double level,
                           const std::function<double(const AtTemperature&)>& quantity) {
  return largest_temperature(
      level, [&](double temperature) { return quantity(at_temperature(instance, setting, temperature)); });
}

}  // namespace skt
