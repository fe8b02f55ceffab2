#include "proofs_check/laws/exact_quantiles.hpp"

#include <algorithm>
#include <cmath>
#include <ranges>

#include "proofs_check/laws/exact_tails.hpp"
#include "sim/number.hpp"
#include "sim/statistics/binomial_tails.hpp"

namespace skt {
namespace {

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
