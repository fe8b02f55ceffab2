#include "proofs_check/error_curves/curve_slope.hpp"

#include "tests/numbers.hpp"

using namespace skt;

namespace {

// 5 x^power at 1, 4, 16 with a relative deviation, beside the exact values x^exact_power.
std::vector<FitPoint> power_law(double power, double deviation, double exact_power = 0) {
  std::vector<FitPoint> points;
  for (const double x : {1.0, 4.0, 16.0}) {
    const double y = 5 * std::pow(x, power);
    points.push_back({{x, y, deviation * y}, std::pow(x, exact_power)});
  }
  return points;
}

}  // namespace

TEST_CASE("An exact power law has its power as slope", "[unit]") {
  const auto fit = fit_slope("sampling", SlopeTheory::inverse_root, power_law(-0.5, 1e-4), 0.01);

  REQUIRE(fit.has_value());
  CHECK(std::abs(fit->slope + 0.5) <= 1e-14);
  CHECK(fit->predicted == -0.5);
  CHECK(fit->first_value == 1);
  CHECK(fit->verdict == Verdict::not_refuted);
}

TEST_CASE("Another rate than the inverse root is refuted, and a wide interval decides nothing", "[mutant]") {
  const auto verdict = [](double power, double deviation) {
    return fit_slope("finite-tables", SlopeTheory::inverse_root, power_law(power, deviation), 0.01)->verdict;
  };

  CHECK(verdict(-0.48, 1e-4) == Verdict::refuted);
  CHECK(verdict(-0.52, 1e-4) == Verdict::refuted);
  // The slope over log 16 with the weights of three points has deviation 0.1/(sqrt 2 log 4), far above 0.02.
  CHECK(verdict(-0.5, 0.1) == Verdict::inconclusive);
}

TEST_CASE("Without a theory the slope is beside that of the exact values, and not judged", "[unit]") {
  std::vector<FitPoint> points = power_law(-0.4, 1e-3, -1);
  const auto fit = fit_slope("total", SlopeTheory::exact_values, points, 0.01);
  points.back().exact = kNan;
  const auto unknown = fit_slope("total", SlopeTheory::exact_values, points, 0.01);

  CHECK(std::abs(fit->slope + 0.4) <= 1e-14);
  CHECK(std::abs(fit->predicted + 1) <= 1e-14);
  CHECK(!fit->verdict.has_value());
  CHECK(std::isnan(unknown->predicted));
}

TEST_CASE("The exact values have the weights of the measured ones, by their relative deviations", "[unit]") {
  // ln x = 0, 1, 2 and ln exact = 0, 0, 3 with weights 4 : 1 : 1. Means .5 and .5, spread 1 + .25 + 2.25 = 3.5,
  // covariation 1 - .25 + 3.75 = 4.5. Equal weights would give 3/2.
  const double e = std::exp(1.0);
  const std::vector<FitPoint> points{{{1, 7, 0.01 * 7}, 1}, {{e, 5, 0.02 * 5}, 1}, {{e * e, 2, 0.02 * 2}, e * e * e}};

  const auto fit = fit_slope("total", SlopeTheory::exact_values, points, 0.01);

  REQUIRE(fit.has_value());
  CHECK(fit->predicted == Approx(9.0 / 7).epsilon(1e-13));
}

TEST_CASE("No line is put through one point, or through one without logarithm or deviation", "[unit]") {
  const auto fitted = [](const std::vector<FitPoint>& points) {
    return fit_slope("total", SlopeTheory::exact_values, points, 0.01).has_value();
  };
  std::vector<FitPoint> zero = power_law(-0.5, 1e-3), sure = zero, unknown = zero;
  zero.back().measured.y = 0;
  sure.back().measured.deviation = 0;
  unknown.back().measured.y = kNan;

  CHECK(!fitted({power_law(-0.5, 1e-3).front()}));
  CHECK(!fitted(zero));
  CHECK(!fitted(sure));
  CHECK(!fitted(unknown));
  CHECK(fitted(power_law(-0.5, 1e-3)));
  CHECK(fitted({{{0.25, 0.5, 0.01}, 1}, {{0.5, 0.25, 0.01}, 1}}));  // numbers below 1 have logarithms too
}

TEST_CASE("A point is the root of the mean square, with half of its relative deviation", "[unit]") {
  Moments squares;
  for (const double square : {1.0, 7.0}) squares.add(square);  // mean 4, deviation of the mean 3

  const FitPoint point = fit_point(16, squares, 2.5);

  CHECK(point.measured.x == 16);
  CHECK(point.measured.y == 2);
  CHECK(std::abs(point.measured.deviation - 0.75) <= 1e-15);
  CHECK(point.exact == 2.5);
}
