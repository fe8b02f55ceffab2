#include "gpu/functors/packed_codes.hpp"

#include <set>
#include <utility>
#include <vector>

#include "sim/randomness.hpp"
#include "tests/catch.hpp"

using namespace skt::gpu;

namespace {

std::uint32_t code_of(std::int64_t table, std::int64_t planes) {
  const skt::DrawAddress at{skt::Role::test_draw, 0, static_cast<std::uint32_t>(table)};
  return skt::random_words(skt::Seed{1}, at)[0] & ((1u << planes) - 1u);
}

}  // namespace

TEST_CASE("both halves of every packed code are read back", "[unit][gpu]") {
  for (int planes = 4; planes <= 16; ++planes) {
    for (const int tables : {1, 2, 31, 32, 33, 60, 65}) {
      std::vector<std::uint32_t> words;
      for (std::int64_t word = 0; word < words_per_key(tables, planes); ++word) {
        words.push_back(
            packed_word([&](std::int64_t l) { return std::uint64_t{code_of(l, planes)}; }, tables, planes, word));
      }
      words.push_back(0);

      const auto word_of = [&](int i) { return words[i]; };
      for (int table = 0; table < tables; ++table) {
        const std::uint32_t code = code_of(table, planes);
        const int low = planes / 2;
        const int slice = table / kQuadTables * planes;
        const std::uint32_t lows = quad_halves(word_of, slice, low);
        const std::uint32_t highs = quad_halves(word_of, slice + low, planes - low);
        CHECK(half_offset(lows, table % kQuadTables, low, 1000) == 1000 + 4 * (code & ((1u << low) - 1u)));
        CHECK(half_offset(highs, table % kQuadTables, planes - low, 0) == 4 * (code >> low));
      }
    }
  }
}

TEST_CASE("every bit of every code has a place of its own in the words, and the rest are 0", "[unit][gpu]") {
  for (int planes = 4; planes <= 16; ++planes) {
    for (const int tables : {1, 3, 4, 32, 33, 60}) {
      std::set<std::pair<std::int64_t, int>> places;
      for (int table = 0; table < tables; ++table) {
        for (int bit = 0; bit < planes; ++bit) {
          const BitPlace at = bit_place(table, bit, planes);
          const CodeBit back = code_bit(at.word, at.bit, planes);
          CHECK((at.word < words_per_key(tables, planes) && back.table == table && back.bit == bit));
          places.emplace(at.word, at.bit);
        }
      }
      CHECK(static_cast<int>(places.size()) == tables * planes);

      const auto all_set = [&](std::int64_t) { return (std::uint64_t{1} << planes) - 1; };
      for (std::int64_t word = 0; word < words_per_key(tables, planes); ++word) {
        for (int place = 0; place < 32; ++place) {
          const bool set = packed_word(all_set, tables, planes, word) >> place & 1u;
          CHECK(set == (code_bit(word, place, planes).table < tables));
          CHECK(set == places.contains({word, place}));
        }
      }
    }
  }
}

TEST_CASE("every word of every key has a place of its own in the row", "[unit][gpu]") {
  const std::int64_t words = words_per_key(60, 10);
  const std::int64_t capacity = 3 * kTileKeys;
  std::set<std::int64_t> places;
  for (std::int64_t key = 0; key < capacity; ++key) {
    for (std::int64_t word = 0; word < words; ++word) places.insert(packed_position(key, word, words));
  }
  CHECK(words == 19);
  CHECK(words_per_key(32, 13) == 13);
  CHECK(static_cast<std::int64_t>(places.size()) == capacity * words);
  CHECK(*places.begin() == 0);
  CHECK(*places.rbegin() == capacity * words - 1);
}

TEST_CASE("neighbouring keys of a tile have neighbouring words", "[unit][gpu]") {
  CHECK(packed_position(1, 5, 19) == packed_position(0, 5, 19) + 1);
  CHECK(packed_position(kTileKeys, 0, 19) == 19 * kTileKeys);
}
