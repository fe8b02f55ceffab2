// The host's copy of the kernels' arithmetic, on numbers that can be checked by hand.
#include "gpu/check/references/host_twin.hpp"

#include "tests/catch.hpp"

using namespace skt::gpu;

TEST_CASE("a bit is set from a projection of 0 on, plane 0 the most significant", "[unit][gpu]") {
  const std::vector<float> planes = {1, 0, 0, 1, -1, 0};  // of dim 2

  CHECK(twin_code(std::vector<float>{2, -3}, planes, 3) == 0b100);
  CHECK(twin_code(std::vector<float>{-2, 3}, planes, 3) == 0b011);
  CHECK(twin_code(std::vector<float>{0, -0.0f}, planes, 3) == 0b111);
}

TEST_CASE("scores look the tables up by code and take the norm last", "[unit][gpu]") {
  const std::vector<std::int16_t> codes = {0b01, 0b10};
  const std::vector<float> probabilities = {0.5f, 0.25f, 1, 2, 4, 8, 0.125f, 16};
  CHECK(twin_bucket_score(probabilities, codes, 2, 2) == 2 * (0.25f + 0.125f));

  const std::vector<float> halves = {1, 2, 4, 8, 16, 32, 64, 128};  // of each table high 0, high 1, low 0, low 1
  CHECK(twin_packed_score(halves, codes, 2, 3) == 3 * (1 * 8 + 32 * 64));
  CHECK(twin_signed_score(halves, codes, 2, 3) == 3 * ((1 + 8) + (32 + 64)));
}

TEST_CASE("weights of query heads that share a kv head are whole multiples of the largest's unit", "[unit][gpu]") {
  // Planes 0 to 3 of one table: 4.25, -7.25, 10.5, 127, so that the unit is 1.
  const std::vector<float> half_sums = {3, -11.5, 11.5, -3, -137.5, 116.5, -116.5, 137.5};
  const FixedWeights weights = twin_fixed_weights(half_sums, 1, 4);

  CHECK(weights.unit == 1);
  CHECK(weights.of_bit == std::vector<int>{127, 10, -7, 4});  // 10.5 to the even neighbour
  CHECK(weights.all == 134);
  CHECK(twin_grouped_score(weights, std::vector<std::int16_t>{0b0101}, 4, 2) == 2 * (2 * (127 - 7) - 134));
  // 2 (127 + 10 + 4) - 134 = 148, times 3.5 is 518, between the bf16 numbers 516 and 520: the even one of 129 and 130.
  CHECK(twin_grouped_score(weights, std::vector<std::int16_t>{0b1011}, 4, 3.5f) == 520);
}
