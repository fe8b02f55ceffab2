#include "gpu/functors/shards.hpp"

#include <bit>

#include "gpu/functors/ordered_key.hpp"
#include "tests/catch.hpp"

using namespace skt::gpu;

namespace {

bool is_row(const ShardRow& row, int length, int sink, int window_begin) {
  return row.length == length && row.sink == sink && row.window_begin == window_begin;
}

}  // namespace

// 0x6f800000 of a positive number's bits is 2^96, 0x37800000 2^-16, 0x47800000 2^16.
TEST_CASE("the first digit is a bin of 1/32 octave from 2^-16 to 2^16 and of half an octave elsewhere", "[unit][gpu]") {
  constexpr std::uint32_t kPositive = 0x80000000u;
  const auto width_at = [](std::uint32_t ordered) {
    const int bin = shard_bin(ordered);
    CHECK(shard_bin_begin(bin) <= ordered);
    CHECK(ordered < shard_bin_begin(bin + 1));
    CHECK(shard_bin(shard_bin_begin(bin)) == bin);
    CHECK(shard_bin(shard_bin_begin(bin) - 1) < bin);
    return shard_bin_begin(bin + 1) - shard_bin_begin(bin);
  };
  CHECK(width_at(kPositive + 0x37800000u) == 1 << 18);
  CHECK(width_at(kPositive + 0x37800000u - 1) == 1 << 22);
  CHECK(width_at(kPositive + 0x3f812345u) == 1 << 18);
  CHECK(width_at(kPositive + 0x3fffffffu) == 1 << 18);  // the last of an octave, where an empty bin follows
  CHECK(width_at(kPositive + 0x47800000u - 1) == 1 << 18);
  CHECK(width_at(kPositive + 0x47800000u) == 1 << 22);
  CHECK(width_at(kPositive + 0x6f800000u) == 1 << 22);
  CHECK(width_at(0x12345678u) == 1 << 22);  // a negative number
  CHECK(shard_bin(kPositive + 0x7f800000u) == 512 + 510 + 1023);
  CHECK(shard_bin(0xffffffffu) < kShardBins);
}

TEST_CASE("the first digit rises with the ordered key, and is that of the score", "[unit][gpu]") {
  int last = 0;
  for (std::uint64_t key = 1; key <= 0xff800000u; key += 4093) {
    const auto ordered = static_cast<std::uint32_t>(key);
    const int bin = shard_bin(ordered);
    const float score = reached_by(ordered);
    if (bin < last || shard_bin_of_score(score) != shard_bin(ordered_key(score))) FAIL(key);
    if (score >= 0 && shard_bin_of_bits(std::bit_cast<std::int32_t>(score)) != bin) FAIL(key);
    last = bin;
  }
  CHECK(last == 512 + 509 + 1023);  // of the largest finite numbers
  CHECK(shard_bin_of_score(-0.0f) == shard_bin_of_score(0.0f));
  CHECK(shard_bin_of_score(-1e-40f) == 511);
  CHECK(shard_bin_of_score(0.0f) == 512);
}

// Two digits of 11 bits divide what the first leaves, to a single ordered key.
TEST_CASE("three digits leave no bit out", "[unit][gpu]") {
  for (const int width : {18, 22}) CHECK(shard_shift(shard_shift(width)) == 0);
  CHECK(shard_shift(22) == 11);
  CHECK(shard_shift(18) == 7);
  CHECK(shard_shift(11) == 0);
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
