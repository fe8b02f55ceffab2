// Where do the bits of a key's bucket codes lie in the packed code cache?
//
// The codes of one key form one string of tables * planes bits, table 0 first, least significant bit first,
// cut into 32-bit words; 32 codes of P bits fill exactly P words, whatever P is. Keys are grouped in tiles of
// 128, and a tile holds word 0 of its keys, then word 1, ..: [rows, tiles, words, 128], rows = batch *
// kv_heads. So 32 threads read 32 neighbouring words, and a new token writes its own words only: nothing
// before it moves. It would be wrong if a code read back differed from the code packed;
// tests/gpu/packed_codes_test.cpp packs codes of every length and reads back both halves of each.
#pragma once

#include <cstdint>

#include "gpu/host_device.hpp"

namespace skt::gpu {

inline constexpr std::int64_t kTileKeys = 128;  // 32 lanes * 4 keys: 512 neighbouring bytes to a word

SKT_HD constexpr std::int64_t words_per_key(std::int64_t tables, std::int64_t planes) {
  return (tables * planes + 31) / 32;
}

// Position of word `word` of key `key` in its row; keys of a row are `capacity`, a multiple of kTileKeys.
SKT_HD constexpr std::int64_t packed_position(std::int64_t key, std::int64_t word, std::int64_t words) {
  return (key / kTileKeys * words + word) * kTileKeys + key % kTileKeys;
}

// Word `word` of one key; code_of(table) gives its codes, each below 2^planes.
template <class CodeOf>
SKT_HD std::uint32_t packed_word(const CodeOf& code_of, std::int64_t tables, std::int64_t planes,
                                 std::int64_t word) {
  const std::int64_t first_bit = 32 * word;
  std::uint64_t bits = 0;  // what the tables before first_bit's own push below bit 0 is cut off
  for (std::int64_t table = first_bit / planes; table < tables && table * planes < first_bit + 32; ++table) {
    const std::int64_t offset = table * planes - first_bit;  // > -planes
    const std::uint64_t code = code_of(table);
    bits |= offset < 0 ? code >> -offset : code << offset;
  }
  return static_cast<std::uint32_t>(bits);
}

// Four times the `width` <= 8 bits from bit `first` of a key's words, as word_of(index) gives them: the byte
// offset of a float in a table. With `first` and `width` known to the compiler this is one shift (over two
// words where the field straddles them) and one mask.
template <class WordOf>
SKT_HD constexpr std::uint32_t packed_byte_offset(const WordOf& word_of, int first, int width) {
  const int shift = first % 32 - 2;
  std::uint32_t bits = 0;
  if (shift + 2 + width > 32) {
    bits = word_of(first / 32) >> shift | word_of(first / 32 + 1) << (32 - shift);
  } else {
    bits = shift < 0 ? word_of(first / 32) << -shift : word_of(first / 32) >> shift;
  }
  return bits & (((1u << width) - 1u) << 2);
}

}  // namespace skt::gpu
