// What are the eigenvalues, the orthonormal basis and the pseudo-inverse of a matrix? Eigen's answers, compiled once.
//
// Each takes a compiler 5 s and more, and was compiled in every file that asked. Column-major copies, as Eigen's own
// solvers hold them: with rows first the same solvers round otherwise. They would be wrong if A v = l v, Q^T Q = I or
// A X A = A failed, which tests/sim/decompositions_test.cpp checks on matrices worked out by hand.
#pragma once

#include "sim/matrix.hpp"

namespace skt {

// Of a symmetric matrix, of which the lower half is read; rising. [n, n] with n >= 1 -> [n].
Vector symmetric_eigenvalues(const Eigen::MatrixXd& symmetric);

// Of a symmetric matrix whose rows come first, by the solver for such, which rounds as no copy would: eigenvalues that
// rise, and the eigenvectors as columns in their order.
Vector eigenvalues_rows_first(const Matrix& symmetric);
Matrix eigenvectors_rows_first(const Matrix& symmetric);

// An orthonormal basis of the columns, which are independent: the first factor of Householder's QR. The j-th spans with
// those before it what the first j columns span; its sign is Householder's choice. [n, k] with k <= n -> [n, k].
Eigen::MatrixXd orthonormal_columns(const Eigen::MatrixXd& columns);

// The shortest x of the least |a x - b|, from a complete orthogonal decomposition. [n, k], [n] -> [k].
Vector least_squares(const Eigen::MatrixXd& a, const Vector& b);

// [n, k] -> [k, n].
Eigen::MatrixXd pseudo_inverse(const Eigen::MatrixXd& a);

}  // namespace skt
