#include "sim/statistics/betting.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

// What would be best to bet on each sample, whatever the mean.
std::vector<double> best_bets(std::span<const double> samples, double error) {
  std::vector<double> bets;
  double sum = 0.5, squares = 0.25;  // worth one sample: mean and variance of a fair coin
  const double best = 2 * std::log(1 / error) / real(samples.size());
  for (const double y : samples) {
    const double before = real(bets.size() + 1);
    bets.push_back(std::sqrt(best / (squares / before)));
    sum += y;
    const double off = y - sum / (before + 1);
    squares += off * off;
  }
  return bets;
}

double log_capital(double m, std::span<const double> samples, std::span<const double> bets) {
  double capital = 0, product = 1;  // a logarithm for each bet would take most of the time
  const double most = kMostStaked / (1 - m);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    product *= 1 - std::min(bets[i], most) * (samples[i] - m);  // from .05 to 1e16
    if (product < 1e-200 || product > 1e200) capital += std::log(std::exchange(product, 1.0));
  }
  return capital + std::log(product);
}

}  // namespace

double log_capital_against(double m, std::span<const double> samples, double error) {
  return log_capital(m, samples, best_bets(samples, error));
}

double mean_limit_by_betting(std::span<const double> samples, double error) {
  require(error > 0 && error < 1, "betting: error is {}: allowed is above 0 and below 1", error);
  if (samples.empty()) refuse("betting: 0 samples: allowed are 1 and more");
  for (std::size_t i = 0; i < samples.size(); ++i)
    require(samples[i] >= 0 && samples[i] <= 1, "betting: sample {} is {}: allowed are 0 to 1", i, samples[i]);
  const double enough = std::log(1 / error);
  const std::vector<double> bets = best_bets(samples, error);
  double open = 0, refuted = 1;
  if (log_capital(std::nextafter(1.0, 0.0), samples, bets) < enough) return 1;
  constexpr int kHalvings = 60;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (open + refuted) / 2;
    (log_capital(middle, samples, bets) >= enough ? refuted : open) = middle;
  }
  return refuted;
}

}  // namespace skt
