// The two dense types of the project. Rows are keys, tables or planes; row-major, so a row is contiguous.
#pragma once

#include <Eigen/Core>

namespace skt {

using Index = Eigen::Index;
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;

}  // namespace skt
