#include "tests/hypothesis_tests.hpp"

#include <cmath>
#include <limits>

#include "sim/require.hpp"
#include "sim/statistics/binomial_tails.hpp"
#include "sim/statistics/intervals.hpp"
#include "tests/catch.hpp"
#include "tests/constants.hpp"
#include "tests/sim/statistics/repetitions.hpp"

using namespace skt;

namespace {

// Throws of a die whose first face has the given chance and whose other five share the rest.
std::vector<std::uint64_t> throws_of_die(std::uint32_t run, std::size_t count, double first_face) {
  std::vector<std::uint64_t> counts(6, 0);
  for (const double u : test_uniforms(2, run, count)) {
    const double other = (u - first_face) / (1 - first_face) * 5;
    ++counts[u < first_face ? 0 : std::min<std::size_t>(5, 1 + static_cast<std::size_t>(other))];
  }
  return counts;
}

}  // namespace

TEST_CASE("The binomial test rejects exactly where Clopper-Pearson leaves the hypothesis out", "[unit]") {
  for (const std::uint64_t trials : {1u, 2u, 30u}) {
    for (const double p : {0.02, 0.37, 0.5}) {
      for (std::uint64_t k = 0; k <= trials; ++k) {
        const double p_value = binomial_p_value(k, trials, p);
        if (p_value == 1) continue;  // contained at every level
        CHECK(clopper_pearson(k, trials, p_value * (1 - 1e-6)).contains(p));
        CHECK(!clopper_pearson(k, trials, p_value * (1 + 1e-6)).contains(p));
      }
    }
  }
}

TEST_CASE("The binomial test rejects a true hypothesis with at most its level", "[unit]") {
  for (const double level : {0.5, 0.05, 1e-3}) {
    double size = 0;
    for (std::uint64_t k = 0; k <= 40; ++k) {
      if (binomial_p_value(k, 40, 0.3) > level) continue;
      size += binomial_at_most(k, 40, 0.3) - (k > 0 ? binomial_at_most(k - 1, 40, 0.3) : 0);
    }

    CHECK(size <= level * (1 + 1000 * kEpsilon));
    CHECK(size >= level / 10);  // not idle: a test that never rejects has size 0
  }
  CHECK(binomial_p_value(30, 40, 0.3) <= 1e-6);
  CHECK(binomial_p_value(0, 40, 0.3) <= 2e-6);  // 2 * 0.7^40 = 1.3e-6
}

TEST_CASE("The goodness of fit of a hand-worked table", "[unit]") {
  // Expected 10, 20, 30: (2^2/10 + 4^2/20 + 2^2/30) = 1.3333.., two degrees.
  CHECK(std::abs(goodness_of_fit_p_value({12, 16, 32}, {1.0 / 6, 2.0 / 6, 3.0 / 6}) - std::exp(-2.0 / 3)) <=
        200 * kEpsilon);
}

TEST_CASE("Goodness of fit rejects a fair die with its level and a loaded one nearly always", "[unit]") {
  // 600 throws: 100 expected in a cell, where the law of the statistic differs from its limit by far less than the
  // standard deviation 0.005 of a share of 2000 runs.
  const std::vector<double> fair(6, 1.0 / 6);
  const auto rejections = [&](double first_face) {
    return count_hits(2000, [&](std::uint32_t run) {
      return goodness_of_fit_p_value(throws_of_die(run, 600, first_face), fair) <= 0.05;
    });
  };

  CHECK(binomial_p_value(rejections(1.0 / 6), 2000, 0.05) > kFailure);
  CHECK(binomial_p_value(rejections(1.0 / 6 + 0.03), 2000, 0.05) <= kFailure);
}

TEST_CASE("Bad input of a test is refused", "[unit]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(binomial_p_value(0, 0, 0.5), InputError);
  CHECK_THROWS_AS(binomial_p_value(2, 1, 0.5), InputError);
  CHECK_THROWS_AS(binomial_p_value(1, 2, nan), InputError);
  CHECK_THROWS_AS(goodness_of_fit_p_value({10}, {1}), InputError);
  CHECK_THROWS_AS(goodness_of_fit_p_value({10, 10}, {1}), InputError);
  CHECK_THROWS_AS(goodness_of_fit_p_value({10, 10}, {0.5, 0.4}), InputError);
  CHECK_THROWS_AS(goodness_of_fit_p_value({10, 10}, {nan, 0.5}), InputError);
  CHECK_THROWS_AS(goodness_of_fit_p_value({10, 10}, {1.5, -0.5}), InputError);
  CHECK_THROWS_AS(goodness_of_fit_p_value({4, 4}, {0.5, 0.5}), InputError);
  CHECK_THROWS_AS(goodness_of_fit_p_value({0, 0}, {0.5, 0.5}), InputError);
}
