#include "tests/hypothesis_tests.hpp"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <limits>
#include <numeric>

#include "sim/number.hpp"
#include "sim/require.hpp"
#include "sim/statistics/binomial_tails.hpp"

namespace skt {
namespace {

constexpr double kLeastExpectedCount = 5;

void require_cells(const std::vector<std::uint64_t>& counts, const std::vector<double>& probabilities) {
  if (counts.size() != probabilities.size() || counts.size() < 2) {
    refuse("goodness of fit: {} counts and {} probabilities: allowed are 2 and more, as many of each", counts.size(),
           probabilities.size());
  }
  const double sum = std::accumulate(probabilities.begin(), probabilities.end(), 0.0);
  // One rounding of a number near 1 or below for each term of the sum and each probability itself.
  const double tolerance = 2 * real(counts.size()) * std::numeric_limits<double>::epsilon();
  require(std::abs(sum - 1) <= tolerance, "goodness of fit: the probabilities sum to {}: allowed is 1", sum);
}

}  // namespace

double binomial_p_value(std::uint64_t successes, std::uint64_t trials, double p) {
  if (trials == 0 || successes > trials) {
    refuse("binomial test: {} successes of {}: allowed are 0 to trials, of 1 and more", successes, trials);
  }
  const double smaller = std::min(binomial_at_most(successes, trials, p), binomial_at_least(successes, trials, p));
  return std::min(1.0, 2 * smaller);
}

double goodness_of_fit_p_value(const std::vector<std::uint64_t>& counts, const std::vector<double>& probabilities) {
  require_cells(counts, probabilities);
  const double total = real(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}));
  double statistic = 0;
  for (std::size_t cell = 0; cell < counts.size(); ++cell) {
    const double expected = total * probabilities[cell];
    require(expected >= kLeastExpectedCount, "goodness of fit: cell {} expects {} counts: allowed are {} and more",
            cell, expected, kLeastExpectedCount);
    const double excess = real(counts[cell]) - expected;
    statistic += excess * excess / expected;
  }
  return cdf(complement(boost::math::chi_squared(real(counts.size() - 1)), statistic));
}

}  // namespace skt
