// How well do the signs of random projections of a key rank it against a full-precision query?
//
// score_j = c_j sum_i sign(w_i.k_j) f(w_i.q). With f linear and independent rows this is QJL (Zandieh,
// Daliri, Han 2024); with orthonormal rows and the factor that makes a key's estimate of itself exact it is RaBitQ (Gao
// and Long, SIGMOD 2024); with f = sign it is the Hamming distance of two signatures (HashAttention's score, Desai et
// al. 2024, with a random rotation in place of its learned map). sign(0) = +1, as in the hash codes. Wrong if the mean
// over projections is not q.k, or the correlation with q.k over Gaussian keys not the exact one.
#pragma once

#include "sim/matrix.hpp"
#include "sim/randomness.hpp"

namespace skt {

enum class ProjectionRows { independent, orthogonal_blocks };
enum class QuerySide { linear, sign };
// none: c_j = 1, a score of the direction only. norm: |k_j| / (bits * projection_gain), unbiased for q.k_j.
// exact_on_key: |k_j|^2 / sum_i |w_i.k_j|, so that the estimate of k_j.k_j is exact.
enum class KeyFactor { none, norm, exact_on_key };

// [bits, dim]. independent: i.i.d. N(0,1) entries. orthogonal_blocks: independent Haar rotations of `dim` rows each
// (the last one cut), rows scaled to norm sqrt(dim) so that both kinds have rows of mean square norm dim.
Matrix draw_projection(Seed seed, std::uint32_t trial, Index bits, Index dim, ProjectionRows rows);

// E|w.u| for a unit u: sqrt(2/pi) for normal rows; for rows of norm sqrt(dim) uniform on their sphere sqrt(dim/pi)
// Gamma(dim/2)/Gamma((dim+1)/2), which tends to sqrt(2/pi).
double projection_gain(ProjectionRows rows, Index dim);

class SignProjection {
 public:
  SignProjection(const Matrix& keys, Index bits, ProjectionRows kind, Seed seed, std::uint32_t trial);

  Vector scores(const Vector& query, QuerySide side, KeyFactor factor) const;  // [keys]
  double bits_per_token(KeyFactor factor) const;  // bits, and 16 for a factor in half precision
  const Matrix& rows() const { return rows_; }

 private:
  using Signs = Eigen::Matrix<signed char, Eigen::Dynamic, Eigen::Dynamic>;  // of each bit the keys stand together
  ProjectionRows kind_;
  Matrix rows_;       // [bits, dim]
  Signs signs_;       // [keys, bits], +1 or -1
  Vector norms_;      // [keys]
  Vector projected_;  // [keys]: sum_i |w_i.k_j|
};

}  // namespace skt
