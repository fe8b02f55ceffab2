#include "proofs_check/occupancy.hpp"

#include <cmath>
#include <numbers>

#include "sim/families.hpp"
#include "sim/input_error.hpp"
#include "tests/catch.hpp"

using namespace skt;

TEST_CASE("A half-plane holds all keys of one direction and one side of opposite clusters", "[unit]") {
  Matrix keys(5, 2);
  keys << 1, 0, 1, 0, 2, 0, -1, 0, -3, 0;

  CHECK(largest_half_plane(keys.topRows(3)) == 3);
  CHECK(largest_half_plane(keys) == 3);
  CHECK(largest_half_plane(Matrix(0, 2)) == 0);
}

TEST_CASE("Of the corners of a regular polygon with n sides a half-plane holds n/2 or (n + 1)/2", "[unit]") {
  for (Index n = 3; n <= 9; ++n) {
    Matrix keys(n, 2);
    for (Index j = 0; j < n; ++j) {
      const double angle = 2 * std::numbers::pi * (static_cast<double>(j) + 0.1) / static_cast<double>(n);
      keys.row(j) << std::cos(angle), std::sin(angle);
    }
    // Opposite corners of an even polygon are antipodal only up to rounding: either may be counted.
    CHECK(largest_half_plane(keys) >= (n + 1) / 2);
    CHECK(largest_half_plane(keys) <= n / 2 + 1);
  }
}

TEST_CASE("No sampled half-plane holds more keys than the largest, and some sample attains it", "[unit]") {
  const Instance instance = make_instance({.keys = 12, .dim = 2}, Seed{5}, 0);
  const Index largest = largest_half_plane(instance.keys);

  Index seen = 0;
  for (int step = 0; step < 3600; ++step) {
    const double angle = 2 * std::numbers::pi * (step + 0.5) / 3600;
    const Vector w = (Vector(2) << std::cos(angle), std::sin(angle)).finished();
    seen = std::max(seen, static_cast<Index>(((instance.keys * w).array() > 0).count()));
  }

  CHECK(seen == largest);
}

TEST_CASE("Dimensions other than 2 are refused", "[unit]") {
  CHECK_THROWS_AS(largest_half_plane(Matrix::Ones(2, 3)), InputError);
}
