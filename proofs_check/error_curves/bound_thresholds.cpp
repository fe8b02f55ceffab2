#include "proofs_check/error_curves/bound_thresholds.hpp"

#include <algorithm>
#include <cmath>

#include "estimators/error_terms/temperature_search.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

// Up to which temperature the bias bound keeps a level.
double bound_temperature(const Instance& instance, const Setting& setting, const BoundConstants& constants,
                         double level) {
  return largest_temperature(instance, setting, level, [&](const AtTemperature& at) {
    BoundConstants c = constants;
    c.population_mass = at.population_mass;
    c.epsilon = at.epsilon;
    return bias_bound(c);
  });
}

Thresholds alone(const Instance& instance, const Setting& setting, const BoundConstants& c, double delta,
                 double level) {
  return {smallest_count(finite_table_bound(c, 1, delta / 2), level),
          smallest_count(sampling_bound(c, 1, delta / 2), level), bound_temperature(instance, setting, c, level)};
}

// The thresholds of L and M at the temperature that a third of the level leaves to the bias, if that is lower.
Thresholds together(const Instance& instance, const Setting& setting, BoundConstants c, double delta, double level) {
  const double third = level / 3;
  const double temperature = std::min(setting.temperature, bound_temperature(instance, setting, c, third));
  require(temperature > 0,
          "query norm is {:.4g}: even at temperature {} the bound of the bias is above a third of the longest value; "
          "allowed are longer queries",
          instance.query.norm(), kLowestTemperature);
  c.population_mass = at_temperature(instance, setting, temperature).population_mass;
  return {
      std::max(smallest_count(finite_table_bound(c, 1, delta / 2), third), std::ceil(required_tables(c, delta / 2))),
      smallest_count(sampling_bound(c, 1, delta / 2), third), temperature};
}

}  // namespace

BoundConstants bound_constants(const Centre& centre, Index occupancy) {
  return {real(occupancy), centre.angular_mass, centre.population_mass, centre.spectral_norm, centre.epsilon};
}

TermBounds term_bounds(const Centre& centre, const Setting& setting, Index occupancy, double delta) {
  const BoundConstants constants = bound_constants(centre, occupancy);
  return {end_to_end_bound(constants, real(setting.tables), real(setting.samples), delta / 2, delta / 2),
          required_tables(constants, delta / 2)};
}

BoundAudit audit_bound(const Instance& instance, const Setting& setting, const Centre& centre, Index occupancy,
                       double delta) {
  const BoundConstants constants = bound_constants(centre, occupancy);
  const double trivial = centre.largest_value;
  const TermBounds bounds = term_bounds(centre, setting, occupancy, delta);
  BoundAudit audit;
  audit.occupancy = occupancy;
  audit.required_tables = bounds.required_tables;
  audit.over_trivial = {bounds.terms.sampling / trivial, bounds.terms.finite_table / trivial,
                        bounds.terms.bias / trivial};
  audit.alone = alone(instance, setting, constants, delta, trivial);
  audit.together = together(instance, setting, constants, delta, trivial);
  return audit;
}

}  // namespace skt
