#include "sim/statistics/betting.hpp"

#include "tests/numbers.hpp"

using namespace skt;

namespace {

// P(the limit of n samples, each 1 with probability p and else 0, is below p), over all 2^n orders; limits times `factor`.
double missed(int n, double p, double error, double factor) {
  double chance = 0;
  for (unsigned bits = 0; bits < 1u << n; ++bits) {
    std::vector<double> samples;
    double probability = 1;
    for (int i = 0; i < n; ++i) {
      samples.push_back((bits >> i) & 1);
      probability *= samples.back() > 0 ? p : 1 - p;
    }
    if (factor * mean_limit_by_betting(samples, error) < p) chance += probability;
  }
  return chance;
}

}  // namespace

TEST_CASE("Bets are limited by the stake: one and two samples of 0", "[unit]") {
  // 1 + .95 m/(1 - m) = 2 and its square = 2; the bets that would be best, 2.4 and 1.7, are larger.
  CHECK(mean_limit_by_betting(std::vector{0.0}, 0.5) == Approx(1 / 1.95));
  const double odds = (std::sqrt(2.0) - 1) / 0.95;
  CHECK(mean_limit_by_betting(std::vector{0.0, 0.0}, 0.5) == Approx(odds / (1 + odds)));
}

TEST_CASE("The first bet is the best one for the variance of a coin, the next looks at the samples before it",
          "[unit]") {
  // m = .2, error 1/e, two samples: bets sqrt(2/2/.25) = 2 and, after a 0, of variance (.25 + .25^2)/2, 2.53; staked at
  // most .95/.8.
  CHECK(log_capital_against(0.2, std::vector{0.0, 1.0}, std::exp(-1)) ==
        Approx(std::log(1 + 0.2 * 0.95 / 0.8) + std::log(1 - 0.95)));
  // Of 32 samples the bet is 1/2 at first, then 1/sqrt(32 .15625 / 2).
  std::vector<double> samples(32, 0.2);
  samples[0] = 0;
  const double first = std::log(1 + 0.5 * 0.2), all = log_capital_against(0.2, samples, std::exp(-1));
  CHECK(all == Approx(first));  // later samples are the mean, and cost nothing
  samples[1] = 0;
  CHECK(log_capital_against(0.2, samples, std::exp(-1)) ==
        Approx(first + std::log(1 + 0.2 * std::sqrt(2.0 / 32 / 0.15625))));
}

TEST_CASE("A capital beyond the numbers of a double has its logarithm", "[unit]") {
  double squares = 0.25, capital = 0;
  for (int i = 0; i < 400; ++i) {
    capital += std::log1p(0.999 * std::sqrt(2 * 690.0 / 400 * (i + 1) / squares));
    squares += 0.25 / (i + 2) / (i + 2);
  }
  CHECK(capital > 1000);  // e^710 is the largest
  CHECK(log_capital_against(0.999, std::vector<double>(400, 0.0), std::exp(-690)) == Approx(capital).epsilon(1e-12));
}

TEST_CASE("The mean of zeros and ones is missed at most as often as allowed, over all orders", "[unit]") {
  for (const double error : {0.05, 0.3})
    for (const double p : {0.02, 0.1, 0.3, 0.5, 0.9}) CHECK(missed(10, p, error, 1) <= error);

  CHECK(missed(10, 0.3, 0.3, 0.5) > 0.3);
}

TEST_CASE("A small variance gives a narrow limit", "[unit]") {
  const std::vector<double> equal(256, 0.02);
  std::vector<double> spread(256, 0.0);
  for (std::size_t i = 0; i < 256; i += 50) spread[i] = 0.8533;  // the same mean

  CHECK(mean_limit_by_betting(equal, 0.05) < 0.036);
  CHECK(mean_limit_by_betting(spread, 0.05) > 0.045);
}

TEST_CASE("A limit of nothing, or of numbers outside 0 to 1, is refused", "[unit]") {
  CHECK_THROWS_AS(mean_limit_by_betting(std::vector<double>{}, 0.05), InputError);
  CHECK_THROWS_AS(mean_limit_by_betting(std::vector{0.5, 1.1}, 0.05), InputError);
  CHECK_THROWS_AS(mean_limit_by_betting(std::vector{std::nan("")}, 0.05), InputError);
  CHECK_THROWS_AS(mean_limit_by_betting(std::vector{0.5}, 0.0), InputError);
  CHECK(mean_limit_by_betting(std::vector{1.0}, 0.05) == 1);
}
