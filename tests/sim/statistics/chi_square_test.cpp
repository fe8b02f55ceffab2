#include "sim/statistics/chi_square.hpp"

#include <cmath>
#include <limits>

#include "sim/require.hpp"
#include "tests/catch.hpp"
#include "tests/constants.hpp"

using namespace skt;

TEST_CASE("The chi-square tail of two degrees is an exponential", "[unit]") {
  for (const double x : {0.0, 0.1, 1.0, 30.0, 600.0}) {
    // The exponent's rounding, and Boost's stated 100 epsilon.
    CHECK(std::abs(chi_square_p_value(x, 2) - std::exp(-x / 2)) <= (100 + x) * kEpsilon * std::exp(-x / 2));
    // One degree: the square of a normal number.
    const double normal = std::erfc(std::sqrt(x / 2));
    CHECK(std::abs(chi_square_p_value(x, 1) - normal) <= (100 + x) * kEpsilon * normal);
  }
  CHECK(chi_square_p_value(std::numeric_limits<double>::infinity(), 3) == 0);
}

TEST_CASE("A statistic below 0 or degrees of freedom not above it are refused", "[unit]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();

  CHECK_THROWS_AS(chi_square_p_value(nan, 1), InputError);
  CHECK_THROWS_AS(chi_square_p_value(-1, 1), InputError);
  CHECK_THROWS_AS(chi_square_p_value(1, 0), InputError);
  CHECK_THROWS_AS(chi_square_p_value(1, nan), InputError);
}
