#include "proofs_check/laws/paper_error_bounds.hpp"

#include "tests/numbers.hpp"

using namespace skt;

namespace {

// A few roundings of a formula with fewer than ten operations.

const double kE4 = 4 * std::exp(-1.0);  // log(4/delta) = 1
const double kE2 = 2 * std::exp(-1.0);  // log(2/delta) = 1

}  // namespace

TEST_CASE("With log terms equal to one the bounds are the numbers worked out by hand", "[unit]") {
  // B = 8, Z = 2, Z_tau = 4, ||V|| = 3, epsilon = 1/8.
  const BoundConstants c{8, 2, 4, 3, 0.125};

  CHECK(near(hoeffding_radius(6, 2, kE2), 3));         // 6 sqrt(1/4)
  CHECK(near(vector_hoeffding_radius(6, 2, kE2), 6));  // 6 sqrt(2/2)
  CHECK(near(normaliser_bound(c, 2, kE4), 4));         // 8 sqrt(1/4)
  CHECK(near(numerator_bound(c, 4, kE4), 12));         // 2*3*sqrt(16)*sqrt(1/4)
  CHECK(near(required_tables(c, kE4), 8));             // 2*64/16
  CHECK(near(finite_table_constant(c), 6));            // 4*4/4 + sqrt(2)*8*sqrt(8)/16 = 4 + 2
  CHECK(near(finite_table_bound(c, 4, kE4), 9));       // 6*3/2
  CHECK(near(sampling_bound(c, 2, kE2), 6));           // 3 sqrt(8/2)
  CHECK(near(bias_bound(c), 16 * (0.25 + std::sqrt(8.0) / 8) * 0.125 * 3));
}

TEST_CASE("The mended Lemma 11 is the number worked out by hand, and attained by two opposite keys", "[unit]") {
  // Tables of fullest buckets 3 and 5 with 1 - p = 1/2 and 1/4, equally probable: E[B (1 - p)] = (3/2 + 5/4)/2 = 11/8.
  CHECK(near(repaired_bias_bound(1.375, 5.5, 4), 2));  // 2 * 11/8 / (11/2) * 4

  // One key along the query with value +v, one against it with -v: a = (1, 0), a_tau = (1 - e, e), B = Z_tau = 1.
  const double e = 0.375, v = 3;
  CHECK(near(repaired_bias_bound(1 * e, 1, v), std::abs((1 - e) * v - e * v - v)));
  CHECK(near(repaired_bias_bound(1 * e, 1, 1), std::abs(1 - e - 1) + std::abs(e)));
}

TEST_CASE("With one occupancy for all tables the mended Lemma 11 is below the printed one", "[unit]") {
  // Z = Z_tau = B = 2 and two orthogonal values of norm 3, so |V| = 3: 4 e (1/2 + sqrt(2)/4) * 3 against 2 e * 3.
  const BoundConstants c{2, 2, 2, 3, 0.5};

  CHECK(near(repaired_bias_bound(c.occupancy * c.epsilon, c.population_mass, 3), 3));
  CHECK(near(bias_bound(c), 3 * (1 + std::sqrt(2.0) / 2)));
}

TEST_CASE("Lemma 9 is eq. (23) with the two bounds of Lemma 8 put in", "[unit]") {
  const BoundConstants c{7, 0.3, 2.5, 1.7, 0.4};
  const double tables = 60;
  const double delta = 0.03;

  const double eq23 = 2 / c.population_mass * numerator_bound(c, tables, delta) +
                      2 * c.spectral_norm * std::sqrt(c.occupancy) / (c.population_mass * c.population_mass) *
                          normaliser_bound(c, tables, delta);

  CHECK(near(finite_table_bound(c, tables, delta), eq23));
}

TEST_CASE("Lemma 10 is the vector Hoeffding radius of vectors of norm 2||V||", "[unit]") {
  const BoundConstants c{7, 0.3, 2.5, 1.7, 0.4};

  CHECK(near(sampling_bound(c, 40, 0.01), vector_hoeffding_radius(2 * c.spectral_norm, 40, 0.01)));
}

TEST_CASE("At the required number of tables the normaliser bound is half of Z_tau", "[unit]") {
  const BoundConstants c{7, 0.3, 2.5, 1.7, 0.4};
  const double delta = 1e-4;

  CHECK(near(normaliser_bound(c, required_tables(c, delta), delta), c.population_mass / 2));
}

TEST_CASE("Theorem 12 is the sum of its three terms", "[unit]") {
  const BoundConstants c{2, 0.5, 0.7, 1.2, 0.25};

  const ErrorTerms terms = end_to_end_bound(c, 100, 50, 0.02, 0.04);

  CHECK(terms.sampling == sampling_bound(c, 50, 0.04));
  CHECK(terms.finite_table == finite_table_bound(c, 100, 0.02));
  CHECK(terms.bias == bias_bound(c));
  CHECK(terms.total() == terms.sampling + terms.finite_table + terms.bias);
}
