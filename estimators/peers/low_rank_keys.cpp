#include "estimators/peers/low_rank_keys.hpp"

#include <fmt/format.h>

#include "sim/decompositions.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {

LowRankKeys::LowRankKeys(const Matrix& keys, Index rank) {
  if (rank < 1 || rank > keys.cols()) {
    refuse("rank of the keys is {}: allowed are 1 to {}", rank, keys.cols());
  }
  const Matrix centred = keys.rowwise() - keys.colwise().mean();
  const Matrix covariance = centred.transpose() * centred;
  axes_ = eigenvectors_rows_first(covariance).rightCols(rank).rowwise().reverse();
  coordinates_ = keys * axes_;
}

Vector LowRankKeys::scores(const Vector& query) const {
  return coordinates_ * (axes_.transpose() * query);
}

double LowRankKeys::bits_per_token() const {
  return 16.0 * real(axes_.cols());
}

}  // namespace skt
