#include "estimators/residual/rest_positions.hpp"

#include "tests/numbers.hpp"

using namespace skt;

TEST_CASE("The keys of the rest are those that the list leaves out, each at its rank", "[unit]") {
  const auto rest_of = [](const std::vector<std::int32_t>& list, std::int64_t length) {
    std::vector<std::int64_t> keys;
    const auto count = static_cast<std::int64_t>(list.size());
    for (std::int64_t rank = 0; rank < length - count; ++rank) keys.push_back(rest_key(list.data(), count, rank));
    return keys;
  };
  using Keys = std::vector<std::int64_t>;

  CHECK(rest_of({}, 3) == Keys{0, 1, 2});
  CHECK(rest_of({0, 1, 4, 7}, 9) == Keys{2, 3, 5, 6, 8});
  CHECK(rest_of({2}, 3) == Keys{0, 1});
  CHECK(rest_of({0, 1, 2}, 5) == Keys{3, 4});
  CHECK(rest_of({3, 4, 5, 6}, 7) == Keys{0, 1, 2});
  CHECK(rest_of({0, 1, 2}, 3).empty());
}

TEST_CASE("Equal parts of the words name each rank", "[unit]") {
  // floor(2^64/3) = 0x5555555555555555: the first rank has the words 0 .. that, the second as many less one.
  CHECK(rest_rank_of_word(0, 3) == 0);
  CHECK(rest_rank_of_word(0x5555555555555555u, 3) == 0);
  CHECK(rest_rank_of_word(0x5555555555555556u, 3) == 1);
  CHECK(rest_rank_of_word(0xaaaaaaaaaaaaaaaau, 3) == 1);
  CHECK(rest_rank_of_word(0xaaaaaaaaaaaaaaabu, 3) == 2);
  CHECK(rest_rank_of_word(0xffffffffffffffffu, 3) == 2);

  const std::int64_t most = 2147483647;
  CHECK(rest_rank_of_word(0xffffffffffffffffu, most) == most - 1);
  CHECK(rest_rank_of_word(0x8000000000000000u, most) == (most - 1) / 2);
  CHECK(rest_rank_of_word(0xffffffffffffffffu, 1) == 0);
  CHECK(rest_rank_of_word(0x0000000100000000u, 0x40000000) == 0);  // 2^32 2^30 / 2^64
  CHECK(rest_rank_of_word(0x0000000400000000u, 0x40000000) == 1);
}

TEST_CASE("A small rest is read whole", "[unit]") {
  CHECK(rest_draws(256, 255) == 255);
  CHECK(rest_draws(256, 256) == 256);
  CHECK(rest_draws(256, 257) == 256);
  CHECK(rest_draws(256, 0) == 0);
}
