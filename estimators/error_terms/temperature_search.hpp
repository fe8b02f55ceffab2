// Up to which temperature does a quantity of an instance stay below a level?
//
// A bracketed root in log tau. The quantities searched here - epsilon_tau, the paper's bias bound and the bias itself -
// rise with tau on every instance in use, from 0 at tau = 0; where one did not, the answer is still a temperature at
// which it meets the level. It would be wrong if the quantity at the answer differed from the level.
#pragma once

#include <functional>

#include "estimators/error_terms/exact_terms.hpp"

namespace skt {

constexpr double kLogTemperatureError = 1e-9;

// Beyond the highest every soft bit is 1/2 to 1e-3 even without the divisor sqrt(d); below the lowest every one is hard,
// unless the query is as short.
constexpr double kLowestTemperature = 1e-9, kHighestTemperature = 1e3;

// Infinite if the quantity stays at or below the level up to the largest temperature tried, 0 if it exceeds it at the
// lowest.
double largest_temperature(double level, const std::function<double(double temperature)>& quantity);

// The quantities that change with the temperature, at one.
struct AtTemperature {
  Vector population_output;    // y_tau
  double population_mass = 0;  // Z_tau
  double epsilon = 0;
};
AtTemperature at_temperature(const Instance& instance, Setting setting, double temperature);

// The same search for a quantity of the population at the temperature.
double largest_temperature(const Instance& instance, const Setting& setting, double level,
                           const std::function<double(const AtTemperature&)>& quantity);

}  // namespace skt
