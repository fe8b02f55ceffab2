#include "proofs_check/inequalities/table_proof_steps.hpp"

#include <cmath>

namespace skt {
namespace {

template <class OfTable>
InequalitySides worst_table(const TableLaw& law, OfTable of_table) {
  InequalitySides worst = of_table(Index{0});
  for (Index l = 1; l < law.tables(); ++l) worst = worse(worst, of_table(l));
  return worst;
}

double mean_norm(const TableLaw& law) {
  double sum = 0;
  for (Index l = 0; l < law.tables(); ++l) sum += law.probability(l) * law.numerator(l).norm();
  return sum;
}

}  // namespace

InequalitySides normaliser_sides(const TableLaw& law) {
  return worst_table(law,
                     [&](Index l) { return InequalitySides{law.scores.row(l).sum(), law.fullest(l), law.rounding()}; });
}
InequalitySides square_sides(const TableLaw& law) {
  return worst_table(law, [&](Index l) {
    return InequalitySides{law.scores.row(l).squaredNorm(), law.scores.row(l).sum(),
                           law.rounding() * law.scores.row(l).sum()};
  });
}
InequalitySides numerator_sides(const TableLaw& law) {
  return worst_table(law, [&](Index l) {
    const double right = law.spectral * std::sqrt(law.fullest(l));
    return InequalitySides{law.numerator(l).norm(), right, law.rounding() * law.spectral};
  });
}
InequalitySides mean_numerator_sides(const TableLaw& law) {
  return {(law.values.transpose() * law.mean_scores()).norm(), mean_norm(law), law.rounding() * law.spectral};
}
InequalitySides numerator_mean_sides(const TableLaw& law) {
  return {mean_norm(law), law.spectral * std::sqrt(law.occupancy()), law.rounding() * law.spectral};
}
InequalitySides deviation_sides(const TableLaw& law) {
  const Vector mean = law.values.transpose() * law.mean_scores();
  return worst_table(law, [&](Index l) {
    return InequalitySides{(law.numerator(l) - mean).norm(), 2 * law.spectral * std::sqrt(law.occupancy()),
                           2 * law.rounding() * law.spectral};
  });
}
InequalitySides sharper_deviation_sides(const TableLaw& law) {
  InequalitySides sides = deviation_sides(law);
  sides.right /= std::sqrt(2.0);
  return sides;
}
InequalitySides inside_sides(const TableLaw& law) {
  return worst_table(law, [&](Index l) {
    return InequalitySides{law.collisions.row(l).sum() * law.missed(l), law.fullest(l) * law.missed(l), law.rounding()};
  });
}
InequalitySides outside_sides(const TableLaw& law) {
  return worst_table(law, [&](Index l) {
    const double left = ((1 - law.collisions.row(l).array()) * law.scores.row(l).array()).sum();
    return InequalitySides{left, law.fullest(l) * law.missed(l), law.rounding()};
  });
}
InequalitySides distance_sides(const TableLaw& law) {
  return worst_table(law, [&](Index l) {
    return InequalitySides{(law.scores.row(l) - law.collisions.row(l)).lpNorm<1>(), 2 * law.fullest(l) * law.missed(l),
                           law.rounding()};
  });
}

SidesOfLaw of_population(BiasSide left, BiasSide right) {
  return [=](const TableLaw& law) {
    const BiasCase c = bias_case(law);
    if (!(c.p.soft_mass > kLeastMass && c.p.angular_mass > kLeastMass)) return InequalitySides{0, 1, 0};
    return InequalitySides{left(c), right(c), c.error()};
  };
}

}  // namespace skt
