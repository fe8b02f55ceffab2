#include "proofs_check/laws/exact_tails.hpp"

#include <cmath>
#include <numeric>
#include <vector>

#include "sim/number.hpp"
#include "sim/statistics/binomial_tails.hpp"

namespace skt {
namespace {

std::uint64_t count_of(double whole) {
  return static_cast<std::uint64_t>(whole);
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

}  // namespace skt
