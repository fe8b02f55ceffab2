#include "estimators/key_codes_f32.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "sim/require.hpp"

namespace skt {
namespace {

// Keys to a product: with some 600 planes their projections, 0.6 MB, stay in the second-level cache.
constexpr Index kBlockRows = 256;

// Plane by plane with the keys side by side, so that signs are taken and shifted in, many at a time. Returns whether
// every projection is finite.
bool encode_block(const MatrixF& projected, Index planes, Index keys, Index first, KeyCodes& codes) {
  std::uint32_t beyond = 0;
  for (Index l = 0; l < codes.tables; ++l) {
    std::uint32_t* const out = codes.codes.data() + l * codes.keys + first;
    std::fill(out, out + keys, 0u);
    for (Index p = 0; p < planes; ++p) {
      const float* const row = projected.row(l * planes + p).data();
      for (Index j = 0; j < keys; ++j) {
        out[j] = out[j] << 1 | (row[j] >= 0 ? 1u : 0u);
        beyond |= std::abs(row[j]) <= std::numeric_limits<float>::max() ? 0u : 1u;
      }
    }
  }
  return beyond == 0;
}

}  // namespace

KeyCodes hash_keys_f32(const Hyperplanes& hyperplanes, const Eigen::Ref<const MatrixF>& keys) {
  if (keys.cols() != hyperplanes.dim) refuse("keys have dim {}, the hyperplanes {}", keys.cols(), hyperplanes.dim);
  KeyCodes codes = room_for_codes(hyperplanes, keys.rows());
  const MatrixF rows = hyperplanes.rows.cast<float>();
  const Index blocks = (keys.rows() + kBlockRows - 1) / kBlockRows;
  Index first_bad = blocks;
#pragma omp parallel reduction(min : first_bad) if (blocks > 1)
  {
    MatrixF projected(rows.rows(), kBlockRows);
    MatrixF padded;
#pragma omp for schedule(static)
    for (Index b = 0; b < blocks; ++b) {
      const Index first = b * kBlockRows, count = std::min(kBlockRows, keys.rows() - first);
      if (count == kBlockRows) {
        projected.noalias() = rows * keys.middleRows(first, count).transpose();
      } else {  // zero keys fill the last block: the product treats every key alike
        padded = MatrixF::Zero(kBlockRows, keys.cols());
        padded.topRows(count) = keys.middleRows(first, count);
        projected.noalias() = rows * padded.transpose();
      }
      if (!encode_block(projected, hyperplanes.planes, count, first, codes)) first_bad = std::min(first_bad, b);
    }
  }
  if (first_bad < blocks)
    refuse("keys {} to {}: a projection on the hyperplanes is not finite", first_bad * kBlockRows,
           std::min((first_bad + 1) * kBlockRows, keys.rows()) - 1);
  return codes;
}

}  // namespace skt
