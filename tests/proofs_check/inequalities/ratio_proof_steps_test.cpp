#include "proofs_check/inequalities/ratio_proof_steps.hpp"

#include "tests/numbers.hpp"

using namespace skt;

namespace {

// Z~ = 2, n~ = (4, 0), so y_tauL = (2, 0); Z_tau = 4, n_tau = (0, 4), so y_tau = (0, 1). B = 4, |V| = 3.
DrawnRatio ratio_by_hand() {
  return {.drawn = {2, Vector{{4, 0}}, Vector{{2, 0}}},
          .population = {4, Vector{{0, 4}}, Vector{{0, 1}}},
          .occupancy = 4,
          .spectral_norm = 3};
}

}  // namespace

TEST_CASE("The gaps of a drawn ratio are those worked out by hand", "[unit]") {
  const DrawnRatio r = ratio_by_hand();

  CHECK(r.difference() == Vector{{2, -1}});
  CHECK(r.numerator_gap() == Vector{{4, -4}});
  CHECK(r.mass_gap() == 2);
  CHECK(r.rounding() == 16 * std::numeric_limits<double>::epsilon() * (4 + 2 * 4) * (0.5 + 0.25));
}

TEST_CASE("The sides of (22) and (23) are those worked out by hand", "[unit]") {
  const DrawnRatio r = ratio_by_hand();

  const InequalitySides triangle = triangle_sides(r), enough = enough_mass_sides(r);

  CHECK(near(triangle.left, std::sqrt(5.0)));
  CHECK(near(triangle.right, 4 * std::sqrt(2.0) / 2 + 4.0 * 2 / (2 * 4)));  // 2 sqrt(2) + 1
  CHECK(near(enough.left, std::sqrt(5.0)));
  CHECK(near(enough.right, 2.0 / 4 * 4 * std::sqrt(2.0) + 2.0 * 3 * 2 / 16 * 2));  // 2 sqrt(2) + 3/2
}

TEST_CASE("The instances of the steps are those worked out by hand", "[unit]") {
  const DrawnRatio scalars = opposite_scalars();
  CHECK(scalars.drawn.output(0) == 1);
  CHECK(near(scalars.population.output(0), 1.0 / 3));  // (1/2 - 1/4)/(3/4)
  CHECK(near(triangle_sides(scalars).left, triangle_sides(scalars).right));

  // Half of the mass: y = 1 against 1/20; 2/18 * 8.1 + 2 * 3 sqrt(19)/18^2 * 9.
  const DrawnRatio half = half_of_the_mass({});
  CHECK(near(half.drawn.normaliser, 9));
  CHECK(near(enough_mass_sides(half).left, 0.95));
  CHECK(near(enough_mass_sides(half).right, 0.9 + std::sqrt(19.0) / 6));

  // y = 1 against 1/1.99; 2 sqrt(2)/1.99^2 * .99.
  const DrawnRatio valued = half_with_all_values({});
  CHECK(near(valued.drawn.normaliser, 1));
  CHECK(near(enough_mass_sides(valued).left, 0.99 / 1.99));
  CHECK(near(enough_mass_sides(valued).right, 2 * std::sqrt(2.0) * 0.99 / (1.99 * 1.99)));
}

TEST_CASE("Scalar values of opposite sign give equality in (22)", "[unit]") {
  // Scores (1, 0) and (1/2, 1/2) of values +1 and -1: y = 1 and 0; numerator gap 1, mass gap 0.
  const TableLaw law{.probability = Vector{{0.5, 0.5}},
                     .scores = Matrix{{1, 0}, {0, 1}},
                     .collisions = Matrix{{1, 0}, {0, 1}},
                     .own = Vector{{1, 1}},
                     .missed = Vector{{0, 0}},
                     .fullest = Vector{{1, 2}},
                     .values = Matrix{{1}, {-1}},
                     .signal = Matrix::Zero(2, 1),
                     .temperature = 1,
                     .logit_error = 0,
                     .spectral = std::sqrt(2.0)};

  const DrawnRatio r = drawn_ratio(law, 0);

  CHECK(r.drawn.output(0) == 1);
  CHECK(r.population.output(0) == 0);
  CHECK(r.occupancy == 2);
  CHECK(r.spectral_norm == std::sqrt(2.0));
  CHECK(triangle_sides(r).left == triangle_sides(r).right);
}
