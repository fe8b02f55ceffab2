#include "gpu/functors/group_weights.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/catch.hpp"

using namespace skt::gpu;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// The first and the last tile, and all between alike.
TilesInArray tiles_of(float first, float last, float between) {
  TilesInArray tiles;
  std::fill(std::begin(tiles.log_sums), std::end(tiles.log_sums), between);
  tiles.log_sums[0] = first;
  tiles.log_sums[15] = last;
  return tiles;
}

}  // namespace

TEST_CASE("a power is 2^x within its error, never falls with x, and stays where bf16 would leave its range",
          "[unit][gpu]") {
  float before = 0;
  for (int i = -120 * 128; i <= 120 * 128; ++i) {
    const float power = weight_power(static_cast<float>(i));
    const double exact = std::exp2(i / 128.0);
    if (power < exact * (1 - 1e-9) || power > exact * (1 + kPowerError) || power <= before) FAIL(i);
    before = power;
  }
  CHECK(weight_power(0) == 1);
  CHECK(weight_power(128) == 2);
  CHECK(weight_power(192) == 3);  // 2^1.5 = 2.83 by a straight line from 2 to 4
  CHECK(weight_power(-64) == 0.75f);
  CHECK(weight_power(0.4f) == 1);  // whole steps, to the nearest
  CHECK(weight_power(121 * 128) == weight_power(120 * 128));
  CHECK(weight_power(kInfinity) == weight_power(120 * 128));
  CHECK(weight_power(-kInfinity) == weight_power(-120 * 128));
  CHECK(weight_power(-kInfinity) > 0);
  CHECK(std::isnan(weight_power(std::nanf(""))));
}

TEST_CASE("a weight is that of the logit less the normaliser", "[unit][gpu]") {
  // 3 * 64 = 192 steps, less 320: 2^-1.
  CHECK(weight_of_bits(weight_bits(64, 3, weight_offset(320))) == 0.5f);
  CHECK(weight_of_bits(weight_bits(64, 0, weight_offset(0))) == 1);
  CHECK(std::isnan(weight_of_bits(weight_bits(0, kInfinity, weight_offset(0)))));
}

TEST_CASE("steps are the power's inverse", "[unit][gpu]") {
  CHECK(steps_of(1) == 0);
  CHECK(steps_of(3) == 192);
  for (const float steps : {-1000.0f, -1.0f, 5.0f, 777.0f}) CHECK(steps_of(weight_power(steps)) == steps);
}

TEST_CASE("a normaliser of a log-sum-exp is its octaves, 0 where it is not finite", "[unit][gpu]") {
  CHECK(normaliser_of_log_sum(std::log(32.0f)) == Approx(5 * 128).epsilon(1e-6));
  CHECK(normaliser_of_log_sum(-kInfinity) == 0);
  CHECK(normaliser_of_log_sum(std::nanf("")) == 0);
}

TEST_CASE("all tiles of a short row are summed, empty ones left out", "[unit][gpu]") {
  // 2^2, nothing and 2^3, by their sum 12 = 1.5 * 2^3: 3.5 octaves.
  TilesInArray tiles = tiles_of(256, -kInfinity, -kInfinity);
  tiles.log_sums[2] = 384;
  CHECK(normaliser_of_tiles(3, tiles) == 3.5f * 128);
  CHECK(normaliser_of_tiles(3, tiles_of(-kInfinity, -kInfinity, -kInfinity)) == 0);
  CHECK(normaliser_of_tiles(3, tiles_of(kInfinity, -kInfinity, -kInfinity)) == 0);
}

TEST_CASE("of 16 tiles each is summed, of 17 those between by their logarithms", "[unit][gpu]") {
  // One tile of 2^70 among 2^0: their sum is 2^70, the mean of 14 logarithms 5 octaves.
  TilesInArray tiles = tiles_of(0, 0, 0);
  tiles.log_sums[7] = 70 * 128;
  CHECK(normaliser_of_tiles(16, tiles) == 70 * 128);
  CHECK(normaliser_of_tiles(17, tiles) < 10 * 128);
}

TEST_CASE("tiles between the first and the last stand for all by the mean of their logarithms", "[unit][gpu]") {
  // Of 30 tiles the 28 between have 2^0 and 2^2 in turn: 28 of 2^1, with 2^3 and 2^4 80 = 1.25 * 2^6. By the straight line 28
  // is 4.75 octaves, and so 56 5.75; 2^6 is the nearest octave above, of which 56 is .875 and 24 is .375: 1.25 again.
  TilesInArray tiles = tiles_of(3 * 128, 4 * 128, 0);
  for (unsigned i = 2; i < 15; i += 2) tiles.log_sums[i] = 256;
  CHECK(normaliser_of_tiles(30, tiles) == Approx(6.25 * 128).margin(4));
  // Seven of 2^0 stand for 14 where those of 2^2 are empty: 38 = 1.1875 * 2^5.
  for (unsigned i = 2; i < 15; i += 2) tiles.log_sums[i] = -kInfinity;
  CHECK(normaliser_of_tiles(30, tiles) == Approx(5.1875 * 128).margin(8));
  // The mean of logarithms, not the logarithm of the mean: one tile of 2^70 among 14 of 2^0 raises them by 5 octaves.
  tiles = tiles_of(-kInfinity, -kInfinity, 0);
  tiles.log_sums[7] = 70 * 128;
  CHECK(normaliser_of_tiles(16 + 14, tiles) == Approx((5 + 4.75) * 128).margin(1));
}

TEST_CASE("sampled tiles rise from the first to the last", "[unit][gpu]") {
  for (const unsigned tiles : {1u, 15u, 16u, 17u, 18u, 100u, 2272u, 4194304u}) {
    const unsigned count = sampled_tiles(tiles);
    for (unsigned i = 0; i < count; ++i) {
      CHECK(sampled_tile(i, tiles) < tiles);
      if (i > 0) CHECK(sampled_tile(i, tiles) > sampled_tile(i - 1, tiles));
    }
    CHECK(sampled_tile(0, tiles) == 0);
    CHECK(sampled_tile(count - 1, tiles) == tiles - 1);
  }
  // Of 30 tiles the 28 between are cut into pairs, of which the second is taken: 2, 4, .., 28.
  CHECK(sampled_tile(1, 30) == 2);
  CHECK(sampled_tile(14, 30) == 28);
}
