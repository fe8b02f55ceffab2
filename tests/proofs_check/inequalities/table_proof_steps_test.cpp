#include "proofs_check/inequalities/table_proof_steps.hpp"

#include "tests/numbers.hpp"
#include "tests/proofs_check/inequalities/by_hand.hpp"

using namespace skt;

TEST_CASE("A step of the bias takes the population of the law, unless a mass vanishes", "[unit]") {
  // |w_tau - w|_1 = |.4375 - 1| + |.25 - .25| and E[B_l (1 - p_l)] = 3/4 * 1/2 + 1/4 * 2 * 3/4.
  const InequalitySides sides = of_population(weight_gap_1, twice_occupied_miss)(tables_by_hand());
  TableLaw nobody = tables_by_hand();
  nobody.collisions.setZero();

  CHECK(sides.left == 0.5625);
  CHECK(sides.right == 1.5);
  CHECK(sides.rounding == bias_case(tables_by_hand()).error());
  CHECK(of_population(weight_gap_1, twice_occupied_miss)(nobody).ratio() == 0);
}

TEST_CASE("Steps about single tables take the table of largest ratio", "[unit]") {
  const TableLaw law = tables_by_hand();

  CHECK(normaliser_sides(law).left == 0.75);  // 3/4 of 1 beats 1/2 of 2
  CHECK(normaliser_sides(law).right == 1);
  CHECK(near(square_sides(law).left, 5.0 / 16));  // 5/16 of 3/4 beats 1/8 of 1/2
  CHECK(square_sides(law).right == 0.75);
  CHECK(near(numerator_sides(law).left, std::sqrt(3.25)));  // against 4; the other 5/4 against 4 sqrt(2)
  CHECK(numerator_sides(law).right == 4);
}

TEST_CASE("Steps about means weigh the tables by their probabilities", "[unit]") {
  // n_tau = 3/4 (3/2, 1) + 1/4 (3/4, 1) = (21/16, 1); E|n| = 3/4 sqrt(13)/2 + 1/4 * 5/4.
  const TableLaw law = tables_by_hand();
  const double mean_norm = 0.75 * std::sqrt(13.0) / 2 + 5.0 / 16;

  CHECK(near(mean_numerator_sides(law).left, std::hypot(21.0 / 16, 1.0)));
  CHECK(near(mean_numerator_sides(law).right, mean_norm));
  CHECK(near(numerator_mean_sides(law).left, mean_norm));
  CHECK(near(numerator_mean_sides(law).right, 4 * std::sqrt(2.0)));
}

TEST_CASE("A table's numerator is compared with the mean and the largest bucket of all", "[unit]") {
  // n_0 - n_tau = (3/16, 0), n_1 - n_tau = (-9/16, 0).
  const TableLaw law = tables_by_hand();

  CHECK(near(deviation_sides(law).left, 9.0 / 16));
  CHECK(near(deviation_sides(law).right, 8 * std::sqrt(2.0)));
  CHECK(near(sharper_deviation_sides(law).left, 9.0 / 16));
  CHECK(near(sharper_deviation_sides(law).right, 8));
}

TEST_CASE("Masses inside and outside the query's bucket are compared with B(1 - p)", "[unit]") {
  // Table 0: inside 1 * 1/2, outside 1/4, |s - I| = 1/2 + 1/4; right sides 1/2, 1/2, 1.
  // Table 1: inside 2 * 3/4, outside 0, |s - I| = 3/4 + 3/4; right sides 3/2, 3/2, 3.
  const TableLaw law = tables_by_hand();

  CHECK(near(inside_sides(law).left, inside_sides(law).right));
  CHECK(near(outside_sides(law).left, 0.25));
  CHECK(near(outside_sides(law).right, 0.5));
  CHECK(near(distance_sides(law).left, 0.75));
  CHECK(near(distance_sides(law).right, 1));
}

TEST_CASE("What rounding can add is stated with each step, times |V| where values are summed", "[unit]") {
  const TableLaw law = tables_by_hand();

  CHECK(normaliser_sides(law).rounding == law.rounding());
  CHECK(numerator_sides(law).rounding == 4 * law.rounding());
  CHECK(deviation_sides(law).rounding == 8 * law.rounding());
  CHECK(distance_sides(law).rounding == law.rounding());
}
