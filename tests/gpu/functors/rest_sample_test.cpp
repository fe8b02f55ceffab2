#include "gpu/functors/rest_sample.hpp"

#include <cmath>
#include <limits>

#include "sim/randomness.hpp"
#include "tests/catch.hpp"

using namespace skt;
using namespace skt::gpu;

TEST_CASE("the bits of words are those of the host's addresses", "[unit][gpu]") {
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{0x299f31d0a4093822}})
    for (const std::uint32_t row : {0u, 31u, 0xffffffffu})
      for (const std::uint32_t step : {0u, 7u, 0xffffffffu})
        for (const std::uint32_t group : {0u, 127u}) {
          const RestStream stream = {seed, row, step};
          const auto host = [&](std::uint32_t table, std::uint32_t block) {
            return random_words(Seed{seed}, {Role::rest_sample, step, table, row, block});
          };
          const auto first = host(1, 2 * group), second = host(1, 2 * group + 1);
          for (std::uint32_t i = 0; i < 32; ++i) {
            const std::uint32_t key = 32 * group + i;
            CHECK(low_bits(stream, key) == (host(0, key / 4)[key % 4] & 0xffffffu));
            std::uint32_t high = 0;
            for (int bit = 0; bit < 8; ++bit) high += ((bit < 4 ? first : second)[bit % 4] >> i) % 2 << (7 - bit);
            CHECK(high_bits(stream, group).of_key(static_cast<int>(i)) == high);
          }
        }
}

TEST_CASE("which of 32 keys have high bits of at most so much is found of all at once", "[unit][gpu]") {
  const HighBits bits = high_bits({3, 1, 4}, 5);
  for (std::uint32_t most = 0; most < 256; ++most) {
    std::uint32_t keys = 0;
    for (int i = 0; i < 32; ++i) keys |= (bits.of_key(i) <= most ? 1u : 0u) << i;
    CHECK(bits.at_most(most) == keys);
  }
}

namespace {

// Of a group's list whose least candidate has a weight of 3 * 2^-8: units are 2^22 / (3 * 2^-8) to a weight of 1.
RestScale scale_of_group(float least = 3 * 0x1p-8f) {
  return rest_scale(bin_of_score(least, kLowestBinOfGroupWeights), kLowestBinOfGroupWeights, 0, true);
}

}  // namespace

TEST_CASE("a key is drawn by so many words as its weight over the sum says", "[unit][gpu]") {
  const RestScale scale = scale_of_group(0x1p-8f);
  const float rate = rest_rate(scale, std::uint64_t{64} << 22, 1000, 16);  // a quarter to a weight of 2^-8

  CHECK(scale.units == 0x1p30f);
  CHECK(rate == 64);
  CHECK(last_word(0x1p-8f, rate) == 0x40000000u);
  CHECK(rest_probability<double>(last_word(0x1p-8f, rate)) == 0.25 + 0x1p-32);
  CHECK(last_word(3.5f * 0x1p-8f, rate) == 0xe0000000u);
  CHECK(last_word(0x1p-6f, rate) == kCertain);
  CHECK(last_word(400, rate) == kCertain);
  CHECK(rest_probability<double>(kCertain) == 1);
  CHECK(last_word(0x1p-100f, rate) == 0);  // one word draws it
  CHECK(rest_probability<double>(0) == 0x1p-32);
  CHECK(last_word(std::nextafter(0x1p-6f, 0.0f), rate) == 0xffffff00u);
}

TEST_CASE("a weight is counted in units of a small part of the reference", "[unit][gpu]") {
  const RestScale scale = scale_of_group();

  CHECK(scale.units_of(3 * 0x1p-8f) == (1u << 22) + 1);
  CHECK(scale.units_of(3 * 0x1p-10f) == (1u << 20) + 1);
  CHECK(scale.units_of(3 * 0x1p-30f) == 2);
  CHECK(scale.units_of(3 * 0x1p-31f) == 1);
  CHECK(scale.units_of(100) == (1u << 23) + 1);
  CHECK(scale.units_of(0x1p119f) == 0);
  CHECK(scale.units_of(std::numeric_limits<float>::quiet_NaN()) == 0);
}

TEST_CASE("weights that are none or too large, and a rest that is no larger than the sample, are read for certain",
          "[unit][gpu]") {
  CHECK(last_word(std::numeric_limits<float>::quiet_NaN(), 1e-30f) == kCertain);
  CHECK(last_word(0x1p119f, 0x1p-140f) == kCertain);
  CHECK(last_word(0x1p118f, 0x1p-140f) < 1u << 11);
  CHECK(last_word(1e-30f, rest_rate(scale_of_group(), 5, 16, 16)) == kCertain);
  CHECK(rest_rate(scale_of_group(0x1p-8f), 1u << 22, 17, 16) == 0x1p12f);
}

TEST_CASE("what scores less than the bin above that of the least of the list may be of the rest", "[unit][gpu]") {
  const RestScale scale = scale_of_group(2 * 0x1p-9f);  // bins are a 128th wide

  CHECK(scale.may_be_rest(2 * 0x1p-9f));
  CHECK(scale.may_be_rest(std::nextafter(2.015625f * 0x1p-9f, 0.0f)));
  CHECK_FALSE(scale.may_be_rest(2.015625f * 0x1p-9f));
  CHECK(scale.may_be_rest(std::numeric_limits<float>::quiet_NaN()));
  CHECK(scale_of_group(1).may_be_rest(1e38f));  // of the last bin
}

TEST_CASE("keys of the first bin, which has no lowest score, weigh as the lowest of the next", "[unit][gpu]") {
  const RestScale scale = rest_scale(0, kLowestBinOfSignedProjections, 0.5f, false);

  CHECK(scale.edge == 1.0078125f);
  CHECK(scale.normaliser == 1.0078125f * 0.5f * kOctaveSteps);
  CHECK(lowest_score_of(0, kLowestBinOfSignedProjections) == 1.0078125f);
  CHECK(lowest_score_of(5, kLowestBinOfSignedProjections) == 1 + 5 / 128.0f);
  CHECK(scale.weight(1.0078125f) == 1);
  CHECK(scale.weight(-3) == 1);
  CHECK(std::isnan(scale.weight(std::numeric_limits<float>::quiet_NaN())));
  CHECK(scale_of_group(0x1p-8f).weight(0x1p-30f) == 0x1p-20f * 1.0078125f);
}

TEST_CASE("a weight is at least that of its logit but for the rounding", "[unit][gpu]") {
  const float log_sum = 3.25f, steps = 0.0371f * kOctaveSteps;
  const float offset = weight_offset(normaliser_of_log_sum(log_sum));
  for (float score = -400; score < 400; score += 0.73f) {
    const double exact = std::exp2(double{0.0371f} * score) / std::exp(double{log_sum});
    CHECK(rest_weight(score, steps, offset) * kRestRounding >= exact);
    CHECK(rest_weight(score, steps, offset) <= exact * kRestRounding * (1 + kPowerError));
  }
}
