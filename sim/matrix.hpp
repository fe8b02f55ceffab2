// The two dense types of the project. Rows are keys, tables or planes; row-major, so a row is contiguous.
#pragma once

#include <Eigen/Core>
#include <span>
#include <type_traits>

#include "sim/number.hpp"

namespace skt {

static_assert(std::is_same_v<Index, Eigen::Index>);
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;

// One row, or a vector, as contiguous numbers.
template <class Dense>
auto row_of(Dense& matrix, Index row) {
  static_assert(Dense::IsRowMajor);
  return std::span(matrix.data() + row * matrix.cols(), matrix.cols());
}
inline std::span<double> entries_of(Vector& vector) {
  return std::span(vector.data(), vector.size());
}

}  // namespace skt
