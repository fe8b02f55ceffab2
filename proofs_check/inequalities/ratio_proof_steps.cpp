#include "proofs_check/inequalities/ratio_proof_steps.hpp"

#include <cmath>
#include <limits>
#include <numbers>

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

DrawnRatio opposite_scalars() {
  const Matrix values = (Matrix(2, 1) << 1, -1).finished();
  return {finite_tables(Vector{{0.5, 0.0}}, values), finite_tables(Vector{{0.5, 0.25}}, values), 1, std::sqrt(2.0)};
}

DrawnRatio half_of_two_tables() {
  const Matrix values = (Matrix(2, 1) << 1, -1).finished();
  return {finite_tables(Vector{{0.375, 0.0}}, values), finite_tables(Vector{{0.5, 0.25}}, values), 1, std::sqrt(2.0)};
}

DrawnRatio half_of_the_mass(const Context& context) {
  constexpr double kTheta = 0.1 * std::numbers::pi;
  Instance instance{"19 keys against 9", Vector::Unit(2, 0), Matrix(28, 2), Matrix::Zero(28, 1)};
  instance.keys.topRows(19).rowwise() = Eigen::RowVector2d(std::cos(kTheta), std::sin(kTheta));
  instance.keys.bottomRows(9).rowwise() = -Eigen::RowVector2d(std::cos(kTheta), std::sin(kTheta));
  instance.values.bottomRows(9).setOnes();
  const Hyperplanes table{1, 1, 2, (Matrix(1, 2) << 0.2, -1).finished()};  // w.q = 0.2, w.k = 0.2 cos - sin < 0
  const FiniteTables drawn = finite_tables(rescaled_weights(context, instance, table, {1e-12}), instance.values);
  return {drawn, {18, Vector::Constant(1, 0.9), Vector::Constant(1, 0.05)}, 19, 3};
}

DrawnRatio half_with_all_values(const Context& context) {
  constexpr double kTheta = 0.01 * std::numbers::pi;
  const Instance instance{"a key of value 1 and one of value 0", Vector::Unit(2, 0),
                          (Matrix(2, 2) << 1, 0, std::cos(kTheta), std::sin(kTheta)).finished(),
                          (Matrix(2, 1) << 1, 0).finished()};
  const Hyperplanes table{1, 1, 2, (Matrix(1, 2) << std::sin(kTheta / 2), -std::cos(kTheta / 2)).finished()};
  const FiniteTables drawn = finite_tables(rescaled_weights(context, instance, table, {1e-12}), instance.values);
  return {drawn, {1.99, Vector::Constant(1, 1.0), Vector::Constant(1, 1 / 1.99)}, 2, 1};
}

}  // namespace skt
