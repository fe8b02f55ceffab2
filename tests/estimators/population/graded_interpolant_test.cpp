#include "estimators/population/graded_interpolant.hpp"

#include <atomic>

#include "tests/numbers.hpp"

using namespace skt;

namespace {

// The largest relative error at points that are dense on every scale down to 1e-9.
template <class F>
double largest_error(const GradedInterpolant& interpolant, F&& f, double end) {
  double largest = std::abs(interpolant(0) / f(0) - 1);
  for (double x = end; x > 1e-9 * end; x *= 0.983) largest = std::fmax(largest, std::abs(interpolant(x) / f(x) - 1));
  return largest;
}

}  // namespace

TEST_CASE("A polynomial below degree 22 is reproduced up to rounding", "[unit]") {
  const auto f = [](double x) { return 1 + x * x * x + 5 * std::pow(x, 21); };
  const GradedInterpolant interpolant(f, 1, 1);

  CHECK(largest_error(interpolant, f, 1) <= 1e-13);
  CHECK(interpolant.relative_error() <= 1e-13);
}

TEST_CASE("A bend of width 1e-6 is resolved by panels that start there", "[unit]") {
  const auto f = [](double x) { return std::hypot(x, 1e-6); };  // singular at +-1e-6 i
  const GradedInterpolant interpolant(f, 1e-6, 2);

  CHECK(largest_error(interpolant, f, 2) <= 1e-13);
  CHECK(interpolant.relative_error() <= 1e-13);
}

TEST_CASE("The error that it reports finds a first panel that is too wide", "[unit]") {
  const auto f = [](double x) { return std::hypot(x, 1e-6); };
  const GradedInterpolant coarse(f, 1, 2);

  CHECK(coarse.relative_error() > 1e-3);
}

TEST_CASE("The first panel is the largest end / 2^k that is not above the width asked for", "[unit]") {
  // 22 samples and 4 checks to a panel; end 1: widths 1, 1/2 and 1/4 make 1, 2 and 3 panels.
  const auto samples_of = [](double first_width) {
    std::atomic<int> samples = 0;
    const GradedInterpolant interpolant([&](double) { return ++samples, 1.0; }, first_width, 1);
    return samples.load();
  };

  CHECK(samples_of(1.0) == 26);
  CHECK(samples_of(7.0) == 26);
  CHECK(samples_of(0.5) == 2 * 26);
  CHECK(samples_of(0.3) == 3 * 26);
}
