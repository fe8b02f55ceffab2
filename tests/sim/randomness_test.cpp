#include "sim/randomness.hpp"

#include <set>

#include "tests/catch.hpp"

using namespace skt;

TEST_CASE("Philox reproduces Random123's known answers", "[unit]") {
  // Random123, tests/kat_vectors, philox4x32 10: counter and key all zero, then all ones.
  const auto words = random_words(Seed{0}, DrawAddress{Role::query, 0, 0, 0, 0});

  CHECK(words == std::array<std::uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
}
