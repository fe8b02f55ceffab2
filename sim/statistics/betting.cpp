#include "sim/statistics/betting.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {

double log_capital_against(double m, std::span<const double> samples, double error) {
  // Mean and variance before any sample, worth one sample: those of a fair coin.
  double sum = 0.5, squares = 0.25, capital = 0, product = 1;  // a logarithm for each bet would take most of the time
  const double best = 2 * std::log(1 / error) / real(samples.size());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double y = samples[i], variance = squares / real(i + 1);
    const double bet = std::min(std::sqrt(best / variance), kMostStaked / (1 - m));
    product *= 1 - bet * (y - m);  // from .05 to 1e16
    if (product < 1e-200 || product > 1e200) capital += std::log(std::exchange(product, 1.0));
    sum += y;
    const double off = y - sum / real(i + 2);
    squares += off * off;
  }
  return capital + std::log(product);
}

double mean_limit_by_betting(std::span<const double> samples, double error) {
  require(error > 0 && error < 1, "betting: error is {}: allowed is above 0 and below 1", error);
  if (samples.empty()) refuse("betting: 0 samples: allowed are 1 and more");
  for (std::size_t i = 0; i < samples.size(); ++i)
    require(samples[i] >= 0 && samples[i] <= 1, "betting: sample {} is {}: allowed are 0 to 1", i, samples[i]);
  const double enough = std::log(1 / error);
  double open = 0, refuted = 1;
  if (log_capital_against(std::nextafter(1.0, 0.0), samples, error) < enough) return 1;
  constexpr int kHalvings = 60;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (open + refuted) / 2;
    (log_capital_against(middle, samples, error) >= enough ? refuted : open) = middle;
  }
  return refuted;
}

}  // namespace skt
