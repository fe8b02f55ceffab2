#include "proofs_check/inequalities/ratio_case.hpp"

#include <cmath>
#include <limits>

namespace skt {

double Ratio::mass_gap() const {
  return std::abs(drawn.normaliser - population.normaliser);
}

double Ratio::rounding() const {
  return 16 * std::numeric_limits<double>::epsilon() * (drawn.numerator.norm() + 2 * population.numerator.norm()) *
         (1 / drawn.normaliser + 1 / population.normaliser);
}

Ratio ratio_of(const TableLaw& law, Index table) {
  return {finite_tables(law.scores.row(table).transpose(), law.values), finite_tables(law.mean_scores(), law.values),
          law.occupancy(), law.spectral};
}

Sides triangle_sides(const Ratio& r) {
  const double right = r.numerator_gap().norm() / r.drawn.normaliser +
                       r.population.numerator.norm() * r.mass_gap() / (r.drawn.normaliser * r.population.normaliser);
  return {r.difference().norm(), right, r.rounding()};
}

Sides enough_mass_sides(const Ratio& r) {
  const double z = r.population.normaliser;
  const double right =
      2 / z * r.numerator_gap().norm() + 2 * r.spectral_norm * std::sqrt(r.occupancy) / (z * z) * r.mass_gap();
  return {r.difference().norm(), right, r.rounding()};
}

}  // namespace skt
