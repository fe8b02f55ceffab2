#include "sim/statistics/empirical_distribution.hpp"

#include "sim/randomness.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("Values are counted in ascending order, and what is no number lies beyond all", "[unit]") {
  const std::vector<ValueCount> counts = counted({2, -1, 2, std::nan(""), 2});

  REQUIRE(counts.size() == 3);
  CHECK((counts[0].value == -1 && counts[0].count == 1));
  CHECK((counts[1].value == 2 && counts[1].count == 3));
  CHECK((counts[2].value == kInfinite && counts[2].count == 1));
  CHECK(counted({}).empty());
}

TEST_CASE("The band has the width of Dvoretzky, Kiefer, Wolfowitz and Massart", "[unit]") {
  // By hand: 2 exp(-2 * 200 * 0.1^2) = 2 e^-4.
  CHECK(distribution_band(200, 2 * std::exp(-4.0)) == Approx(0.1).epsilon(1e-14));
  CHECK(distribution_band(800, 2 * std::exp(-4.0)) == Approx(0.05).epsilon(1e-14));
  CHECK_THROWS_AS(distribution_band(0, 0.05), InputError);
  for (const double error : {0.0, 1.0, std::nan("")}) CHECK_THROWS_AS(distribution_band(10, error), InputError);
}

TEST_CASE("A band holds the whole of a known law as often as it says", "[unit]") {
  // 400 samples of 50 normal numbers each; the largest distance of their distribution to the normal one. A band that may
  // fail with probability 0.2 is left by 80 of them at most in the mean; 120 would be four and a half deviations more.
  constexpr int kSamples = 400, kNumbers = 50;
  const double band = distribution_band(kNumbers, 0.2);
  int left = 0;
  for (std::uint32_t sample = 0; sample < kSamples; ++sample) {
    std::vector<double> numbers(kNumbers);
    fill_normal(Seed{7}, {.trial = sample}, numbers);
    double below = 0, furthest = 0;
    for (const ValueCount& at : counted(numbers)) {
      const double law = 0.5 * std::erfc(-at.value / std::sqrt(2.0));
      furthest =
          std::max({furthest, std::abs(below / kNumbers - law), std::abs((below + real(at.count)) / kNumbers - law)});
      below += real(at.count);
    }
    left += furthest > band;
  }
  CHECK(left <= 120);
  CHECK(left >= 20);  // a band three times as wide as it need be would never be left
}
