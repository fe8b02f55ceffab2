#include "proofs_check/error_curves/term_bounds.hpp"

#include "sim/number.hpp"

namespace skt {

BoundConstants bound_constants(const Centre& centre, Index occupancy) {
  return {real(occupancy), centre.angular_mass, centre.population_mass, centre.spectral_norm, centre.epsilon};
}

TermBounds term_bounds(const Centre& centre, const Setting& setting, Index occupancy, double delta) {
  const BoundConstants constants = bound_constants(centre, occupancy);
  return {end_to_end_bound(constants, real(setting.tables), real(setting.samples), delta / 2, delta / 2),
          required_tables(constants, delta / 2)};
}

}  // namespace skt
