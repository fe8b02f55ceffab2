// Which bucket does each key fall into (paper, Algorithm 1; document 000, section 3)?
// bit = 1 iff projection >= 0, plane 0 is the most significant bit; a zero key lands in the all-ones bucket. A
// different order of bits than corner() would show as a soft score that does not peak at the query's own bucket.
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

  std::span<const std::uint32_t> table(Index l) const { return std::span(codes.data() + l * keys, keys); }
};

// Encodes one row of projections [planes] into its bucket.
std::uint32_t encode_bits(std::span<const double> projections);

// Hashes keys [keys, dim] block by block: memory for the codes plus one block a thread, never keys * tables * planes.
// Uses the threads of the caller's OpenMP setting. The code of a key is a function of the key and the hyperplanes
// alone: the same bits for any thread count, order of the keys and split into calls. InputError if dim differs or a
// projection is not finite, naming the first such key.
KeyCodes hash_keys(const Hyperplanes& hyperplanes, const Eigen::Ref<const Matrix>& keys);

// The same for keys that come in pieces: room for the codes of `keys` keys, and the keys first, first + 1, ..
KeyCodes room_for_codes(const Hyperplanes& hyperplanes, Index keys);
void hash_keys_into(KeyCodes& codes, Index first, const Hyperplanes& hyperplanes, const Eigen::Ref<const Matrix>& keys);

// The query's own bucket in each table [tables]; a key equal to the query gets the same.
std::vector<std::uint32_t> hash_query(const Hyperplanes& hyperplanes, const Vector& query);

// Corner coordinate of bucket `code` at `plane`: +1 or -1, in the same order as encode_bits.
double corner(std::uint32_t code, Index plane, Index planes);

// The same tables with fewer planes, the first of each: hyperplanes drawn for fewer planes are those (draw_hyperplanes),
// and a code loses its low bits. Settings that differ in planes can share one hash so. InputError unless 1 <= planes <=
// those there are.
Hyperplanes leading_planes(const Hyperplanes& hyperplanes, Index planes);
KeyCodes leading_planes(const KeyCodes& codes, Index planes);

}  // namespace skt
