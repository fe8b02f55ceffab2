#include "estimators/tables/leading_planes.hpp"

#include "sim/require.hpp"

namespace skt {
namespace {

void check_planes(Index planes, Index there) {
  require(planes >= 1 && planes <= there, "the first {} planes of {}: allowed are 1 to {}", planes, there, there);
}

}  // namespace

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
