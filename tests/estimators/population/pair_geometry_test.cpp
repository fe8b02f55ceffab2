#include "estimators/population/pair_geometry.hpp"

#include "tests/numbers.hpp"

using namespace skt;

namespace {

PairGeometry geometry(double rho_i, double rho_j, double r) {
  return pair_geometry(Cosine::of(rho_i), Cosine::of(rho_j), Cosine::of(r));
}

bool within_rounding(double value, double exact) {
  return std::abs(value - exact) <= 1e-15 + 4e-15 * std::abs(exact);
}

}  // namespace

TEST_CASE("Three orthogonal vectors span a triangle of right angles", "[unit]") {
  const PairGeometry g = geometry(0, 0, 0);

  CHECK(within_rounding(g.sines, 1));
  CHECK(within_rounding(g.gamma, kPi / 2));
  CHECK(within_rounding(g.gamma_to_pi, kPi / 2));
  CHECK(within_rounding(g.half_difference, 0));
  CHECK(within_rounding(g.half_sum, 0));
  CHECK(within_rounding(g.cot_sum, 0));
}

TEST_CASE("The triangle of the cosines 3/5 and 4/5 is worked by hand", "[unit]") {
  // sines 4/5 * 3/5; cos(theta_i - theta_j) = 24/25, cos(theta_i + theta_j) = 0; cot 3/4 + 4/3.
  const PairGeometry right = geometry(0.6, 0.8, 0.48), sharp = geometry(0.6, 0.8, 0.48 + 0.24);

  CHECK(within_rounding(right.sines, 0.48));
  CHECK(within_rounding(right.gamma, kPi / 2));
  CHECK(within_rounding(right.half_difference, std::sqrt(0.02)));
  CHECK(within_rounding(right.half_sum, std::sqrt(0.5)));
  CHECK(within_rounding(right.cot_sum, 25.0 / 12));
  CHECK(within_rounding(sharp.gamma, kPi / 3));  // cos gamma = 0.24 / 0.48
  CHECK(within_rounding(sharp.gamma_to_pi, 2 * kPi / 3));
}

TEST_CASE("Keys in one plane with the query lie on one side of it or on both", "[unit]") {
  const PairGeometry same = geometry(0.5, 0.5, 1), opposite = geometry(0.5, 0.5, -0.5);

  CHECK(same.gamma == 0);
  CHECK(within_rounding(same.gamma_to_pi, kPi));
  CHECK(within_rounding(opposite.gamma, kPi));
  CHECK(opposite.gamma_to_pi == 0);
  CHECK(within_rounding(opposite.sines, 0.75));
  CHECK(within_rounding(opposite.half_sum, 0.5));  // cos(60 degrees)
  CHECK(within_rounding(opposite.cot_sum, 2 / std::sqrt(3.0)));
}

TEST_CASE("Three vectors within 1e-10 of each other span a flat triangle", "[unit]") {
  // Equal sides: angles of 60 degrees, up to the area of 1e-20.
  const Cosine near{1, 1e-20};

  const PairGeometry g = pair_geometry(near, near, near);

  CHECK(within_rounding(g.gamma, kPi / 3));
  CHECK(within_rounding(g.sines, 2e-20));
}

TEST_CASE("The two keys may be exchanged", "[unit]") {
  const PairGeometry one = geometry(0.9, -0.3, 0.1), other = geometry(-0.3, 0.9, 0.1);

  CHECK(one.gamma == other.gamma);
  CHECK(one.cot_sum == other.cot_sum);
  CHECK(one.half_difference == other.half_difference);
  CHECK(one.half_sum == other.half_sum);
}

TEST_CASE("A key along the query leaves no angle", "[unit]") {
  const PairGeometry g = geometry(1, 0.3, 0.3);

  CHECK(g.sines == 0);
  CHECK(g.gamma == 0);
  CHECK(std::isinf(g.cot_sum));
}

TEST_CASE("Cosines beyond the triangle inequality are refused, those at its edge are not", "[unit]") {
  CHECK_THROWS_AS(geometry(0.9, 0.9, -0.9), InputError);
  CHECK_THROWS_AS(geometry(1, 0.5, 0.6), InputError);
  CHECK_THROWS_AS(geometry(0.6, 0.8, 0.96 + 1e-12), InputError);
  CHECK_NOTHROW(geometry(0.6, 0.8, 0.96));
}
