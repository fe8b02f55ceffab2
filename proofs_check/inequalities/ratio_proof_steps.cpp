#include "proofs_check/inequalities/ratio_proof_steps.hpp"

#include <cmath>
#include <limits>

namespace skt {

double DrawnRatio::mass_gap() const {
  return std::abs(drawn.normaliser - population.normaliser);
}

double DrawnRatio::rounding() const {
  return 16 * std::numeric_limits<double>::epsilon() * (drawn.numerator.norm() + 2 * population.numerator.norm()) *
         (1 / drawn.normaliser + 1 / population.normaliser);
}

DrawnRatio drawn_ratio(const TableLaw& law, Index table) {
  return {finite_tables(law.scores.row(table).transpose(), law.values), finite_tables(law.mean_scores(), law.values),
          law.occupancy(), law.spectral};
}

InequalitySides triangle_sides(const DrawnRatio& r) {
  const double right = r.numerator_gap().norm() / r.drawn.normaliser +
                       r.population.numerator.norm() * r.mass_gap() / (r.drawn.normaliser * r.population.normaliser);
  return {r.difference().norm(), right, r.rounding()};
}

InequalitySides enough_mass_sides(const DrawnRatio& r) {
  const double z = r.population.normaliser;
  const double right =
      2 / z * r.numerator_gap().norm() + 2 * r.spectral_norm * std::sqrt(r.occupancy) / (z * z) * r.mass_gap();
  return {r.difference().norm(), right, r.rounding()};
}

}  // namespace skt
