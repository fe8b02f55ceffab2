#include "proofs_check/bounds/value_covariance.hpp"

#include <cmath>

#include "sim/decompositions.hpp"
#include "sim/require.hpp"

namespace skt {

Matrix value_covariance(const Vector& probabilities, const Matrix& values, const Vector& mean) {
  return sum_of_outer_products(values.rows(), values.cols(), [&](Index j, auto&& row) {
    row = std::sqrt(probabilities(j)) * (values.row(j) - mean.transpose());
  });
}

double largest_eigenvalue(const Matrix& symmetric) {
  if (symmetric.size() == 0) return 0;
  return std::fmax(0, symmetric_eigenvalues(symmetric)(symmetric.rows() - 1));
}

Vector probabilities_of(const Vector& weights, Index keys, const char* what) {
  require(weights.size() == keys, "{}: {} weights for {} values", what, weights.size(), keys);
  for (Index j = 0; j < keys; ++j) {
    require(weights(j) >= 0 && std::isfinite(weights(j)), "{}: weight {} is {}: allowed are finite numbers from 0",
            what, j, weights(j));
  }
  const double sum = weights.sum();
  require(sum > 0 && std::isfinite(sum), "{}: the weights sum to {}: allowed are finite numbers above 0", what, sum);
  return weights / sum;
}

}  // namespace skt
