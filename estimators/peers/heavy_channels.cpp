#include "estimators/peers/heavy_channels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {

std::vector<Index> heavy_channels(const Matrix& keys, const Matrix& calibration_queries, Index count) {
  if (count < 1 || count > keys.cols()) {
    refuse("heavy channels is {}: allowed are 1 to {}", count, keys.cols());
  }
  if (calibration_queries.rows() < 1) refuse("heavy channels need at least one calibration query");
  const Vector weight = calibration_queries.cwiseAbs().colwise().mean().cwiseProduct(keys.cwiseAbs().colwise().mean());
  std::vector<Index> order(keys.cols());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return weight(a) > weight(b); });
  order.resize(count);
  std::sort(order.begin(), order.end());
  return order;
}

HeavyChannels::HeavyChannels(const Matrix& keys, const Matrix& calibration_queries, Index count)
    : channels_(heavy_channels(keys, calibration_queries, count)), labels_(keys(Eigen::all, channels_)) {}

Vector HeavyChannels::scores(const Vector& query) const {
  return labels_ * query(channels_);
}

double HeavyChannels::bits_per_token() const {
  return 16.0 * real(channels_.size());
}

}  // namespace skt
