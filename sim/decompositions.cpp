#include "sim/decompositions.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>

namespace skt {

Vector symmetric_eigenvalues(const Eigen::MatrixXd& symmetric) {
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(symmetric, Eigen::EigenvaluesOnly).eigenvalues();
}

Vector eigenvalues_rows_first(const Matrix& symmetric) {
  return Eigen::SelfAdjointEigenSolver<Matrix>(symmetric, Eigen::EigenvaluesOnly).eigenvalues();
}

Matrix eigenvectors_rows_first(const Matrix& symmetric) {
  return Eigen::SelfAdjointEigenSolver<Matrix>(symmetric).eigenvectors();
}

Eigen::MatrixXd orthonormal_columns(const Eigen::MatrixXd& columns) {
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(columns);
  return qr.householderQ() * Eigen::MatrixXd::Identity(columns.rows(), columns.cols());
}

Vector least_squares(const Eigen::MatrixXd& a, const Vector& b) {
  return a.completeOrthogonalDecomposition().solve(b);
}

Eigen::MatrixXd pseudo_inverse(const Eigen::MatrixXd& a) {
  return a.completeOrthogonalDecomposition().pseudoInverse();
}

}  // namespace skt
