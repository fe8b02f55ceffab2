#include "gpu/functors/half_score.hpp"

#include <cmath>

#include "tests/catch.hpp"

using namespace skt::gpu;

TEST_CASE("scales of entries and sums take each other back, and no chain overflows fp16", "[unit][gpu]") {
  const double largest_chain = kChainTables * std::pow(double{kHalfEntryScale}, 2);  // entries are at most 1

  CHECK(kHalfEntryScale * kHalfEntryScale * kHalfSumScale == 1.0f);
  CHECK(largest_chain == 16384);
  CHECK(largest_chain < 65504);  // the largest fp16 number
}

TEST_CASE("the relative bound of a sum is six roundings of fp16, and no more than a fiftieth above", "[unit][gpu]") {
  // Two entries, a term's product, and at most three more fused multiply-adds in its chain, each off by 2^-11.
  const double compounded = std::pow(1 + 0x1p-11, 6) - 1;

  CHECK(kHalfSumRelativeError >= compounded);
  CHECK(kHalfSumRelativeError <= 1.02 * compounded);
}

TEST_CASE("the absolute bound is what subnormal entries and terms lose to a table", "[unit][gpu]") {
  // 2^-25 of an entry times the other, at most 1 kept as 64: twice. Four roundings of the chain, 2^-25 each. All of it
  // in units of 2^-12.
  CHECK(kHalfSumAbsoluteError == 132 * 0x1p-37);
}

TEST_CASE("four heads share a look-up in fp16 where their tables leave room", "[unit][gpu]") {
  // 8 bytes to an entry of four heads: 128 tables of 32 + 32 entries fill 64 KB, and so do 16 of 256 + 256.
  CHECK(scores_in_half(4, 60, 10));
  CHECK(scores_in_half(2, 128, 10));
  CHECK_FALSE(scores_in_half(2, 129, 10));
  CHECK_FALSE(scores_in_half(1, 1, 4));  // one head to a kv head
  CHECK(scores_in_half(8, 16, 16));
  CHECK_FALSE(scores_in_half(8, 17, 16));
}
