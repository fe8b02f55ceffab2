#include "proofs_check/inequalities/sampling_summands.hpp"

#include "tests/numbers.hpp"

using namespace skt;

namespace {

// a = (1/4, 3/4), |v| = (3, 1): S1 = 3/2, p = (1/2, 1/2), X = 3/2 e_1 or 3/2 e_2, y = (3/4, 3/4), |V|_2 = 3.
SamplingSummands summands_by_hand() {
  return {Vector{{1, 3}}, Matrix{{3, 0}, {0, 1}}};
}

}  // namespace

TEST_CASE("Weights are normalised, and the sums over them are those worked out by hand", "[unit]") {
  const SamplingSummands s = summands_by_hand();

  CHECK(s.weights == Vector{{0.25, 0.75}});
  CHECK(s.norms == Vector{{3, 1}});
  CHECK(near(s.total, 1.5));
  CHECK(near(s.spectral, 3));
  CHECK(near(s.output(0), 0.75));
  CHECK(near(s.output(1), 0.75));
}

TEST_CASE("Every summand has the length S1", "[unit]") {
  const SamplingSummands s = summands_by_hand();

  CHECK(near(s.draw(0)(0), 1.5));
  CHECK(s.draw(0)(1) == 0);
  CHECK(s.draw(1)(0) == 0);
  CHECK(near(s.draw(1)(1), 1.5));
}

TEST_CASE("The sides of (26) to (29) are those worked out by hand", "[unit]") {
  const SamplingSummands s = summands_by_hand();

  CHECK(near(output_sides(s).left, 0.75 * std::sqrt(2.0)));
  CHECK(near(output_sides(s).right, 1.5));
  CHECK(near(centred_sides(s).left, 0.75 * std::sqrt(2.0)));  // (3/2, 0) - (3/4, 3/4)
  CHECK(near(centred_sides(s).right, 3));
  CHECK(near(value_sides(s).left, 3));
  CHECK(near(value_sides(s).right, 3));
  CHECK(near(total_sides(s).left, 1.5));
  CHECK(near(total_sides(s).right, 3));
  CHECK(near(total_sides(s).rounding, 3 * kSummandRounding));
}

TEST_CASE("Of the draws the one farthest from y counts", "[unit]") {
  // a = (1/4, 3/4), v = (1, -1): S1 = 1, y = -1/2, X = 1 or -1: distances 3/2 and 1/2.
  const SamplingSummands s{Vector{{1, 3}}, Matrix{{1}, {-1}}};

  CHECK(near(centred_sides(s).left, 1.5));
  CHECK(near(centred_sides(s).right, 2));
}
