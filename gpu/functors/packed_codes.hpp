// Where do the bits of a key's bucket codes lie in the packed code cache?
//
// So that one shift and one mask take the same half of four tables' codes out of a word, each in a byte of its own:
// four neighbouring tables, a quad, are packed side by side, table t in byte t % 4. The quad's codes are `planes`
// slices of 4 bits, slice j being bit j of each; a key's slices, quad 0 first, are cut into words of 8, and slice s
// lies at bit s % 8 of the four bytes. A half of a code that begins in one word and ends in the next has its end one
// byte further up (byte 3: byte 0): put together, the two parts are a rotation of what one word would hold. 32 tables
// fill exactly `planes` words; tables behind the last have bits 0.
//
// Keys are grouped in tiles of 64, and a tile holds word 0 of its keys, then word 1, ..: [rows, tiles, words, 64], rows
// = batch * kv_heads. So threads side by side read words side by side, the words of 32 tables of a tile are one run of
// bytes, and a new token writes its own words only: nothing before it moves. It would be wrong if a code read back
// differed from the code packed; tests/gpu/functors/packed_codes_test.cpp packs codes of every length and reads back
// both halves of each.
#pragma once

#include <cstdint>

#include "gpu/functors/half_table.hpp"
#include "gpu/functors/host_device.hpp"

namespace skt::gpu {

inline constexpr std::int64_t kTileKeys = 64;  // of one warp: 2 to a lane
inline constexpr int kQuadTables = 4;          // bytes of a word
inline constexpr int kWordSlices = 8;          // bits of a byte

SKT_HD constexpr std::int64_t words_per_key(std::int64_t tables, std::int64_t planes) {
  const std::int64_t slices = (tables + kQuadTables - 1) / kQuadTables * planes;
  return (slices + kWordSlices - 1) / kWordSlices;
}

// Position of word `word` of key `key` in its row; keys of a row are `capacity`, a multiple of kTileKeys.
SKT_HD constexpr std::int64_t packed_position(std::int64_t key, std::int64_t word, std::int64_t words) {
  return (key / kTileKeys * words + word) * kTileKeys + key % kTileKeys;
}

// Where bit `bit` of table `table`'s code lies, bit 0 the least significant.
struct BitPlace {
  std::int64_t word;
  int bit;       // of the word
  bool carried;  // its half begins in the word before
};

SKT_HD constexpr BitPlace bit_place(std::int64_t table, int bit, int planes) {
  const int half_begin = bit < low_planes(planes) ? 0 : low_planes(planes);
  const std::int64_t slice = table / kQuadTables * planes + bit;
  const std::int64_t word = slice / kWordSlices;
  const bool carried = (slice - (bit - half_begin)) / kWordSlices < word;
  const auto byte = static_cast<int>((table + (carried ? 1 : 0)) % kQuadTables);
  return {word, byte * 8 + static_cast<int>(slice % kWordSlices), carried};
}

// The other way: which bit of which table's code lies at `place` of word `word`; a table behind the last where none
// does.
struct CodeBit {
  std::int64_t table;
  int bit;
};

SKT_HD constexpr CodeBit code_bit(std::int64_t word, int place, int planes) {
  // A key has fewer than 2^29 words, and 64 bits take longer to divide.
  const auto slice = static_cast<std::uint32_t>(word * kWordSlices + place % 8);
  const auto of_quad = static_cast<std::uint32_t>(planes);
  const auto bit = static_cast<int>(slice % of_quad);
  const std::int64_t in_byte_0 = std::int64_t{slice / of_quad} * kQuadTables;
  const int turned = bit_place(in_byte_0, bit, planes).carried ? kQuadTables - 1 : 0;
  return {in_byte_0 + (place / 8 + turned) % kQuadTables, bit};
}

// Word `word` of one key; code_of(table) gives its codes, each below 2^planes.
template <class CodeOf>
SKT_HD std::uint32_t packed_word(const CodeOf& code_of, std::int64_t tables, std::int64_t planes, std::int64_t word) {
  const std::int64_t first_slice = word * kWordSlices;
  std::uint32_t bits = 0;
  for (std::int64_t table = first_slice / planes * kQuadTables; table < tables; ++table) {
    const std::int64_t quad_begin = table / kQuadTables * planes;
    if (quad_begin >= first_slice + kWordSlices) break;
    const std::uint64_t code = code_of(table);
    for (int bit = 0; bit < planes; ++bit) {
      const BitPlace at = bit_place(table, bit, static_cast<int>(planes));
      if (at.word == word) bits |= static_cast<std::uint32_t>(code >> bit & 1u) << at.bit;
    }
  }
  return bits;
}

// Where in its byte quad_halves leaves a half of `width` <= 8 bits: as the byte offset of a float where that fits.
SKT_HD constexpr int half_place(int width) {
  return width <= 6 ? 2 : 0;
}
SKT_HD constexpr std::uint32_t in_every_byte(unsigned bits) {
  return (bits & 0xffu) * 0x01010101u;
}

// The halves of `width` bits of a quad's four codes, each in its byte from bit half_place(width) on, where they begin
// with slice `first` of a key's words, as word_of(index) gives them. `first` and `width` known to the compiler, this is
// one rotation and one mask, and one choice of bits where the halves lie in two words.
template <class WordOf>
SKT_HD constexpr std::uint32_t quad_halves(const WordOf& word_of, int first, int width) {
  const int begin = first % kWordSlices;
  const int turn = (begin - half_place(width)) & 31;  // to the right
  std::uint32_t bits = word_of(first / kWordSlices);
  if (begin + width > kWordSlices) {
    const std::uint32_t of_first = in_every_byte(0xffu << begin);
    const std::uint32_t next = word_of(first / kWordSlices + 1);
#ifdef __CUDA_ARCH__  // one instruction, which the compiler would join with the mask behind and make two
    asm("lop3.b32 %0, %1, %2, %3, 0xCA;" : "=r"(bits) : "r"(of_first), "r"(bits), "r"(next));
#else
    bits = (bits & of_first) | (next & ~of_first);
#endif
  }
#ifdef __CUDA_ARCH__
  if (turn != 0) bits = __funnelshift_r(bits, bits, turn);
#else
  if (turn != 0) bits = bits >> turn | bits << (32 - turn);
#endif
  return bits & in_every_byte(((1u << width) - 1u) << half_place(width));
}

// `base` plus four times the half of `width` bits that `halves` holds in byte `byte`.
SKT_HD constexpr std::uint32_t half_offset(std::uint32_t halves, int byte, int width, std::uint32_t base) {
  const std::uint32_t weight = 4u >> half_place(width);
#ifdef __CUDA_ARCH__
  return __dp4a(halves, weight << (8 * byte), base);
#else
  return base + weight * (halves >> (8 * byte) & 0xffu);
#endif
}

}  // namespace skt::gpu
