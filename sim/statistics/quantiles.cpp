#include "sim/statistics/quantiles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <ranges>

#include "sim/number.hpp"
#include "sim/require.hpp"
#include "sim/statistics/binomial_tails.hpp"

namespace skt {
namespace {

void require_sample(const std::vector<double>& sample, double level) {
  if (sample.empty()) refuse("quantile: the sample is empty: allowed are 1 number and more");
  if (!std::ranges::all_of(sample, [](double x) { return std::isfinite(x); })) {
    refuse("quantile: the sample holds NaN or infinity: allowed are finite numbers");
  }
  require(level >= 0 && level <= 1, "quantile: level is {}: allowed are 0 to 1", level);
}

// The first k in 0 .. last + 1 for which holds(k) is false, where it is true and then false.
template <class Predicate>
std::uint64_t first_false(std::uint64_t last, Predicate holds) {
  const auto candidates = std::views::iota(std::uint64_t{0}, last + 1);
  return static_cast<std::uint64_t>(std::ranges::partition_point(candidates, holds) - candidates.begin());
}

}  // namespace

double sample_quantile(std::vector<double> sample, double level) {
  require_sample(sample, level);
  std::ranges::sort(sample);
  const double position = level * real(sample.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const double share = position - real(below);
  if (share == 0) return sample[below];
  return sample[below] + share * (sample[below + 1] - sample[below]);
}

Interval quantile_interval(std::vector<double> sample, double level, double error) {
  require_sample(sample, level);
  require(error > 0 && error < 1, "quantile_interval: error is {}: allowed is above 0 and below 1", error);
  std::ranges::sort(sample);
  const std::uint64_t n = sample.size();
  // With order statistics X_(1) <= .. <= X_(n) and the quantile x: X_(r) > x needs at most r - 1 samples <= x, and
  // X_(s) < x at least s samples < x. Each end may err with half of the error.
  const std::uint64_t r = first_false(n, [&](std::uint64_t k) { return binomial_at_most(k, n, level) <= error / 2; });
  const std::uint64_t s = first_false(n, [&](std::uint64_t k) { return binomial_at_least(k, n, level) > error / 2; });
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return {r == 0 ? -kInfinity : sample[r - 1], s > n ? kInfinity : sample[s - 1]};
}

}  // namespace skt
