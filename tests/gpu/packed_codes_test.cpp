#include "gpu/packed_codes.hpp"

#include <set>
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
  for (int planes = 4; planes <= 15; ++planes) {
    for (const int tables : {1, 2, 31, 32, 33, 60, 65}) {
      std::vector<std::uint32_t> words;
      for (std::int64_t word = 0; word < words_per_key(tables, planes); ++word) {
        words.push_back(packed_word([&](std::int64_t l) { return std::uint64_t{code_of(l, planes)}; }, tables,
                                    planes, word));
      }
      words.push_back(0);

      const auto word_of = [&](int i) { return words[static_cast<std::size_t>(i)]; };
      for (int table = 0; table < tables; ++table) {
        const std::uint32_t code = code_of(table, planes);
        const int low = planes / 2;
        CHECK(packed_byte_offset(word_of, table * planes, low) == 4 * (code & ((1u << low) - 1u)));
        CHECK(packed_byte_offset(word_of, table * planes + low, planes - low) == 4 * (code >> low));
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
  CHECK(static_cast<std::int64_t>(places.size()) == capacity * words);
  CHECK(*places.begin() == 0);
  CHECK(*places.rbegin() == capacity * words - 1);
}

TEST_CASE("neighbouring keys of a tile have neighbouring words", "[unit][gpu]") {
  CHECK(packed_position(1, 5, 19) == packed_position(0, 5, 19) + 1);
  CHECK(packed_position(kTileKeys, 0, 19) == 19 * kTileKeys);
}
