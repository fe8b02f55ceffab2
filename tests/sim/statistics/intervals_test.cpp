// Coverage of the intervals. On Bernoulli samples the law of an interval is a binomial, so its coverage is an exact
// sum; otherwise repetitions are counted (repetitions.hpp). Each check is also shown to reject a lie.
#include "sim/statistics/intervals.hpp"

#include <functional>

#include "sim/statistics/binomial_tails.hpp"
#include "tests/hypothesis_tests.hpp"
#include "tests/numbers.hpp"
#include "tests/sim/statistics/repetitions.hpp"

using namespace skt;

namespace {

constexpr std::uint32_t kRuns = 4000;
// Exact coverages are sums of up to 200 tail differences, each exact to some hundred roundings of a number below 1.
constexpr double kRounding = 200 * 200 * std::numeric_limits<double>::epsilon();

Moments moments_of(const std::vector<double>& sample) {
  Moments moments;
  for (const double x : sample) moments.add(x);
  return moments;
}

Moments bernoulli_moments(std::uint64_t ones, std::uint64_t trials) {
  Moments moments;
  for (std::uint64_t i = 0; i < trials; ++i) moments.add(i < ones ? 1 : 0);
  return moments;
}

// P(interval(Bin(trials, p)) contains p), exactly.
double bernoulli_coverage(std::uint64_t trials, double p, const std::function<Interval(std::uint64_t)>& interval) {
  double coverage = 0;
  for (std::uint64_t k = 0; k <= trials; ++k) {
    if (!interval(k).contains(p)) continue;
    coverage += binomial_at_most(k, trials, p) - (k > 0 ? binomial_at_most(k - 1, trials, p) : 0);
  }
  return coverage;
}

// The p-value of the hypothesis that normal samples of `size` around 3 are missed with probability kError.
double miss_p_value(std::size_t size, const std::function<Interval(const Moments&)>& interval) {
  const std::uint64_t misses = count_hits(kRuns, [&](std::uint32_t run) {
    std::vector<double> sample = test_normals(1, run, size);
    for (double& x : sample) x = 3 + 2 * x;
    return !interval(moments_of(sample)).contains(3);
  });
  return binomial_p_value(misses, kRuns, kError);
}

}  // namespace

TEST_CASE("Clopper-Pearson has its closed form without successes and without failures", "[unit]") {
  for (const std::uint64_t trials : {1u, 2u, 1000u, 1000000u}) {
    for (const double error : {0.5, 1e-3, 1e-9}) {
      // 1 - (error/2)^(1/n), without cancellation.
      const double upper = -std::expm1(std::log(error / 2) / real(trials));
      // The incomplete beta function is good to 100 epsilon (Boost's statement); its inverse here has condition
      // 1 / log(2 / error) at most, which is below 1.
      const double tolerance = 100 * std::numeric_limits<double>::epsilon();
      const Interval none = clopper_pearson(0, trials, error), all = clopper_pearson(trials, trials, error);

      CHECK(none.lo == 0);
      CHECK(std::abs(none.hi - upper) <= tolerance * upper);
      CHECK(all.hi == 1);
      CHECK(std::abs(all.lo - (1 - upper)) <= tolerance);
    }
  }
}

TEST_CASE("Each end of Clopper-Pearson leaves half of the error in its tail", "[unit]") {
  for (const std::uint64_t trials : {2u, 3u, 100u, 4000u}) {
    for (const double error : {0.5, 1e-3, 1e-6, 1e-9}) {
      for (const std::uint64_t successes : {std::uint64_t{1}, trials / 3, trials / 2, trials - 1}) {
        const Interval interval = clopper_pearson(successes, trials, error);
        if (successes == 0) continue;
        // d log P(Bin >= k) / d log p <= k and d log P(Bin <= k) / dp <= (n - k) / (1 - p) turn the rounding of an end
        // into an error of its tail; the tails themselves are good to (100 + n) epsilon.
        const double n = real(trials), k = real(successes);
        const double rounding = std::numeric_limits<double>::epsilon();
        const double lower = binomial_at_least(successes, trials, interval.lo) / (error / 2);
        const double upper = binomial_at_most(successes, trials, interval.hi) / (error / 2);

        CHECK(std::abs(lower - 1) <= (100 + n + k) * rounding);
        CHECK(std::abs(upper - 1) <= (100 + n + (n - k) / (1 - interval.hi)) * rounding);
      }
    }
  }
}

TEST_CASE("Student's interval contains a normal mean with exactly its probability", "[unit]") {
  for (const std::size_t size : {2u, 3u, 20u}) {
    CHECK(miss_p_value(size, [](const Moments& m) { return student(m, kError); }) > kFailure);
  }
}

TEST_CASE("The coverage of Student's interval finds a lie", "[unit]") {
  // The normal quantile in the place of Student's; a standard deviation in the place of its mean's; a wrong error.
  CHECK(miss_p_value(5, [](const Moments& m) { return known_deviation(m, std::sqrt(m.variance()), kError); }) <=
        kFailure);
  CHECK(miss_p_value(5, [](const Moments& m) {
          const double half = std::sqrt(m.variance());
          return Interval{m.mean() - half, m.mean() + half};
        }) <= kFailure);
  CHECK(miss_p_value(5, [](const Moments& m) { return student(m, 2 * kError); }) <= kFailure);
  CHECK(miss_p_value(5, [](const Moments& m) { return student(m, kError / 2); }) <= kFailure);
}

TEST_CASE("The interval for a known deviation contains a normal mean with exactly its probability", "[unit]") {
  for (const std::size_t size : {1u, 2u, 20u}) {
    CHECK(miss_p_value(size, [](const Moments& m) { return known_deviation(m, 2, kError); }) > kFailure);
    CHECK(miss_p_value(size, [](const Moments& m) { return known_deviation(m, 1.7, kError); }) <= kFailure);
    CHECK(miss_p_value(size, [](const Moments& m) { return known_deviation(m, 2.3, kError); }) <= kFailure);
  }
}

TEST_CASE(
    "The error of Student's interval is nominal: skewed samples are missed more often, by empirical Bernstein never",
    "[unit]") {
  // Bernoulli of 1/50 with 40 samples: no success, of probability (49/50)^40 = 0.446, gives the interval {0}.
  const double missed_by_student =
      1 - bernoulli_coverage(40, 0.02, [](std::uint64_t k) { return student(bernoulli_moments(k, 40), kError); });
  const double missed_by_bernstein = 1 - bernoulli_coverage(40, 0.02, [](std::uint64_t k) {
                                       return empirical_bernstein(bernoulli_moments(k, 40), 1, kError);
                                     });

  CHECK(missed_by_student >= std::pow(0.98, 40) - kRounding);
  CHECK(missed_by_bernstein <= kError + kRounding);
}

TEST_CASE("An interval from a summary of samples is that from the samples", "[unit]") {
  const Moments samples = moments_of({1, 2, 4, 7});
  const SampleSummary summary{4, samples.mean(), samples.variance()};

  for (const auto& [a, b] : {std::pair{student(samples, kError), student(summary, kError)},
                             {empirical_bernstein(samples, 6, kError), empirical_bernstein(summary, 6, kError)},
                             {known_deviation(samples, 3, kError), known_deviation(summary, 3, kError)}}) {
    CHECK(a.lo == b.lo);
    CHECK(a.hi == b.hi);
  }
}

TEST_CASE("Empirical Bernstein contains a Bernoulli mean with at least its probability", "[unit]") {
  for (const std::uint64_t trials : {2u, 20u, 200u}) {
    for (const double p : {1e-3, 0.02, 0.5, 0.97}) {
      const double coverage = bernoulli_coverage(
          trials, p, [&](std::uint64_t k) { return empirical_bernstein(bernoulli_moments(k, trials), 1, kError); });

      CHECK(coverage >= 1 - kError - kRounding);
    }
  }
}

TEST_CASE("Empirical Bernstein needs both of its terms", "[unit]") {
  const auto without_range = [](std::uint64_t k) { return empirical_bernstein(bernoulli_moments(k, 200), 0, kError); };
  const auto without_variance = [&](std::uint64_t k) {
    const double range_part =
        (empirical_bernstein(bernoulli_moments(k, 200), 1, kError).width() - without_range(k).width()) / 2;
    const double mean = real(k) / 200;
    return Interval{mean - range_part, mean + range_part};
  };

  CHECK(bernoulli_coverage(200, 0.01, without_range) < 1 - kError);
  CHECK(bernoulli_coverage(200, 0.5, without_variance) < 1 - kError);
}

TEST_CASE("Empirical Bernstein is Maurer and Pontil's formula at a point worked by hand", "[unit]") {
  // 0, 1, 0, 1: n = 4, mean 1/2, V = 1/3. error = 4 exp(-6): the logarithm is 6.
  // sqrt(2 V 6 / 4) = 1; 7 * 2 * 6 / (3 * 3) = 28/3 at range 2.
  const Interval interval = empirical_bernstein(moments_of({0, 1, 0, 1}), 2, 4 * std::exp(-6.0));
  const double tolerance = 64 * std::numeric_limits<double>::epsilon();

  CHECK(std::abs(interval.lo - (0.5 - 1 - 28.0 / 3)) <= tolerance);
  CHECK(std::abs(interval.hi - (0.5 + 1 + 28.0 / 3)) <= tolerance);
}

TEST_CASE("Moments that are not finite give an interval that contains no number", "[unit]") {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    const Moments moments = moments_of({0, 1, bad});
    for (const Interval& interval :
         {student(moments, kError), empirical_bernstein(moments, 1, kError), known_deviation(moments, 1, kError)}) {
      CHECK(!std::isfinite(interval.lo));
      CHECK(!std::isfinite(interval.hi));
      CHECK(!interval.contains(0.5));
    }
  }
}

TEST_CASE("Bad input of an interval is refused, a bad error with the interval's name", "[unit]") {
  const Moments none, one = moments_of({1}), two = moments_of({1, 2});

  CHECK_THROWS_WITH(clopper_pearson(1, 2, 0), Catch::Matchers::StartsWith("clopper_pearson: error is 0:"));
  CHECK_THROWS_WITH(student(two, 0), Catch::Matchers::StartsWith("student: error is 0:"));
  CHECK_THROWS_WITH(empirical_bernstein(two, 1, 0), Catch::Matchers::StartsWith("empirical_bernstein: error is 0:"));
  CHECK_THROWS_WITH(known_deviation(two, 1, 0), Catch::Matchers::StartsWith("known_deviation: error is 0:"));
  for (const double error : {1.0, -0.1, kNan}) {
    CHECK_THROWS_AS(clopper_pearson(1, 2, error), InputError);
    CHECK_THROWS_AS(student(two, error), InputError);
    CHECK_THROWS_AS(empirical_bernstein(two, 1, error), InputError);
    CHECK_THROWS_AS(known_deviation(two, 1, error), InputError);
  }
  CHECK_THROWS_AS(clopper_pearson(0, 0, kError), InputError);
  CHECK_THROWS_AS(clopper_pearson(3, 2, kError), InputError);
  CHECK_THROWS_AS(student(none, kError), InputError);
  CHECK_THROWS_AS(student(one, kError), InputError);
  CHECK_THROWS_AS(empirical_bernstein(one, 1, kError), InputError);
  CHECK_THROWS_AS(known_deviation(none, 1, kError), InputError);
  for (const double length : {-1.0, kNan, kInfinity}) {
    CHECK_THROWS_AS(empirical_bernstein(two, length, kError), InputError);
    CHECK_THROWS_AS(known_deviation(two, length, kError), InputError);
  }
  CHECK(student(two, kError).contains(1.5));
  CHECK(known_deviation(one, 1, kError).contains(1));
}
