#include "proofs_check/laws/angle_instance.hpp"

#include <fmt/format.h>

#include <cmath>
#include <span>

#include "sim/require.hpp"

namespace skt {

Instance angle_instance(const std::vector<double>& angles, Index dim, double query_norm, Seed seed) {
  if (dim < 2) refuse("angle_instance: dim is {}: allowed are 2 and more", dim);
  Matrix plane(2, dim);
  for (std::uint32_t i = 0; i < 2; ++i)
    fill_normal(seed, {.role = Role::instance_shape, .row = i}, std::span<double>(plane.row(i).data(), dim));
  const Vector along = plane.row(0).transpose().normalized();
  Vector across = plane.row(1).transpose();
  // Twice: the second pass removes what rounding left of `along` after the first.
  for (int pass = 0; pass < 2; ++pass) across = (across - along.dot(across) * along).normalized();

  const Index keys = angles.size();
  Instance built{fmt::format("keys at {} angles, d={}", keys, dim), query_norm * along, Matrix(keys, dim),
                 Matrix::Identity(keys, keys)};
  for (Index j = 0; j < keys; ++j) {
    const double theta = angles[j];
    built.keys.row(j) = (std::cos(theta) * along + std::sin(theta) * across).transpose();
  }
  return built;
}

}  // namespace skt
