#include "gpu/functors/rest_sample.hpp"

#include <cmath>
#include <limits>

#include "sim/randomness.hpp"
#include "tests/catch.hpp"

using namespace skt;
using namespace skt::gpu;

TEST_CASE("the words of four keys are those of the host's address", "[unit][gpu]") {
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{0x299f31d0a4093822}})
    for (const std::uint32_t row : {0u, 31u, 0xffffffffu})
      for (const std::uint32_t step : {0u, 7u, 0xffffffffu})
        for (const std::uint32_t four : {0u, 127u}) {
          const RestWords words = rest_words(seed, row, step, four);
          const auto host =
              random_words(Seed{seed}, {.role = Role::rest_sample, .trial = step, .row = row, .block = four});

          for (int i = 0; i < 4; ++i) CHECK(words.of_key[i] == host[i]);
        }
}

TEST_CASE("a key is drawn by so many words as its weight over the sum says", "[unit][gpu]") {
  const float rate = rest_rate(64, 1000, 16);  // a quarter to a weight of 1

  CHECK(rate == 0.25f);
  CHECK(last_word(1, rate) == 0x40000000u);
  CHECK(rest_probability<double>(last_word(1, rate)) == 0.25 + 0x1p-32);
  CHECK(last_word(3.5f, rate) == 0xe0000000u);
  CHECK(last_word(4, rate) == kCertain);
  CHECK(last_word(400, rate) == kCertain);
  CHECK(rest_probability<double>(kCertain) == 1);
  CHECK(last_word(0x1p-100f, rate) == 0);  // one word draws it
  CHECK(rest_probability<double>(0) == 0x1p-32);
  CHECK(last_word(std::nextafter(4.0f, 0.0f), rate) == 0xffffff00u);
}

TEST_CASE("weights that are none or too large, and a rest that is no larger than the sample, are read for certain",
          "[unit][gpu]") {
  CHECK(last_word(std::numeric_limits<float>::quiet_NaN(), 1e-30f) == kCertain);
  CHECK(last_word(0x1p119f, 0x1p-140f) == kCertain);
  CHECK(last_word(0x1p118f, 0x1p-140f) < 1u << 11);
  CHECK(weight_in_sum(0x1p119f) == 0);
  CHECK(weight_in_sum(std::numeric_limits<float>::quiet_NaN()) == 0);
  CHECK(weight_in_sum(3) == 3);
  CHECK(last_word(1e-30f, rest_rate(5, 16, 16)) == kCertain);
  CHECK(last_word(1e-30f, rest_rate(5, 17, 16)) < 100);
}

TEST_CASE("what scores as much as the least of the list may be of the rest, and what scores more may not",
          "[unit][gpu]") {
  CHECK(may_be_rest(2, 2));
  CHECK_FALSE(may_be_rest(std::nextafter(2.0f, 3.0f), 2));
  CHECK(may_be_rest(1e38f, std::numeric_limits<float>::infinity()));
  CHECK(may_be_rest(std::numeric_limits<float>::quiet_NaN(), 2));
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
