// Do the bins of scores cover every key once, in order?
#include <cmath>

#include "gpu/ordered_key.hpp"
#include "gpu/score_bins.hpp"
#include "tests/catch.hpp"

using namespace skt::gpu;

TEST_CASE("each bin begins where the one before ends, and rises with the score", "[unit][gpu]") {
  CHECK(score_bin(1) == 0);
  CHECK(score_bin_begin(0) == 1);
  for (int bin = 1; bin < kScoreBins; ++bin) {
    const std::uint32_t begin = score_bin_begin(bin);
    REQUIRE(begin > score_bin_begin(bin - 1));
    REQUIRE(score_bin(begin) == bin);
    REQUIRE(score_bin(begin - 1) == bin - 1);
  }
  CHECK(score_bin(~0u - 1) == kScoreBins - 1);
}

TEST_CASE("scores between 2^-16 and 2^16 fall into 64 bins to an octave", "[unit][gpu]") {
  CHECK(score_bin_begin(1) == ordered_key(std::ldexp(1.0f + 1.0f / 64, -16)));
  CHECK(score_bin(ordered_key(1.0f)) == 16 * 64);
  CHECK(score_bin(ordered_key(2.0f)) == 17 * 64);
  CHECK(score_bin(ordered_key(-1.0f)) == 0);
  CHECK(score_bin(ordered_key(1e-9f)) == 0);
  CHECK(score_bin(ordered_key(INFINITY)) == kScoreBins - 1);
}
