// The two dense types of the project. Rows are keys, tables or planes; row-major, so a row is contiguous.
#pragma once

#include <Eigen/Core>
#include <type_traits>

#include "sim/number.hpp"

namespace skt {

static_assert(std::is_same_v<Index, Eigen::Index>);
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;

}  // namespace skt
