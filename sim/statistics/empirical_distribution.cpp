#include "sim/statistics/empirical_distribution.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {

std::vector<ValueCount> counted(std::vector<double> values) {
  for (double& value : values)
    if (std::isnan(value)) value = std::numeric_limits<double>::infinity();
  std::sort(values.begin(), values.end());
  std::vector<ValueCount> counts;
  for (const double value : values) {
    if (counts.empty() || counts.back().value != value) counts.push_back({value, 0});
    ++counts.back().count;
  }
  return counts;
}

double distribution_band(std::uint64_t trials, double error) {
  require(trials > 0, "a band of no trial: allowed is 1 and more");
  require(error > 0 && error < 1, "a band with error {}: allowed is above 0 and below 1", error);
  return std::sqrt(std::log(2 / error) / (2 * real(trials)));
}

}  // namespace skt
