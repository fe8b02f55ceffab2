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

TEST_CASE("weights of query heads that share a kv head are counted by their place in a word", "[unit][gpu]") {
  // Planes 0 to 3 of one table: 4, -7, 10, 32639, so that the unit is 1. Places 3, 2, 1, 0 count 8, 4, 2, 1.
  const std::vector<float> half_sums = {3, -11, 11, -3, -32649, 32629, -32629, 32649};
  const FixedWeights weights = twin_fixed_weights(half_sums, 1, 4);

  CHECK(weights.unit == 1);
  CHECK(weights.counted == std::vector<int>{32639, 2 * 5, 4 * -2, 8 * 0});  // -1.75 and 0.5 to the nearest
  CHECK(weights.all == 32641);
  CHECK(twin_grouped_score(weights, std::vector<std::int16_t>{0b0101}, 4, 2) == 2 * (2 * (32639 - 8) - 32641));
}

TEST_CASE("the fifth table of six planes begins at the seventh place of a byte", "[unit][gpu]") {
  // Every projection 0 but those of the fifth table: 32639 of bit 0, 8 of all others.
  std::vector<float> half_sums(4 * 16, 0);
  for (const float entry : {-24.0f, -8.0f, -8.0f, 8.0f, -8.0f, 8.0f, 8.0f, 24.0f}) half_sums.push_back(entry);
  for (const float low : {-16.0f, 0.0f, 0.0f, 16.0f}) {
    for (const float bit_0 : {-32639.0f, 32639.0f}) half_sums.push_back(low + bit_0);
  }
  const FixedWeights weights = twin_fixed_weights(half_sums, 5, 6);

  CHECK(std::vector<int>(weights.counted.end() - 6, weights.counted.end()) ==
        std::vector<int>{4 * 8160, 8 * 1, 8, 2 * 4, 4 * 2, 8 * 1});  // 32639 / 4 = 8159.75
}
