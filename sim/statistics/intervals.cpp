#include "sim/statistics/intervals.hpp"

#include <fmt/format.h>

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

void require_error(const char* interval, double error) {
  require(error > 0 && error < 1, "{}: error is {}: allowed is above 0 and below 1", interval, error);
}

void require_samples(const char* interval, std::uint64_t samples, std::uint64_t least) {
  if (samples < least) {
    refuse("{}: {} samples: allowed are {} and more", interval, samples, least);
  }
}

void require_length(const char* interval, const char* name, double length) {
  require(length >= 0 && std::isfinite(length), "{}: {} is {}: allowed are 0 and more, finite", interval, name, length);
}

Interval around(double centre, double half_width) {
  return {centre - half_width, centre + half_width};
}

// Who asks again mostly asks for the same, and the quantile takes longer than a small sample.
double student_deviations(std::uint64_t samples, double error) {
  struct Asked {
    std::uint64_t samples = 0;
    double error = 0, deviations = 0;
  };
  thread_local Asked last;
  if (last.samples != samples || last.error != error)
    last = {samples, error, quantile(complement(boost::math::students_t(real(samples - 1)), error / 2))};
  return last.deviations;
}

}  // namespace

Interval clopper_pearson(std::uint64_t successes, std::uint64_t trials, double error) {
  require_error("clopper_pearson", error);
  require_samples("clopper_pearson", trials, 1);
  if (successes > trials) {
    refuse("clopper_pearson: {} successes: allowed are 0 to {}", successes, trials);
  }
  using Binomial = boost::math::binomial_distribution<double>;
  const double n = real(trials), k = real(successes);
  return {Binomial::find_lower_bound_on_p(n, k, error / 2), Binomial::find_upper_bound_on_p(n, k, error / 2)};
}

Interval student(const SampleSummary& samples, double error) {
  require_error("student", error);
  require_samples("student", samples.count, 2);
  return around(samples.mean, student_deviations(samples.count, error) * samples.deviation_of_mean());
}

Interval empirical_bernstein(const SampleSummary& samples, double range, double error) {
  require_error("empirical_bernstein", error);
  require_samples("empirical_bernstein", samples.count, 2);
  require_length("empirical_bernstein", "range", range);
  // Theorem 4 bounds one side with ln(2 / error); each side gets half of the error.
  const double log_term = std::log(4 / error);
  const double n = real(samples.count);
  const double by_variance = std::sqrt(2 * samples.variance * log_term / n);
  const double by_range = 7 * range * log_term / (3 * (n - 1));
  return around(samples.mean, by_variance + by_range);
}

Interval known_deviation(const SampleSummary& samples, double deviation, double error) {
  require_error("known_deviation", error);
  require_samples("known_deviation", samples.count, 1);
  require_length("known_deviation", "deviation", deviation);
  const double factor = quantile(complement(boost::math::normal(), error / 2));
  return around(samples.mean, factor * deviation / std::sqrt(real(samples.count)));
}

}  // namespace skt
