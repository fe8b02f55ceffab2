// Do the bins of scores cover every key once, in order?
#include <bit>
#include <cmath>

#include "gpu/functors/ordered_key.hpp"
#include "gpu/functors/score_bins.hpp"
#include "tests/catch.hpp"

using namespace skt::gpu;

TEST_CASE("each bin begins where the one before ends, and rises with the score", "[unit][gpu]") {
  const std::uint32_t lowest =
      GENERATE(as<std::uint32_t>{}, kUsualLowestScoreBin, kLowestBinOfSignedProjections,
               lowest_bin_of_collisions(60, 10), lowest_bin_of_collisions(1, 16), lowest_bin_of_collisions(1024, 4));
  CHECK(score_bin(1, lowest) == 0);
  CHECK(score_bin_begin(0, lowest) == 1);
  for (int bin = 1; bin < kScoreBins; ++bin) {
    const std::uint32_t begin = score_bin_begin(bin, lowest);
    REQUIRE(begin > score_bin_begin(bin - 1, lowest));
    REQUIRE(score_bin(begin, lowest) == bin);
    REQUIRE(score_bin(begin - 1, lowest) == bin - 1);
  }
  CHECK(score_bin(~0u - 1, lowest) == kScoreBins - 1);
}

TEST_CASE("the bin of a score is that of its ordered key", "[unit][gpu]") {
  const std::uint32_t lowest = GENERATE(as<std::uint32_t>{}, kUsualLowestScoreBin, kLowestBinOfSignedProjections,
                                        lowest_bin_of_collisions(60, 10), lowest_bin_of_collisions(1024, 15),
                                        lowest_score_bin(-126), lowest_score_bin(111));
  CAPTURE(lowest);
  int wrong = 0;
  for (std::uint32_t upper = 0; upper < 1u << 16; ++upper) {  // which the bin depends on, and both its ends
    for (const std::uint32_t rest : {0u, 1u, 0xffffu}) {
      const float score = std::bit_cast<float>(upper << 16 | rest);
      const std::uint32_t ordered = ordered_key(score);
      if (may_be_selected(score) != (ordered != kNeverSelected)) ++wrong;
      if (may_be_selected(score) && bin_of_score(score, lowest) != score_bin(ordered, lowest)) ++wrong;
    }
  }
  CHECK(wrong == 0);
  for (const float score : {0.0f, -0.0f, INFINITY, -1.0f, 1e-45f, -1e-45f}) {
    CHECK(bin_of_score(score, lowest) == score_bin(ordered_key(score), lowest));
  }
  CHECK_FALSE(may_be_selected(-INFINITY));
  CHECK_FALSE(may_be_selected(NAN));
  CHECK_FALSE(may_be_selected(-NAN));
}

TEST_CASE("scores of 16 octaves fall into 128 bins to an octave", "[unit][gpu]") {
  const std::uint32_t lowest = kUsualLowestScoreBin;
  CHECK(score_bin_begin(1, lowest) == ordered_key(std::ldexp(1.0f + 1.0f / 128, -8)));
  CHECK(score_bin(ordered_key(1.0f), lowest) == 8 * 128);
  CHECK(score_bin(ordered_key(2.0f), lowest) == 9 * 128);
  CHECK(score_bin(ordered_key(-1.0f), lowest) == 0);
  CHECK(score_bin(ordered_key(1e-9f), lowest) == 0);
  CHECK(score_bin(ordered_key(INFINITY), lowest) == kScoreBins - 1);
}

TEST_CASE("bins of soft collisions begin 6 octaves below the score of a uniform code", "[unit][gpu]") {
  CHECK(score_bin(ordered_key(std::ldexp(1.0f, 5 - 10)), lowest_bin_of_collisions(60, 10)) == 6 * 128);
  CHECK(score_bin(ordered_key(std::ldexp(1.0f, -16)), lowest_bin_of_collisions(1, 16)) == 6 * 128);
}

TEST_CASE("bins of signed projections begin at 1", "[unit][gpu]") {
  CHECK(score_bin(ordered_key(1.0f), kLowestBinOfSignedProjections) == 0);
  CHECK(score_bin(ordered_key(2.0f), kLowestBinOfSignedProjections) == 128);
}
