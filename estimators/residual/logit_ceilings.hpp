// How large can the logit of a key be that is not read?
//
// q.k = q.c + q.(k - c) for any c: with c the mean key, what all keys have in common is known exactly, and only the rest
// is bounded.
//
//   by norms   q.(k - c) <= |q| |k - c|, and q.k <= |q| |k|. Nothing is random.
//   by signs   of b projections of k - c. Their estimate of the cosine with the query is below the cosine less
//              `cosine_radius` with probability at most e^-level, over the rows alone; so all keys lie below their
//              ceilings with probability 1 - delta if the level is log(keys / delta). Neither query, keys, nor c may
//              depend on the rows; a list that is chosen by them may, as the event holds for all keys.
//
// Proofs: docs/bounds/residual.md. A ceiling below its logit more often than delta would show in OWN-16b.
#pragma once

#include <optional>

#include "estimators/peers/sign_projection.hpp"

namespace skt {

// How far below the cosine c the estimate (1/(b gain)) sum_i sign(w_i.u) w_i.q/|q|, u the unit key, may fall but with
// probability e^-level. Rows of orthogonal_blocks in whole blocks: InputError unless bits is a multiple of dim >= 2.
double cosine_radius(double cosine, Index bits, Index dim, ProjectionRows rows, double level);

// log E exp(-t (estimate - c)) of one independent row, or of one block of dim orthogonal ones, is at most this; t >= 0.
double log_moment_of_row(double t, double cosine);
double log_moment_of_block(double t, double cosine, Index dim);

// Of every key at once.
class LogitCeilings {
 public:
  // By norms alone.
  explicit LogitCeilings(const Matrix& keys);
  // By signs too. Of orthogonal blocks the number of bits is rounded up to whole ones.
  LogitCeilings(const Matrix& keys, Index bits, ProjectionRows rows, Seed seed, std::uint32_t trial);

  Index bits() const { return bits_; }
  // scale q.k_j is at most entry j, for all keys with probability 1 - delta. [keys]
  Vector of(const Vector& query, double scale, double delta) const;

 private:
  Eigen::RowVectorXd centre_;
  Vector norms_, centred_norms_;  // |k_j|, |k_j - c|
  std::optional<SignProjection> signs_;
  ProjectionRows rows_ = ProjectionRows::independent;
  Index bits_ = 0;
};

}  // namespace skt
