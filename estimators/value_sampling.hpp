// The sampling estimator T(q) (paper, eq. (7)): M draws with p_j ~ a_j ||v_j||, each weighted by S1/||v_j||.
#pragma once

#include "sim/instance.hpp"
#include "sim/randomness.hpp"

namespace skt {

// Draws from a discrete law in constant time a draw (Walker's alias method, Vose's construction).
class AliasTable {
 public:
  // weights [n] non-negative, finite, with a positive sum; otherwise InputError.
  explicit AliasTable(const Vector& weights);

  // The index that two uniforms in (0,1) choose; an index of weight 0 is never chosen.
  Index pick(double u_column, double u_coin) const;

  // The law that the table really draws from, [n]: for tests.
  Vector law() const;

 private:
  std::vector<double> accept_;
  std::vector<Index> alias_;
};

class ValueSampler {
 public:
  // weights [keys] non-negative (any scale), values [keys, value_dim]. Throws InputError if sum a_j||v_j|| = 0.
  ValueSampler(const Vector& weights, const Matrix& values);

  double total_norm() const { return total_norm_; }  // S1 = sum a_j ||v_j||, a normalised
  const Vector& mean() const { return mean_; }       // sum a_j v_j, what T estimates without bias

  // E||T - mean||^2 = (S1^2 - ||mean||^2)/samples exactly.
  double mean_squared_error(Index samples) const;

  // One value of T from `samples` draws addressed by (seed, trial).
  Vector draw(Seed seed, std::uint32_t trial, Index samples) const;

 private:
  AliasTable alias_;
  Matrix directions_;  // v_j / ||v_j||, [keys, value_dim]
  Vector mean_;
  double total_norm_ = 0;
};

}  // namespace skt
