#include "proofs_check/laws/instances/two_point_tables.hpp"

#include <cmath>

#include "sim/number.hpp"
#include "sim/statistics/binomial_tails.hpp"

namespace skt {
namespace {

constexpr double kRadiusRounding = 1e-12;

}  // namespace

Vector TwoPointTables::output() const {
  return ((1 - chance) * usual.numerator + chance * rare.numerator) / mass();
}

TargetMoments TwoPointTables::moments(const Vector& target) const {
  const double z = mass(), step = (rare.normaliser - usual.normaliser) / z;
  const Vector jump = (rare.numerator - usual.numerator) / z - step * target;
  const double spread = chance * (1 - chance);
  TargetMoments at;
  at.mass = z;
  at.offset = output() - target;
  at.covariance = spread * jump * jump.transpose();
  at.with_normaliser = spread * step * jump;
  at.trace = at.largest_eigenvalue = spread * jump.squaredNorm();
  at.trace_of_square = at.trace * at.trace;
  at.normaliser_deviation = std::sqrt(spread) * std::abs(step);
  return at;
}

double TwoPointTables::kurtosis() const {
  const double spread = chance * (1 - chance);
  return (1 - 3 * spread) / spread;
}

TableSums TwoPointTables::sums(Index tables, Index of_rare) const {
  TableSums sums = empty_table_sums(tables, usual.numerator.size());
  for (Index l = 0; l < tables; ++l) {
    const TableOutcome& outcome = l < of_rare ? rare : usual;
    sums.numerators.row(l) = outcome.numerator.transpose();
    sums.normalisers(l) = outcome.normaliser;
  }
  return sums;
}

TwoPointTables sign_tables(Index value_dim) {
  const Vector plus = Vector::Unit(value_dim, 0);
  return {{-plus, 1}, {plus, 1}, 0.5};
}

TwoPointTables jump_tables(double chance) {
  return {{Vector::Constant(1, -chance), 1}, {Vector::Constant(1, 1 - chance), 1}, chance};
}

double miss_probability(const TwoPointTables& law, Index tables, const Vector& target, const RadiusOfSums& radius,
                        double least) {
  double missed = 0;
  for (Index rare = 0; rare <= tables; ++rare) {
    const double probability = binomial_probability(rare, tables, law.chance);
    if (probability < least) continue;
    const TableSums sums = law.sums(tables, rare);
    if ((sums.output() - target).norm() > radius(sums) * (1 + kRadiusRounding)) missed += probability;
  }
  return missed;
}

}  // namespace skt
