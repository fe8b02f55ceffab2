#include "sim/statistics/slope.hpp"

#include <fmt/format.h>

#include <boost/math/distributions/normal.hpp>
#include <cmath>

#include "sim/require.hpp"

namespace skt {
namespace {

bool is_positive(double number) {
  return number > 0 && std::isfinite(number);
}

void require_points(const std::vector<CurvePoint>& points) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    const CurvePoint& point = points[i];
    if (!is_positive(point.x) || !is_positive(point.y) || !is_positive(point.deviation)) {
      refuse("log_log_slope: point {} is ({}, {} +- {}): allowed are finite numbers above 0", i, point.x, point.y,
             point.deviation);
    }
  }
  for (const CurvePoint& point : points) {
    if (point.x != points.front().x) return;
  }
  refuse("log_log_slope: fewer than two different x");
}

struct LogPoint {
  double x, y, weight;
};

std::vector<LogPoint> logarithms(const std::vector<CurvePoint>& points) {
  std::vector<LogPoint> logs;
  for (const CurvePoint& point : points) {
    const double deviation = point.deviation / point.y;
    logs.push_back({std::log(point.x), std::log(point.y), 1 / (deviation * deviation)});
  }
  return logs;
}

}  // namespace

LogLogSlope log_log_slope(const std::vector<CurvePoint>& points, double error) {
  require_points(points);
  require(error > 0 && error < 1, "log_log_slope: error is {}: allowed is above 0 and below 1", error);
  const std::vector<LogPoint> logs = logarithms(points);
  double weight = 0, mean_x = 0, mean_y = 0;
  for (const LogPoint& p : logs) weight += p.weight, mean_x += p.weight * p.x, mean_y += p.weight * p.y;
  mean_x /= weight, mean_y /= weight;
  double spread = 0, covariation = 0;
  for (const LogPoint& p : logs) {
    spread += p.weight * (p.x - mean_x) * (p.x - mean_x);
    covariation += p.weight * (p.x - mean_x) * (p.y - mean_y);
  }
  LogLogSlope fit;
  fit.slope = covariation / spread;
  fit.deviation = 1 / std::sqrt(spread);
  const double half_width = quantile(complement(boost::math::normal(), error / 2)) * fit.deviation;
  fit.interval = {fit.slope - half_width, fit.slope + half_width};
  return fit;
}

}  // namespace skt
