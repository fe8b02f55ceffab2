// What is the covariance of the values under a law of the keys, and its largest eigenvalue?
//
// One pass in blocks of rows that stay in a core's cache, centred before they are squared, so that values far from the
// origin lose no digits. It would be wrong if two values e and 0 of probabilities m and 1 - m had another covariance
// than m (1 - m) e e^T.
#pragma once

#include <algorithm>

#include "sim/matrix.hpp"

namespace skt {

// sum_j r_j r_j^T, [dim, dim], for rows that fill(j, row) writes, row a writable [dim] row of a matrix.
template <class Fill>
Matrix sum_of_outer_products(Index rows, Index dim, Fill&& fill) {
  constexpr Index kBlock = 256;
  Eigen::MatrixXd half = Eigen::MatrixXd::Zero(dim, dim);
  Matrix block(std::min(kBlock, rows), dim);
  for (Index first = 0; first < rows; first += kBlock) {
    const Index count = std::min(kBlock, rows - first);
    for (Index j = 0; j < count; ++j) fill(first + j, block.row(j));
    half.selfadjointView<Eigen::Lower>().rankUpdate(block.topRows(count).transpose());
  }
  return half.selfadjointView<Eigen::Lower>();
}

// Probabilities [keys], not negative, of sum 1; `mean` the mean of the values under them.
Matrix value_covariance(const Vector& probabilities, const Matrix& values, const Vector& mean);

// Of a symmetric matrix of non-negative eigenvalues; 0 of an empty one.
double largest_eigenvalue(const Matrix& symmetric);

// Weights that are not negative, finite and of positive sum, as numbers of sum 1; otherwise InputError, naming `what`.
Vector probabilities_of(const Vector& weights, Index keys, const char* what);

}  // namespace skt
