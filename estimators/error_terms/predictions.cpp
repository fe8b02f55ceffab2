#include "estimators/error_terms/predictions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/number.hpp"

namespace skt {

double limit_correction(const Centre& centre, double tables) {
  const double v = centre.tables.normaliser_variance.value / (centre.population_mass * centre.population_mass);
  return (2 * std::sqrt(v) + 9 * v) / tables;
}

Estimate finite_tables_mean_square(const Centre& centre, double tables) {
  const Estimate& limit = centre.tables.mean_square;
  return {limit.value / tables, (limit.error + limit.value * limit_correction(centre, tables)) / tables};
}

double output_rounding(const Instance& instance, double largest_value) {
  const double roundings = 2 * real(2 * instance.num_keys() + instance.value_dim() + 4);
  return roundings * std::numeric_limits<double>::epsilon() * largest_value;
}

Estimate measured_mean_square(const Estimate& exact, double rounding) {
  return {exact.value, exact.error + 2 * rounding * std::sqrt(std::max(0.0, exact.value)) + rounding * rounding};
}

Estimate sampling_mean_square(double expected_given_tables, const Instance& instance, const Setting& setting,
                              double largest_value) {
  const double roundings = 2 * real(2 * instance.num_keys() + instance.value_dim() + 4);
  return {expected_given_tables,
          roundings * std::numeric_limits<double>::epsilon() * largest_value * largest_value / real(setting.samples)};
}

Estimate total_mean_square(const Centre& centre, const Setting& setting, const Estimate& sampling) {
  const double tables = real(setting.tables);
  const Estimate finite = finite_tables_mean_square(centre, tables);
  const Vector bias = centre.population_output - centre.angular_output;
  const double cross = 2 * centre.tables.bias.dot(bias) / tables;
  const double cross_error =
      2 * centre.tables.bias_error * centre.bias.value / tables + std::abs(cross) * limit_correction(centre, tables);
  return {sampling.value + finite.value + cross + centre.bias.value * centre.bias.value,
          sampling.error + finite.error + cross_error + 2 * centre.bias.value * centre.bias.error};
}

}  // namespace skt
