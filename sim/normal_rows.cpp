#include "sim/normal_rows.hpp"

namespace skt {

Matrix normal_rows(Seed seed, const DrawAddress& first, Index rows, Index dim) {
  constexpr Index kSerial = 1 << 14;  // numbers; fewer are drawn before other threads have woken up
  Matrix drawn(rows, dim);
#pragma omp parallel for schedule(static) if (rows * dim > kSerial)
  for (Index j = 0; j < rows; ++j) {
    DrawAddress at = first;
    at.row += static_cast<std::uint32_t>(j);
    fill_normal(seed, at, row_of(drawn, j));
  }
  return drawn;
}

Vector normal_vector(Seed seed, const DrawAddress& at, Index dim) {
  Vector drawn(dim);
  fill_normal(seed, at, entries_of(drawn));
  return drawn;
}

}  // namespace skt
