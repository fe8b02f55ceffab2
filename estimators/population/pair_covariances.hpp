// The covariances of one table's soft scores between all keys of an instance, Cov(s_i, s_j) = h_ij^P - w_i w_j.
//
// One plane's covariance h_ij - g_i g_j is, with e = erf(c z / sqrt 2) and x = 2g - 1 = E[T e],
//   1/4 { E[(T e_i - x_i)(T e_j - x_j)] + (2/pi) int_gamma^{pi/2} sigma E[T(sigma z)^2] dgamma }
// (pair_moment.hpp). The first term is a product of two matrices over the nodes in z. The second is a short
// integral for keys whose planes with the query are near orthogonal, and its integrand a function of sigma alone, so an
// interpolant and a few Gauss nodes to a pair suffice. Both keep their relative accuracy when the signal is weak. The
// largest deviation from plain quadrature on a sample of pairs is measured and reported.
#pragma once

#include "estimators/population/agreement_interpolant.hpp"
#include "estimators/population/plane_signal.hpp"
#include "sim/instance.hpp"

namespace skt {

class PairCovariances {
 public:
  // A zero key counts as orthogonal to the query and to every key but other zero keys, whose duplicate it is:
  // its bits are all ones, which gives the same moments.
  PairCovariances(const PopulationParameters& parameters, const Instance& instance);

  Index keys() const { return units_.rows(); }
  const Vector& weights() const { return weights_; }  // w_tau, [keys]

  // Rows first_row .. first_row + rows - 1 and columns likewise; the diagonal is the variance.
  struct Block {
    Matrix covariance;   // [rows, columns]
    Matrix sensitivity;  // [rows, columns], change of it for a unit change of one plane's covariance
  };
  Block block(Index first_row, Index rows, Index first_column, Index columns) const;

  // Error of one plane's covariance, absolute, and of one plane's agreement, relative.
  double covariance_error() const { return covariance_error_; }
  double agreement_error() const { return agreement_error_; }

 private:
  // What one key needs for its pairs.
  struct Key {
    HalfAngle half;
    double agreement;  // g
  };

  // 1 - r_ij and 1 + r_ij, both with their digits.
  struct Complements {
    double minus, plus;
  };
  Complements complements(Index i, Index j, double r) const;
  double turned(const Key& i, const Key& j, Complements r) const;
  double plane_covariance(Index i, Index j, double r, double given_projection) const;
  void fill_keys(const PopulationParameters& parameters, const Instance& instance);
  void fill_features();
  double deviation_from_quadrature(const PopulationParameters& parameters) const;

  PlaneSignal signal_;
  Index planes_;
  Matrix units_;                      // [keys, dim + 1]: k/|k|, and 1 in the last column for a zero key
  std::vector<Key> keys_;             // [keys]
  Vector weights_;                    // [keys]
  Matrix features_;                   // [keys, nodes]: sqrt(weight of the node) (T e - x)
  GradedInterpolant squared_signal_;  // E[T(sigma z)^2] / sigma^2 for sigma in [0, 1]
  double covariance_error_ = 0;
  double agreement_error_ = 0;
};

}  // namespace skt
