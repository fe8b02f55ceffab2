#include "estimators/weighted_output.hpp"

#include <fmt/format.h>

#include <cmath>

#include "sim/decompositions.hpp"
#include "sim/require.hpp"

namespace skt {

Vector weighted_output(const Vector& weights, const Matrix& values) {
  if (weights.size() != values.rows()) refuse("{} weights for {} values", weights.size(), values.rows());
  for (Index j = 0; j < weights.size(); ++j)
    require(weights[j] >= 0 && std::isfinite(weights[j]), "weight {} is {}: allowed are finite numbers from 0", j,
            weights[j]);
  const double sum = weights.sum();
  require(sum > 0 && std::isfinite(sum), "the weights sum to {}: allowed are finite numbers above 0", sum);
  return values.transpose() * (weights / sum);
}

Vector row_norms(const Matrix& values) {
  Vector norms(values.rows()), row(values.cols());
  for (Index j = 0; j < values.rows(); ++j) {
    row = values.row(j);  // in its own place: the order of the sum follows the alignment
    norms[j] = row.stableNorm();
  }
  return norms;
}

double spectral_norm(const Matrix& values) {
  const double largest = values.size() == 0 ? 0.0 : values.cwiseAbs().maxCoeff();
  if (!(largest > 0)) return 0;
  const Matrix scaled = values / largest;  // squares neither overflow nor vanish
  const bool tall = scaled.rows() >= scaled.cols();
  const Matrix gram = tall ? Matrix(scaled.transpose() * scaled) : Matrix(scaled * scaled.transpose());
  return largest * std::sqrt(eigenvalues_rows_first(gram).maxCoeff());
}

}  // namespace skt
