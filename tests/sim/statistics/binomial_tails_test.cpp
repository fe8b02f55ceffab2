#include "sim/statistics/binomial_tails.hpp"

#include "tests/numbers.hpp"

using namespace skt;

namespace {

// C(n, k) 2^-n, exact up to n = 50: the coefficients are below 2^53.
double fair_probability(std::uint64_t k, std::uint64_t n) {
  double coefficient = 1;
  for (std::uint64_t i = 1; i <= k; ++i) coefficient = coefficient * real(n - k + i) / real(i);
  return std::ldexp(coefficient, -static_cast<int>(n));
}

// An incomplete beta function costs some hundred operations here; Boost states below 100 epsilon for it.
constexpr double kTolerance = 100 * kEpsilon;

}  // namespace

TEST_CASE("Binomial tails are the sums of the probabilities", "[unit]") {
  for (const std::uint64_t n : {0u, 1u, 2u, 7u, 50u}) {
    double at_most = 0;
    for (std::uint64_t k = 0; k <= n; ++k) {
      at_most += fair_probability(k, n);
      double at_least = 0;  // from the small end, so that a small tail keeps its digits
      for (std::uint64_t i = n + 1; i-- > k;) at_least += fair_probability(i, n);

      CHECK(std::abs(binomial_probability(k, n, 0.5) - fair_probability(k, n)) <= kTolerance * fair_probability(k, n));
      CHECK(std::abs(binomial_at_most(k, n, 0.5) - at_most) <= kTolerance * at_most);
      CHECK(std::abs(binomial_at_least(k, n, 0.5) - at_least) <= kTolerance * at_least);
    }
  }
}

TEST_CASE("Tails of unequal chances have their closed forms at the ends", "[unit]") {
  for (const double p : {1e-9, 0.1, 0.7, 1 - 1e-9}) {
    const double n = 200;
    const double none = std::exp(n * std::log1p(-p)), all = std::exp(n * std::log(p));
    // The exponent is rounded before it is exponentiated.
    CHECK(std::abs(binomial_at_most(0, 200, p) - none) <= (kTolerance + 2 * kEpsilon * n * -std::log1p(-p)) * none);
    CHECK(std::abs(binomial_at_least(200, 200, p) - all) <= (kTolerance + 2 * kEpsilon * n * -std::log(p)) * all);
  }
}

TEST_CASE("Tails are defined for chances 0 and 1 and for counts above the trials", "[unit]") {
  for (const std::uint64_t n : {0u, 1u, 5u}) {
    CHECK(binomial_at_most(0, n, 0) == 1);
    CHECK(binomial_at_least(0, n, 0) == 1);
    CHECK(binomial_at_most(n, n, 1) == 1);
    CHECK(binomial_at_least(n, n, 1) == 1);
    CHECK(binomial_at_most(n + 1, n, 0.3) == 1);
    CHECK(binomial_at_least(n + 1, n, 0.3) == 0);
    CHECK(binomial_probability(n + 1, n, 0.3) == 0);
  }
  CHECK(binomial_at_least(1, 5, 0) == 0);
  CHECK(binomial_at_most(4, 5, 1) == 0);
}

TEST_CASE("A probability outside 0 to 1 is refused", "[unit]") {
  for (const double p : {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN()}) {
    CHECK_THROWS_AS(binomial_at_most(1, 2, p), InputError);
    CHECK_THROWS_AS(binomial_at_least(1, 2, p), InputError);
  }
}
