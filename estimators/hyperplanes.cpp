#include "estimators/hyperplanes.hpp"

#include <fmt/format.h>

#include "sim/input_error.hpp"

namespace skt {

Hyperplanes draw_hyperplanes(Seed seed, std::uint32_t trial, Index tables, Index planes, Index dim) {
  if (tables < 1) throw InputError(fmt::format("tables is {}: allowed are 1 and more", tables));
  if (planes < 1 || planes > 30) throw InputError(fmt::format("planes is {}: allowed are 1 to 30", planes));
  if (dim < 1) throw InputError(fmt::format("dim is {}: allowed are 1 and more", dim));
  Hyperplanes drawn{tables, planes, dim, Matrix(tables * planes, dim)};
  for (Index l = 0; l < tables; ++l) {
    for (Index p = 0; p < planes; ++p) {
      const DrawAddress at{Role::hyperplane, trial, static_cast<std::uint32_t>(l), static_cast<std::uint32_t>(p)};
      fill_normal(seed, at, {drawn.rows.row(l * planes + p).data(), static_cast<std::size_t>(dim)});
    }
  }
  return drawn;
}

}  // namespace skt
