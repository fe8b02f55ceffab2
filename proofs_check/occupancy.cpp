#include "proofs_check/occupancy.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/input_error.hpp"

namespace skt {

Index largest_half_plane(const Matrix& keys) {
  if (keys.cols() != 2)
    throw InputError(fmt::format("largest_half_plane: dim is {}: allowed is 2", keys.cols()));
  Index largest = 0;
  // A fullest half-plane can be turned until some key lies on its clockwise edge, which still counts.
  for (Index i = 0; i < keys.rows(); ++i) {
    Index inside = 0;
    for (Index j = 0; j < keys.rows(); ++j) {
      const double cross = keys(i, 0) * keys(j, 1) - keys(i, 1) * keys(j, 0);
      inside += cross > 0 || (cross == 0 && keys.row(i).dot(keys.row(j)) > 0);
    }
    largest = std::max(largest, inside);
  }
  return largest;
}

}  // namespace skt
