#include "proofs_check/laws/exact_tails.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <ranges>
#include <vector>

#include "sim/number.hpp"
#include "sim/statistics/binomial_tails.hpp"

namespace skt {
namespace {

std::uint64_t count_of(double whole) {
  return static_cast<std::uint64_t>(whole);
}

// two_stage_deviation without the H beyond ten standard deviations of their mean, which have a probability below 1e-21
// (Hoeffding): a tail that is compared with delta needs no more, and a fifth of the terms.
double central_deviation(std::uint64_t tables, std::uint64_t samples, double t) {
  if (samples == 0) return two_stage_deviation(tables, samples, t);
  const double middle = 0.5 * real(tables), reach = 5 * std::sqrt(real(tables));
  double deviation = 0;
  for (std::uint64_t h = 0; h <= tables; ++h) {
    if (std::abs(real(h) - middle) > reach) continue;
    deviation += binomial_probability(h, tables, 0.5) * sign_mean_deviation(samples, real(h) / real(tables), t);
  }
  return deviation;
}

}  // namespace

double binomial_below(std::uint64_t n, double p, double x) {
  const double most = std::ceil(x * real(n)) - 1;  // the largest count strictly below
  return most < 0 ? 0 : binomial_at_most(count_of(most), n, p);
}

double binomial_deviation(std::uint64_t n, double p, double t) {
  const double least = std::floor((p + t) * real(n)) + 1;  // the smallest count strictly above
  return binomial_below(n, p, p - t) + binomial_at_least(count_of(least), n, p);
}

double sign_mean_deviation(std::uint64_t samples, double p, double t) {
  const double above = std::floor((1 + t) / 2 * real(samples)) + 1;
  return binomial_below(samples, p, (1 - t) / 2) + binomial_at_least(count_of(above), samples, p);
}

double two_stage_deviation(std::uint64_t tables, std::uint64_t samples, double t) {
  if (samples == 0) return binomial_deviation(tables, 0.5, t / 2);
  double deviation = 0;
  for (std::uint64_t h = 0; h <= tables; ++h)
    deviation += binomial_probability(h, tables, 0.5) * sign_mean_deviation(samples, real(h) / real(tables), t);
  return deviation;
}

double three_valued_sum_not_negative(double up, double down, std::uint64_t steps) {
  std::vector<double> law(2 * steps + 3), next(law);  // of the sums -steps - 1 .. steps + 1
  law[steps + 1] = 1;
  for (std::uint64_t step = 0; step < steps; ++step) {
    for (std::size_t i = 1; i + 1 < law.size(); ++i) {
      next[i] = (1 - up - down) * law[i] + up * law[i - 1] + down * law[i + 1];
    }
    law.swap(next);
  }
  return std::accumulate(law.begin() + std::ssize(law) / 2, law.end(), 0.0);
}

double two_stage_quantile(std::uint64_t tables, std::uint64_t samples, double delta) {
  // |T| = |2 k - n|/n for a count k of n: the multiples of 1/n of the parity of n. Asked a half of a step above one of
  // them, the tail does not depend on how the threshold is rounded.
  const std::uint64_t n = samples == 0 ? tables : samples;
  const auto multiple = [&](std::uint64_t step) { return real(n % 2 + 2 * step); };
  const auto too_likely = [&](std::uint64_t step) {
    return central_deviation(tables, samples, (multiple(step) + 0.5) / real(n)) > delta;
  };
  const auto steps = std::views::iota(std::uint64_t{0}, n / 2 + 1);
  return multiple(*std::ranges::partition_point(steps, too_likely)) / real(n);
}

}  // namespace skt
