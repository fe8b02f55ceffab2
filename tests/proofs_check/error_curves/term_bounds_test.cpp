#include "proofs_check/error_curves/term_bounds.hpp"

#include "tests/numbers.hpp"

using namespace skt;

namespace {

// As in tests/proofs_check/laws/paper_error_bounds_test.cpp: Z = 2, Z_tau = 4, ||V|| = 3, epsilon = 1/8.
Centre centre_by_hand() {
  Centre centre;
  centre.angular_mass = 2;
  centre.population_mass = 4;
  centre.spectral_norm = 3;
  centre.epsilon = 0.125;
  return centre;
}

}  // namespace

TEST_CASE("The constants of the bounds are those of the centre, B the occupancy", "[unit]") {
  const BoundConstants c = bound_constants(centre_by_hand(), 8);

  CHECK(c.occupancy == 8);
  CHECK(c.angular_mass == 2);
  CHECK(c.population_mass == 4);
  CHECK(c.spectral_norm == 3);
  CHECK(c.epsilon == 0.125);
}

TEST_CASE("Half of delta is for the tables, half for the samples", "[unit]") {
  const Setting setting{.tables = 4, .samples = 2};

  // delta = 8/e: log(4/(delta/2)) = 1. delta = 4/e: log(2/(delta/2)) = 1.
  const TermBounds for_tables = term_bounds(centre_by_hand(), setting, 8, 8 * std::exp(-1.0));
  const TermBounds for_samples = term_bounds(centre_by_hand(), setting, 8, 4 * std::exp(-1.0));

  CHECK(near(for_tables.terms.finite_table, 9));  // 6 * 3/2
  CHECK(near(for_tables.required_tables, 8));     // 2 * 64/16
  CHECK(near(for_samples.terms.sampling, 6));     // 3 sqrt(8/2)
  CHECK(near(for_samples.terms.bias, 16 * (0.25 + std::sqrt(8.0) / 8) * 0.125 * 3));
}
