#include "sim/statistics/quantiles.hpp"

#include "sim/statistics/binomial_tails.hpp"
#include "tests/numbers.hpp"
#include "tests/sim/statistics/repetitions.hpp"

using namespace skt;

TEST_CASE("A sample quantile interpolates between order statistics", "[unit]") {
  CHECK(sample_quantile({7}, 0.3) == 7);
  CHECK(sample_quantile({3, 1}, 0) == 1);
  CHECK(sample_quantile({3, 1}, 0.25) == 1.5);
  CHECK(sample_quantile({3, 1}, 1) == 3);
  CHECK(sample_quantile({4, 1, 3, 2, 0}, 0.5) == 2);
  CHECK(sample_quantile({4, 1, 3, 2, 0}, 0.625) == 2.5);
}

TEST_CASE("A quantile's interval contains it with at least its probability", "[unit]") {
  const std::uint32_t runs = 2000;
  for (const double level : {0.1, 0.5, 0.9}) {
    const auto misses = [&](double claimed) {
      return count_hits(runs, [&](std::uint32_t run) {
        return !quantile_interval(test_uniforms(3, run, 100), level, 0.05).contains(claimed);
      });
    };

    // Of uniform numbers the quantile is the level itself. A lie of 0.15 is three of its standard deviations.
    CHECK(binomial_at_least(misses(level), runs, 0.05) > kFailure);
    CHECK(binomial_at_least(misses(level + 0.15), runs, 0.05) <= kFailure);
    CHECK(binomial_at_least(misses(level - 0.15), runs, 0.05) <= kFailure);
  }
}

TEST_CASE("A quantile's interval is as short as its error allows", "[unit]") {
  // Order statistics 40 and 61 of 100 for the median: P(Bin <= 39) = 0.0176 and P(Bin <= 40) = 0.0284 around 0.025.
  std::vector<double> sample(100);
  for (std::size_t i = 0; i < 100; ++i) sample[i] = real(i + 1);
  const Interval interval = quantile_interval(sample, 0.5, 0.05);

  CHECK(interval.lo == 40);
  CHECK(interval.hi == 61);
}

TEST_CASE("A sample with ties keeps the quantile of a discrete law", "[unit]") {
  // Bernoulli(1/2) numbers: the median inf{x: F(x) >= 1/2} is 0.
  const std::uint64_t misses = count_hits(1000, [](std::uint32_t run) {
    std::vector<double> bits = test_uniforms(4, run, 50);
    for (double& bit : bits) bit = bit < 0.5 ? 0 : 1;
    return !quantile_interval(bits, 0.5, 0.05).contains(0);
  });

  CHECK(binomial_at_least(misses, 1000, 0.05) > kFailure);
}

TEST_CASE("A sample too small to bound a quantile gives infinite ends", "[unit]") {
  const double infinity = std::numeric_limits<double>::infinity();
  const Interval one = quantile_interval({5}, 0.5, 0.05), two = quantile_interval({5, 6}, 0.9, 0.05);

  CHECK(one.lo == -infinity);
  CHECK(one.hi == infinity);
  CHECK(two.lo == 5);  // P(both above the 0.9 quantile) = 0.01 <= 0.025
  CHECK(two.hi == infinity);
}

TEST_CASE("Bad input of a quantile is refused", "[unit]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const std::vector<double>& sample :
       {std::vector<double>{}, {1, nan}, {1, std::numeric_limits<double>::infinity()}}) {
    CHECK_THROWS_AS(sample_quantile(sample, 0.5), InputError);
    CHECK_THROWS_AS(quantile_interval(sample, 0.5, 0.05), InputError);
  }
  for (const double level : {-0.1, 1.1, nan}) {
    CHECK_THROWS_AS(sample_quantile({1, 2}, level), InputError);
    CHECK_THROWS_AS(quantile_interval({1, 2}, level, 0.05), InputError);
  }
  for (const double error : {0.0, 1.0, nan}) CHECK_THROWS_AS(quantile_interval({1, 2}, 0.5, error), InputError);
}
