#include "estimators/hyperplanes.hpp"

#include <fmt/format.h>

#include <utility>

#include "sim/require.hpp"

namespace skt {
namespace {

constexpr Index kMaxTables = Index{1} << 24;  // the address of a draw has 24 bits for the table

void check_sizes(Index tables, Index planes, Index dim) {
  if (tables < 1 || tables > kMaxTables) refuse("tables is {}: allowed are 1 to {}", tables, kMaxTables);
  if (planes < 1 || planes > kMaxPlanes) refuse("planes is {}: allowed are 1 to {}", planes, kMaxPlanes);
  if (dim < 1) refuse("dim is {}: allowed are 1 and more", dim);
}

}  // namespace

Hyperplanes draw_hyperplanes(Seed seed, std::uint32_t trial, Index tables, Index planes, Index dim) {
  check_sizes(tables, planes, dim);
  Hyperplanes drawn{tables, planes, dim, Matrix(tables * planes, dim)};
  for (std::uint32_t l = 0; l < tables; ++l) {
    for (std::uint32_t p = 0; p < planes; ++p) {
      fill_normal(seed, {Role::hyperplane, trial, l, p}, row_of(drawn.rows, l * planes + p));
    }
  }
  return drawn;
}

Hyperplanes given_hyperplanes(Index tables, Index planes, Matrix rows) {
  check_sizes(tables, planes, rows.cols());
  if (rows.rows() != tables * planes)
    refuse("hyperplanes: {} rows given for {} tables of {} planes", rows.rows(), tables, planes);
  const Index dim = rows.cols();
  return {tables, planes, dim, std::move(rows)};
}

Matrix projections(const Hyperplanes& hyperplanes, const Eigen::Ref<const Matrix>& vectors, Index first, Index count) {
  if (vectors.cols() != hyperplanes.dim)
    refuse("vectors of dim {} cannot be projected on hyperplanes of dim {}", vectors.cols(), hyperplanes.dim);
  const auto planes = hyperplanes.rows.middleRows(first, count);
  const Index n = vectors.rows();
  if (n % kVectorGroup == 0) return vectors * planes.transpose();
  Matrix padded = Matrix::Zero((n + kVectorGroup - 1) / kVectorGroup * kVectorGroup, vectors.cols());
  padded.topRows(n) = vectors;
  const Matrix product = padded * planes.transpose();
  return product.topRows(n);
}

Matrix query_projections(const Hyperplanes& hyperplanes, const Vector& query) {
  const Matrix row = query.transpose();
  const Matrix projected = projections(hyperplanes, row, 0, hyperplanes.rows.rows());
  if (!projected.allFinite()) refuse("query: its projections are not finite");
  return projected.reshaped<Eigen::RowMajor>(hyperplanes.tables, hyperplanes.planes);
}

}  // namespace skt
