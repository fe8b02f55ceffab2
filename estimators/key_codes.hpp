// Which bucket does each key fall into (paper, Algorithm 1; document 000, section 3)?
// bit = 1 iff projection >= 0, plane 0 is the most significant bit; a zero key lands in the all-ones bucket.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "estimators/hyperplanes.hpp"

namespace skt {

struct KeyCodes {
  Index tables = 0;
  Index planes = 0;
  Index keys = 0;
  std::vector<std::uint32_t> codes;  // [tables, keys], each in 0 .. 2^planes - 1

  std::span<const std::uint32_t> table(Index l) const { return {codes.data() + l * keys, std::size_t(keys)}; }
};

// Encodes one row of projections [planes] into its bucket.
std::uint32_t encode_bits(std::span<const double> projections);

// Hashes keys [keys, dim] block by block: memory for the codes plus one block, never keys * tables * planes.
// Runs on the threads of the caller's OpenMP team setting; the same bits for any thread count.
KeyCodes hash_keys(const Hyperplanes& hyperplanes, const Matrix& keys);

// The query's own bucket in each table [tables].
std::vector<std::uint32_t> hash_query(const Hyperplanes& hyperplanes, const Vector& query);

// Corner coordinate of bucket `code` at `plane`: +1 or -1, in the same order as encode_bits.
double corner(std::uint32_t code, Index plane, Index planes);

}  // namespace skt
