// How far do a few principal directions go? Loki (Singhania et al., NeurIPS 2024): keys and query are rotated into the
// principal axes of the keys and scored by the first `rank` coordinates. The axes are those of the very keys that are
// ranked, which is the best case of the offline calibration that the paper uses. Wrong if the full rank does not give
// q.k, or keys in a subspace of dimension `rank` are not scored exactly.
#pragma once

#include "sim/matrix.hpp"

namespace skt {

class LowRankKeys {
 public:
  // InputError unless 1 <= rank <= dim.
  LowRankKeys(const Matrix& keys, Index rank);

  Vector scores(const Vector& query) const;  // [keys]
  double bits_per_token() const;             // half-precision coordinates that scoring reads

 private:
  Matrix axes_;         // [dim, rank], orthonormal columns by falling variance
  Matrix coordinates_;  // [keys, rank]
};

}  // namespace skt
