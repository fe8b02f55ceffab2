#include "sim/tight_families.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "sim/number.hpp"
#include "sim/random_families.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

Index value_dim(const FamilyParameters& p) {
  return p.value_dim.value_or(p.dim);
}

// `keys` zero keys and values, and a query of the asked norm along `axis`.
Instance blank_instance(const FamilyParameters& p, std::string name, Index keys, Index axis, Index values) {
  Instance blank{std::move(name), Vector::Zero(p.dim), Matrix::Zero(keys, p.dim), Matrix::Zero(keys, values)};
  blank.query(axis) = p.query_norm.value_or(1);
  return blank;
}

// Keys and values +e_1 in the first half, -e_1 in the second.
void fill_opposite_halves(Instance& instance, Index half) {
  instance.keys.col(0).head(half).setConstant(1);
  instance.keys.col(0).tail(half).setConstant(-1);
  instance.values.col(0) = instance.keys.col(0);
}

// A sum of dim products of numbers of at most 1 in magnitude, for rows that were orthonormal up to a few roundings a
// coordinate.
void require_orthonormal(const Matrix& planes) {
  if (planes.rows() < 1 || planes.rows() > 20) {
    refuse("I-GRID: {} planes: allowed are 1 to 20", planes.rows());
  }
  const double tolerance = 8 * real(planes.cols()) * std::numeric_limits<double>::epsilon();
  const Matrix gram = planes * planes.transpose();
  const double defect = (gram - Matrix::Identity(planes.rows(), planes.rows())).cwiseAbs().maxCoeff();
  require(defect <= tolerance, "I-GRID: W W^T differs from 1 by {}: allowed is {}", defect, tolerance);
}

}  // namespace

Instance copies_instance(const FamilyParameters& p) {
  if (p.dim == 1 && p.angle != 0 && p.angle != std::numbers::pi) {
    refuse("I-COPY: angle is {}: in dim 1 allowed are 0 and pi", p.angle);
  }
  Instance built = blank_instance(p, fmt::format("I-COPY({} {:.6g})", p.copies, p.angle), p.copies, 0, value_dim(p));
  built.keys.col(0).setConstant(std::cos(p.angle));
  if (p.dim > 1) built.keys.col(1).setConstant(std::sin(p.angle));
  built.values.col(0).setConstant(1);
  return built;
}

Instance two_sided_instance(const FamilyParameters& p) {
  if (p.dim < 2) refuse("I-TWO: dim is 1: allowed are 2 and more");
  Instance built = blank_instance(p, fmt::format("I-TWO({})", p.copies), 2 * p.copies, 1, value_dim(p));
  fill_opposite_halves(built, p.copies);
  return built;
}

Instance antipodal_instance(const FamilyParameters& p) {
  Instance built = blank_instance(p, fmt::format("I-ANTI({})", p.copies), 2 * p.copies, 0, value_dim(p));
  fill_opposite_halves(built, p.copies);
  return built;
}

Instance grid_instance(const Matrix& planes, const FamilyParameters& p, Seed seed, std::uint32_t trial) {
  require_orthonormal(planes);
  const Index corners = Index{1} << planes.rows();
  FamilyParameters shape = p;
  shape.keys = corners * p.copies;
  shape.dim = planes.cols();
  Instance built = gaussian_instance(shape, seed, trial);
  built.name = fmt::format("I-GRID({} P={} d={})", p.copies, planes.rows(), planes.cols());
  for (Index r = 0; r < corners; ++r) {
    Vector corner(planes.rows());
    for (Index b = 0; b < planes.rows(); ++b) corner(b) = (r >> (planes.rows() - 1 - b) & 1) ? 1 : -1;
    built.keys.middleRows(r * p.copies, p.copies).rowwise() = (planes.transpose() * corner).transpose();
  }
  return built;
}

Matrix axis_planes(Index planes, Index dim) {
  return Matrix::Identity(planes, dim);
}

Instance orthogonal_values_instance(const FamilyParameters& p, Seed seed, std::uint32_t trial) {
  if (p.value_dim.value_or(p.keys) != p.keys) {
    refuse("I-ORTHV: value_dim is {}: allowed is the number of keys, {}", *p.value_dim, p.keys);
  }
  FamilyParameters one_value = p;
  one_value.value_dim = 1;
  Instance built = gaussian_instance(one_value, seed, trial);
  built.name = fmt::format("I-ORTHV({} d={})", p.keys, p.dim);
  built.values = Matrix::Identity(p.keys, p.keys);
  return built;
}

Instance rademacher_instance(const FamilyParameters& p) {
  Instance built = blank_instance(p, "I-RAD", 2, 0, p.value_dim.value_or(1));
  built.keys.col(0).setConstant(1);
  built.values.col(0) << 1, -1;
  return built;
}

}  // namespace skt
