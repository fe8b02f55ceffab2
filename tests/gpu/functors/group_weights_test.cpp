#include "gpu/functors/group_weights.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "tests/catch.hpp"

using namespace skt::gpu;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

double log2_of(const HeadNormaliser& normaliser) {
  return normaliser.exponent - std::log2(double{normaliser.factor});
}

}  // namespace

TEST_CASE("a power is 2^x within its error, rises with x, and stays where bf16 would leave its range", "[unit][gpu]") {
  double worst = 0;
  float before = 0;
  for (int i = -16 * 120 * 64; i <= 16 * 120 * 64; ++i) {
    const float x = static_cast<float>(i) / 1024;
    const float power = weight_power(x);
    worst = std::max(worst, std::abs(power / std::exp2(double{x}) - 1));
    if (power < before) FAIL(x);
    before = power;
  }
  CHECK(worst < kPowerError);
  CHECK(weight_power(121) == weight_power(120));
  CHECK(weight_power(-kInfinity) == weight_power(-120));
  CHECK(weight_power(-120) > 0);
  CHECK(std::isnan(weight_power(std::numeric_limits<float>::quiet_NaN())));
}

TEST_CASE("a normaliser is the logarithm of its sum", "[unit][gpu]") {
  // 3 * 2^5: log2 is 5 + 1.58496.
  CHECK(log2_of(normaliser_of_sum({5, 3})) == Approx(6.5849625).epsilon(1e-7));
  CHECK(normaliser_of_sum({5, 3}).exponent == 6);
  CHECK(log2_of(normaliser_of_log_sum(std::log(96.0f))) == Approx(6.5849625).epsilon(1e-5));
  CHECK(log2_of(normaliser_of_log_sum(-3)) == Approx(-3 / std::log(2.0)).epsilon(1e-5));
}

TEST_CASE("a normaliser of nothing, or of what is not finite, is 0", "[unit][gpu]") {
  CHECK(log2_of(normaliser_of_sum({})) == 0);
  CHECK(log2_of(normaliser_of_sum({kInfinity, 1})) == 0);
  CHECK(log2_of(normaliser_of_sum({3, std::nanf("")})) == 0);
  CHECK(log2_of(normaliser_of_log_sum(-kInfinity)) == 0);
  CHECK(log2_of(normaliser_of_log_sum(std::nanf(""))) == 0);
}

TEST_CASE("a head's weights over its normaliser add up to 1", "[unit][gpu]") {
  // Logits 0, 1 and 3 to base 2: 1 + 2 + 8 = 11.
  const HeadNormaliser normaliser = normaliser_of_sum({3, 11.0f / 8});
  CHECK(weight_of_head(0, normaliser) == Approx(1.0 / 11).epsilon(kPowerError));
  CHECK(weight_of_head(3, normaliser) == Approx(8.0 / 11).epsilon(kPowerError));
}

TEST_CASE("all tiles of a short row are summed, empty ones left out", "[unit][gpu]") {
  // 3 * 2^2, nothing and 1 * 2^4: 28.
  const std::vector<SoftmaxPart<float>> parts = {{2, 3}, {}, {4, 1}};
  CHECK(log2_of(normaliser_of_tiles(3, [&](unsigned i) { return parts[i]; })) == Approx(std::log2(28.0)).epsilon(1e-6));
}

TEST_CASE("tiles between the first and the last stand for all by the mean of their logarithms", "[unit][gpu]") {
  // Of 30 tiles the first and the last sum to 2^3 and 2^4, those between to 2^0 and 2^2 in turn: 28 tiles of 2^1.
  const auto part_of = [](unsigned i) {
    if (i == 0) return SoftmaxPart<float>{3, 1};
    if (i == 15) return SoftmaxPart<float>{4, 1};
    return i % 2 == 0 ? SoftmaxPart<float>{0, 1} : SoftmaxPart<float>{2, 1};
  };
  CHECK(log2_of(normaliser_of_tiles(30, part_of)) == Approx(std::log2(8.0 + 16 + 28 * 2)).epsilon(1e-6));
  // Without the seven of 2^2 seven tiles of 2^0 stand for 14.
  const auto fewer = [&](unsigned i) { return i % 2 == 1 && i < 15 ? SoftmaxPart<float>{} : part_of(i); };
  CHECK(log2_of(normaliser_of_tiles(30, fewer)) == Approx(std::log2(8.0 + 16 + 14)).epsilon(1e-6));
  // Fractions count by a straight line: 1.5 * 2^1 for 1.585.
  const auto fractions = [&](unsigned i) { return i == 0 || i == 15 ? part_of(i) : SoftmaxPart<float>{1, 1.5f}; };
  CHECK(log2_of(normaliser_of_tiles(30, fractions)) ==
        Approx(std::log2(8.0 + 16 + 28 * std::exp2(1.5))).epsilon(1e-5));
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
