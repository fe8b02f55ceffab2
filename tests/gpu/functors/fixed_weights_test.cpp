#include "gpu/functors/fixed_weights.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "tests/catch.hpp"

using namespace skt::gpu;

TEST_CASE("projections come back out of half sums", "[unit][gpu]") {
  // Planes 0 to 3 have projections 1, 2, 4, 8: sums of +-1 and +-2, then of +-4 and +-8.
  const std::vector<float> even = {-3, 1, -1, 3, -12, 4, -4, 12};
  for (int bit = 0; bit < 4; ++bit) CHECK(projection_of(even.data(), bit, 4) == std::ldexp(1.0f, 3 - bit));

  // Of five planes, 1, 2, 4, 8, -16, three are in the high half.
  const std::vector<float> odd = {-7, 1, -3, 5, -5, 3, -1, 7, 8, -24, 24, -8};
  CHECK(projection_of(odd.data(), 0, 5) == -16);
  CHECK(projection_of(odd.data(), 1, 5) == 8);
  CHECK(projection_of(odd.data(), 2, 5) == 4);
  CHECK(projection_of(odd.data(), 4, 5) == 1);
}

TEST_CASE("weights are multiples of the unit, to the nearest", "[unit][gpu]") {
  CHECK(weight_unit(127) == 1);
  CHECK(inverse_weight_unit(127) == 1);

  CHECK(fixed_weight(127, 1) == 127);
  CHECK(fixed_weight(-127, 1) == -127);
  CHECK(fixed_weight(-9.25f, 1) == -9);
  CHECK(fixed_weight(2.5f, 1) == 2);  // ties to even
  CHECK(fixed_weight(3.5f, 1) == 4);
}

TEST_CASE("the unit is a 127th of the largest projection, down to 2^-100", "[unit][gpu]") {
  CHECK(weight_unit(0.5f) == 0.5f / 127);
  CHECK(fixed_weight(0.5f, inverse_weight_unit(0.5f)) == 127);
  CHECK(fixed_weight(-0.25f, inverse_weight_unit(0.5f)) == -64);  // -63.5, ties to even
  CHECK(weight_unit(0x1p-99f) == 0x1p-99f / 127);
  CHECK(fixed_weight(0x1p-99f, inverse_weight_unit(0x1p-99f)) == 127);
  CHECK(weight_unit(0x1p-101f) == 0x1p-100f / 127);
  CHECK(inverse_weight_unit(0x1p-149f) == 127 * 0x1p100f);
}

TEST_CASE("every weight is a whole number of 8 bits whose last counts negative", "[unit][gpu]") {
  for (int weight = -kMostWeight; weight <= kMostWeight; ++weight) {
    int sum = 0;
    for (int bit = 0; bit < 7; ++bit) sum += (weight >> bit & 1) << bit;
    if (sum - (weight >> 7 & 1) * 128 != weight) FAIL(weight);
  }
  CHECK(kMostWeight == 127);
}

TEST_CASE("a score is twice what is set less all, in units, times the norm", "[unit][gpu]") {
  CHECK(signed_score(5, 4, 0.5f, 3) == 9);
  CHECK(signed_score(0, 4, 0.5f, 3) == -6);
}

TEST_CASE("a head without projections scores 0, one whose projections are not finite NaN", "[unit][gpu]") {
  const float infinity = std::numeric_limits<float>::infinity();
  CHECK(fixed_weight(0, inverse_weight_unit(0)) == 0);
  CHECK(signed_score(0, 0, weight_unit(0), 65504) == 0);
  CHECK(std::isfinite(inverse_weight_unit(0)));

  for (const float largest : {infinity, std::nanf("")}) {
    CHECK(fixed_weight(1, inverse_weight_unit(largest)) == 0);
    CHECK(fixed_weight(largest, inverse_weight_unit(largest)) == 0);
    CHECK(std::isnan(signed_score(0, 0, weight_unit(largest), 1)));
  }
}
