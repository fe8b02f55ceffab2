#include "sim/statistics/slope.hpp"

#include "tests/hypothesis_tests.hpp"
#include "tests/numbers.hpp"
#include "tests/sim/statistics/repetitions.hpp"

using namespace skt;

namespace {

constexpr std::uint32_t kCurves = 2000;
// Relative deviations that differ between the points, small enough that the bias of the logarithm, half their
// square, is below 1/100 of them.
constexpr double kDeviations[] = {0.005, 0.02, 0.01, 0.01, 0.005, 0.02, 0.01};

// y = 3 x^-1/2 at x = 16 .. 1024, with normal errors of kDeviations * true_to_stated.
std::vector<CurvePoint> noisy_curve(std::uint32_t run, double true_to_stated) {
  std::vector<CurvePoint> points;
  const std::vector<double> noise = test_normals(5, run, std::size(kDeviations));
  for (std::size_t i = 0; i < noise.size(); ++i) {
    const double x = std::ldexp(16, static_cast<int>(i));
    const double y = 3 / std::sqrt(x);
    points.push_back({x, y * (1 + true_to_stated * kDeviations[i] * noise[i]), y * kDeviations[i]});
  }
  return points;
}

double slope_miss_p_value(double claimed_slope, double true_to_stated) {
  const std::uint64_t misses = count_hits(kCurves, [&](std::uint32_t run) {
    return !log_log_slope(noisy_curve(run, true_to_stated), kError).interval.contains(claimed_slope);
  });
  return binomial_p_value(misses, kCurves, kError);
}

}  // namespace

TEST_CASE("The slope of an exact power law is its exponent", "[unit]") {
  std::vector<CurvePoint> points;
  for (const double x : {1.0, 2.0, 5.0, 100.0}) points.push_back({x, 7 * std::pow(x, -0.5), 0.01 * x});
  const LogLogSlope fit = log_log_slope(points, kError);

  // Logarithms up to 5 err by a rounding each, over a spread of the order of 1.
  CHECK(std::abs(fit.slope + 0.5) <= 64 * kEpsilon);
}

TEST_CASE("Two points give the slope between them", "[unit]") {
  // Relative deviations 0.03 and 0.04 over a factor e: deviation sqrt(0.03^2 + 0.04^2) = 0.05.
  const LogLogSlope fit = log_log_slope({{1, 1, 0.03}, {std::exp(1.0), std::exp(2.0), 0.04 * std::exp(2.0)}}, kError);

  CHECK(std::abs(fit.slope - 2) <= 64 * kEpsilon);
  CHECK(std::abs(fit.deviation - 0.05) <= 64 * kEpsilon);
  CHECK(std::abs(fit.interval.width() - 2 * 1.959963984540054 * 0.05) <= 64 * kEpsilon);
}

TEST_CASE("Three points give a fit that can be worked by hand", "[unit]") {
  // Logarithms (0, 0), (1, 0.3), (2, 0), each +- 0.1: slope 0.
  const double e = std::exp(1.0), high = std::exp(0.3);
  const LogLogSlope fit = log_log_slope({{1, 1, 0.1}, {e, high, 0.1 * high}, {e * e, 1, 0.1}}, kError);

  CHECK(std::abs(fit.slope) <= 64 * kEpsilon);
  CHECK(std::abs(fit.deviation - 0.1 / std::sqrt(2.0)) <= 64 * kEpsilon);
}

TEST_CASE("The slope's interval contains the exponent with its probability", "[unit]") {
  CHECK(slope_miss_p_value(-0.5, 1) > kFailure);
}

TEST_CASE("The coverage of the slope finds a lie", "[unit]") {
  CHECK(slope_miss_p_value(-0.505, 1) <= kFailure);
  CHECK(slope_miss_p_value(-0.495, 1) <= kFailure);
  CHECK(slope_miss_p_value(-0.5, 1.3) <= kFailure);
  CHECK(slope_miss_p_value(-0.5, 0.7) <= kFailure);
}

TEST_CASE("Bad points are refused", "[unit]") {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  const CurvePoint good{1, 1, 0.1};
  CHECK_THROWS_AS(log_log_slope({}, kError), InputError);
  CHECK_THROWS_AS(log_log_slope({good}, kError), InputError);
  CHECK_THROWS_AS(log_log_slope({good, {1, 2, 0.1}}, kError), InputError);
  for (const double bad : {0.0, -1.0, nan, infinity}) {
    CHECK_THROWS_AS(log_log_slope({good, {bad, 1, 1}}, kError), InputError);
    CHECK_THROWS_AS(log_log_slope({good, {2, bad, 1}}, kError), InputError);
    CHECK_THROWS_AS(log_log_slope({good, {2, 1, bad}}, kError), InputError);
  }
  for (const double error : {0.0, 1.0, 1.5, nan}) CHECK_THROWS_AS(log_log_slope({good, {2, 1, 1}}, error), InputError);
}
