#include "gpu/functors/shards.hpp"

#include "tests/catch.hpp"

using namespace skt::gpu;

namespace {

bool is_row(const ShardRow& row, int length, int sink, int window_begin) {
  return row.length == length && row.sink == sink && row.window_begin == window_begin;
}

}  // namespace

TEST_CASE("the digits of a rank's counts are the 32 bits of an ordered key, each once", "[unit][gpu]") {
  for (const std::uint32_t key : {0x00000000u, 0xffffffffu, 0x80000000u, 0x12345678u, 0xff800000u}) {
    std::uint32_t together = 0;
    for (int digit = 0; digit < kShardDigits; ++digit) {
      const std::uint32_t bin = (key >> shard_shift(digit)) % static_cast<std::uint32_t>(shard_bins(digit));
      together |= bin << shard_shift(digit);
    }
    CHECK(together == key);
  }
  CHECK(shard_bins(0) == 1 << (32 - 21));
  CHECK(shard_bins(1) == 1 << (21 - 10));
  CHECK(shard_bins(2) == 1 << 10);
}

// 100 keys, sink 30, window 25: positions 0 .. 29 and 75 .. 99.
TEST_CASE("sink and window lie at positions of the sequence, not of a rank", "[unit][gpu]") {
  CHECK(is_row(shard_row(0, 100, 100, 30, 25), 100, 30, 75));
  CHECK(is_row(shard_row(0, 20, 100, 30, 25), 20, 20, 20));  // all sink
  CHECK(is_row(shard_row(20, 20, 100, 30, 25), 20, 10, 20));
  CHECK(is_row(shard_row(40, 20, 100, 30, 25), 20, 0, 20));  // neither
  CHECK(is_row(shard_row(60, 20, 100, 30, 25), 20, 0, 15));
  CHECK(is_row(shard_row(80, 20, 100, 30, 25), 20, 0, 0));  // all window
  CHECK(is_row(shard_row(50, 0, 100, 30, 25), 0, 0, 0));    // an empty rank
}

TEST_CASE("a rank has what of the sequence's length is left for it", "[unit][gpu]") {
  CHECK(is_row(shard_row(40, 20, 50, 4, 8), 10, 0, 2));
  CHECK(is_row(shard_row(40, 20, 44, 4, 8), 4, 0, 0));
  CHECK(is_row(shard_row(40, 20, 40, 4, 8), 0, 0, 0));
  CHECK(is_row(shard_row(40, 20, 0, 4, 8), 0, 0, 0));
  CHECK(is_row(shard_row(0, 20, 5, 4, 8), 5, 4, 0));
  CHECK(is_row(shard_row(2147483000, 647, 2147483647, 0, 1), 647, 0, 646));
}

TEST_CASE("ties are taken from the first ranks, as many as are left for each", "[unit][gpu]") {
  CHECK(ties_of_rank(5, 0, 3) == 3);
  CHECK(ties_of_rank(5, 3, 3) == 2);
  CHECK(ties_of_rank(5, 6, 3) == 0);
  CHECK(ties_of_rank(5, 5, 3) == 0);
  CHECK(ties_of_rank(5, 4, 0) == 0);
}
