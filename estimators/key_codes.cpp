#include "estimators/key_codes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/require.hpp"

namespace skt {
namespace {

// One product has 256 keys and about 512 planes: 1 MiB of projections, which stay in the second-level cache.
constexpr Index kBlockKeys = 256;
constexpr Index kBlockPlanes = 512;
static_assert(kBlockKeys % kVectorGroup == 0);

// Codes of one block in every table; false if a projection is not finite.
bool hash_block(KeyCodes& codes, Index first, const Hyperplanes& hyperplanes, const Eigen::Ref<const Matrix>& block) {
  const Index planes = hyperplanes.planes;
  const Index group = std::max<Index>(1, kBlockPlanes / planes);  // tables to a product
  bool finite = true;
  for (Index table = 0; table < hyperplanes.tables; table += group) {
    const Index tables = std::min(group, hyperplanes.tables - table);
    const Matrix projected = projections(hyperplanes, block, table * planes, tables * planes);
    finite = finite && projected.allFinite();
    for (Index l = 0; l < tables; ++l) {
      std::uint32_t* out = codes.codes.data() + (table + l) * codes.keys + first;
      for (Index j = 0; j < block.rows(); ++j) out[j] = encode_bits(row_of(projected, j).subspan(l * planes, planes));
    }
  }
  return finite;
}

void check_planes(Index planes, Index there) {
  require(planes >= 1 && planes <= there, "the first {} planes of {}: allowed are 1 to {}", planes, there, there);
}

}  // namespace

std::uint32_t encode_bits(std::span<const double> projections) {
  std::uint32_t code = 0;
  for (const double projection : projections) code = code << 1 | (projection >= 0 ? 1u : 0u);
  return code;
}

KeyCodes room_for_codes(const Hyperplanes& hyperplanes, Index keys) {
  return {hyperplanes.tables, hyperplanes.planes, keys, std::vector<std::uint32_t>(hyperplanes.tables * keys)};
}

void hash_keys_into(KeyCodes& codes, Index first, const Hyperplanes& hyperplanes,
                    const Eigen::Ref<const Matrix>& keys) {
  if (keys.cols() != hyperplanes.dim) refuse("keys have dim {}, the hyperplanes {}", keys.cols(), hyperplanes.dim);
  const Index blocks = (keys.rows() + kBlockKeys - 1) / kBlockKeys;
  Index first_bad = blocks;
#pragma omp parallel for schedule(dynamic, 1) reduction(min : first_bad) if (blocks > 1)
  for (Index b = 0; b < blocks; ++b) {
    const Index at = b * kBlockKeys;
    const auto block = keys.middleRows(at, std::min(kBlockKeys, keys.rows() - at));
    if (!hash_block(codes, first + at, hyperplanes, block)) first_bad = std::min(first_bad, b);
  }
  if (first_bad == blocks) return;
  for (Index j = first_bad * kBlockKeys;; ++j) {
    if (!projections(hyperplanes, keys.row(j), 0, hyperplanes.rows.rows()).allFinite())
      refuse("key {}: its projections on the hyperplanes are not finite", first + j);
  }
}

KeyCodes hash_keys(const Hyperplanes& hyperplanes, const Eigen::Ref<const Matrix>& keys) {
  KeyCodes codes = room_for_codes(hyperplanes, keys.rows());
  hash_keys_into(codes, 0, hyperplanes, keys);
  return codes;
}

std::vector<std::uint32_t> hash_query(const Hyperplanes& hyperplanes, const Vector& query) {
  const Matrix projected = query_projections(hyperplanes, query);
  std::vector<std::uint32_t> codes;
  for (Index l = 0; l < hyperplanes.tables; ++l) codes.push_back(encode_bits(row_of(projected, l)));
  return codes;
}

double corner(std::uint32_t code, Index plane, Index planes) {
  return (code >> (planes - 1 - plane) & 1u) != 0 ? 1.0 : -1.0;
}

Hyperplanes leading_planes(const Hyperplanes& hyperplanes, Index planes) {
  check_planes(planes, hyperplanes.planes);
  Hyperplanes leading{hyperplanes.tables, planes, hyperplanes.dim,
                      Matrix(hyperplanes.tables * planes, hyperplanes.dim)};
  for (Index l = 0; l < hyperplanes.tables; ++l)
    leading.rows.middleRows(l * planes, planes) = hyperplanes.table(l).topRows(planes);
  return leading;
}

KeyCodes leading_planes(const KeyCodes& codes, Index planes) {
  check_planes(planes, codes.planes);
  KeyCodes leading{codes.tables, planes, codes.keys, codes.codes};
  for (std::uint32_t& code : leading.codes) code >>= codes.planes - planes;
  return leading;
}

}  // namespace skt
