#include "proofs_check/bounds/fast_codes.hpp"

#include <algorithm>
#include <cmath>

#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

constexpr Index kBlockKeys = 256;  // their projections on some 500 planes stay in the second-level cache

// Each factor is rounded once, the sum of dim products dim times, each by 2^-24 of sum |w_i k_i| <= |w|; the 4 for two
// factors covers the second order for any dim below 2^20.
Vector rounding_of(const Hyperplanes& hyperplanes) {
  require(hyperplanes.dim < Index{1} << 20, "dim is {}: allowed are numbers below 2^20", hyperplanes.dim);
  return hyperplanes.rows.rowwise().norm() * ((real(hyperplanes.dim) + 4) * std::ldexp(1.0, -24));
}

// Planes with the keys of a block side by side, so that signs are taken and shifted in many at a time.
struct Block {
  const Hyperplanes& hyperplanes;
  const UnitKeys& keys;
  Index first;
  Index count;
};

// The least of |x_j|; a loop without a branch.
float least_magnitude(const float* x, Index count) {
  float least = std::abs(x[0]);
  for (Index j = 1; j < count; ++j) least = std::min(least, std::abs(x[j]));
  return least;
}

// Puts the projection in double in the place of those within `rounding` of 0.
void refine(const Block& block, Index row, double rounding, float* projected) {
  if (least_magnitude(projected, block.count) > rounding) return;
  for (Index j = 0; j < block.count; ++j) {
    if (std::abs(projected[j]) > rounding) continue;
    const double again = block.hyperplanes.rows.row(row).dot(block.keys.rows.row(block.first + j));
    projected[j] = again >= 0 ? 1 : -1;  // the sign is all that is asked
  }
}

void encode(const Block& block, const Vector& rounding, MatrixF& projected, KeyCodes& codes) {
  const Index planes = codes.planes;
  for (Index l = 0; l < codes.tables; ++l) {
    std::uint32_t* const out = codes.codes.data() + l * codes.keys + block.first;
    std::fill(out, out + block.count, 0u);
    for (Index row = l * planes; row < (l + 1) * planes; ++row) {
      float* const of_row = projected.row(row).data();
      refine(block, row, rounding(row), of_row);
      for (Index j = 0; j < block.count; ++j) out[j] = out[j] << 1 | (of_row[j] >= 0 ? 1u : 0u);
    }
  }
}

}  // namespace

UnitKeys unit_keys(const Matrix& keys) {
  require(keys.allFinite(), "keys: a number is not finite");
  UnitKeys unit{keys, {}};
  for (Index j = 0; j < keys.rows(); ++j) {
    const double largest = keys.row(j).cwiseAbs().maxCoeff();
    if (!(largest > 0)) continue;
    unit.rows.row(j) /= largest;  // squares neither overflow nor vanish
    unit.rows.row(j) /= unit.rows.row(j).norm();
  }
  unit.rounded = unit.rows.cast<float>();
  return unit;
}

KeyCodes fast_codes(const Hyperplanes& hyperplanes, const UnitKeys& keys) {
  if (keys.rows.cols() != hyperplanes.dim)
    refuse("keys have dim {}, the hyperplanes {}", keys.rows.cols(), hyperplanes.dim);
  const Vector rounding = rounding_of(hyperplanes);
  require(rounding.allFinite(), "hyperplanes: a number is not finite");
  const Index count = keys.rows.rows();
  KeyCodes codes = room_for_codes(hyperplanes, count);
  const MatrixF planes = hyperplanes.rows.cast<float>();
  MatrixF projected(planes.rows(), kBlockKeys), padded;
  for (Index first = 0; first < count; first += kBlockKeys) {
    const Block block{hyperplanes, keys, first, std::min(kBlockKeys, count - first)};
    if (block.count == kBlockKeys) {
      projected.noalias() = planes * keys.rounded.middleRows(first, kBlockKeys).transpose();
    } else {  // zero keys fill the last block: the product treats every key alike
      padded = MatrixF::Zero(kBlockKeys, hyperplanes.dim);
      padded.topRows(block.count) = keys.rounded.middleRows(first, block.count);
      projected.noalias() = planes * padded.transpose();
    }
    encode(block, rounding, projected, codes);
  }
  return codes;
}

}  // namespace skt
