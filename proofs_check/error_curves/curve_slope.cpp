#include "proofs_check/error_curves/curve_slope.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace skt {
namespace {

constexpr double kInverseRoot = -0.5;

// Told apart: the rate 1/2 and rates that differ from it by 0.02.
constexpr double kSlopeResolution = 0.02;

bool fit_allowed(const std::vector<FitPoint>& points) {
  return points.size() >= 2 && std::all_of(points.begin(), points.end(), [](const FitPoint& p) {
           return p.measured.x > 0 && p.measured.y > 0 && p.measured.deviation > 0;
         });
}

// The same weights on the exact values: what the fit would give without noise.
double exact_slope(const std::vector<FitPoint>& points, double error_share) {
  std::vector<CurvePoint> exact;
  for (const FitPoint& point : points) {
    if (!(point.exact > 0)) return std::numeric_limits<double>::quiet_NaN();
    exact.push_back({point.measured.x, point.exact, point.measured.deviation * point.exact / point.measured.y});
  }
  return log_log_slope(exact, error_share).slope;
}

Verdict judge_slope(const std::string& name, const LogLogSlope& fit, std::size_t points, double error_share) {
  Evidence evidence;
  evidence.instance = "sweep";
  evidence.quantity = "slope of " + name;
  evidence.observed = fit.interval;
  evidence.claimed = kInverseRoot;
  evidence.resolution = kSlopeResolution;
  evidence.trials = evidence.trials_in_scope = points;
  evidence.error_share = error_share;
  return judge(evidence);
}

}  // namespace

FitPoint fit_point(double value, const Moments& squares, double exact) {
  const double rms = std::sqrt(squares.mean());
  return {{value, rms, squares.deviation_of_mean() / (2 * rms)}, exact};
}

std::optional<CurveSlope> fit_slope(const std::string& name, SlopeTheory theory, const std::vector<FitPoint>& points,
                                    double error_share) {
  if (!fit_allowed(points)) return std::nullopt;
  std::vector<CurvePoint> measured;
  for (const FitPoint& point : points) measured.push_back(point.measured);
  const LogLogSlope fit = log_log_slope(measured, error_share);
  CurveSlope result{fit.slope, fit.interval, kInverseRoot, points.front().measured.x, std::nullopt};
  if (theory == SlopeTheory::inverse_root)
    result.verdict = judge_slope(name, fit, points.size(), error_share);
  else
    result.predicted = exact_slope(points, error_share);
  return result;
}

}  // namespace skt
