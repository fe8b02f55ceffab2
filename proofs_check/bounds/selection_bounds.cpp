#include "proofs_check/bounds/selection_bounds.hpp"

#include <cmath>
#include <limits>

#include "estimators/population/plane_signal.hpp"
#include "proofs_check/bounds/value_covariance.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

// 1 for a key that is selected and 0 for one that is missed.
Vector indicator_of(std::span<const Index> selected, Index keys) {
  Vector indicator = Vector::Zero(keys);
  for (const Index j : selected) {
    require(j >= 0 && j < keys, "selected key {}: allowed are 0 to {}", j, keys - 1);
    if (indicator(j) != 0) refuse("selected key {} is given twice: allowed is once", j);
    indicator(j) = 1;
  }
  return indicator;
}

}  // namespace

SelectionBounds selection_bounds(const Vector& softmax, const Matrix& values, std::span<const Index> selected) {
  const Index keys = values.rows();
  const Vector alpha = probabilities_of(softmax, keys, "softmax weights");
  const Vector kept = indicator_of(selected, keys);
  SelectionBounds bounds{.missed_mass = alpha.dot((1 - kept.array()).matrix())};
  if (bounds.missed_mass == 0) return bounds;
  const double kept_mass = alpha.dot(kept);
  if (kept_mass == 0) {
    bounds.by_farthest = bounds.by_covariance = std::numeric_limits<double>::infinity();
    return bounds;
  }

  Matrix weights(keys, 2);  // one pass for both outputs
  weights << alpha, alpha.cwiseProduct(kept) / kept_mass;
  const Matrix outputs = values.transpose() * weights;
  const Vector dense = outputs.col(0), apart = outputs.col(0) - outputs.col(1);
  double farthest = 0;
  const Matrix covariance = sum_of_outer_products(keys, values.cols(), [&](Index j, auto&& row) {
    row = values.row(j) - dense.transpose();
    if (kept(j) == 0 && alpha(j) > 0) farthest = std::fmax(farthest, (row + apart.transpose()).squaredNorm());
    row *= std::sqrt(alpha(j));
  });
  bounds.by_farthest = bounds.missed_mass * std::sqrt(farthest);
  bounds.by_covariance = std::sqrt(bounds.missed_mass / kept_mass * largest_eigenvalue(covariance));
  return bounds;
}

double error_of_missed_mass(const Vector& softmax, const Matrix& values, double missed_mass) {
  if (!(missed_mass < 1)) return std::numeric_limits<double>::infinity();
  const Vector alpha = probabilities_of(softmax, values.rows(), "softmax weights");
  const Vector dense = values.transpose() * alpha;
  const Matrix covariance = sum_of_outer_products(values.rows(), values.cols(), [&](Index j, auto&& row) {
    row = (values.row(j) - dense.transpose()) * std::sqrt(alpha(j));
  });
  return std::sqrt(missed_mass / (1 - missed_mass) * largest_eigenvalue(covariance));
}

LeftOut left_out(const Vector& softmax, const Matrix& values, std::span<const Index> selected) {
  const Vector alpha = probabilities_of(softmax, values.rows(), "softmax weights");
  const Vector kept = indicator_of(selected, values.rows());
  const double kept_mass = alpha.dot(kept);
  if (kept_mass == 0) return {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  const Vector missed = alpha.cwiseProduct((1 - kept.array()).matrix());
  const Matrix apart = values.rowwise() - (values.transpose() * alpha).transpose();
  return {(apart.transpose() * missed).norm() / kept_mass, apart.rowwise().norm().dot(missed) / kept_mass};
}

double outranking_norm(const PopulationParameters& parameters) {
  return std::exp(2 * real(parameters.planes) * plane_signal(parameters).strength);
}

}  // namespace skt
