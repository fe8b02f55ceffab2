#include "proofs_check/inequalities/table_law.hpp"

#include "proofs_check/rounding.hpp"
#include "tests/numbers.hpp"
#include "tests/proofs_check/inequalities/by_hand.hpp"

using namespace skt;

namespace {

// One table of the planes e_1, e_2; the query falls into the bucket (1, 0), as do keys 0 and 3.
const Instance kInstance{"four keys", Vector{{1, -1}}, Matrix{{1, -1}, {1, 1}, {-1, -1}, {2, -3}},
                         Matrix{{3, 0}, {0, 1}, {0, 1}, {4, 0}}};
const Hyperplanes kAxes = given_hyperplanes(1, 2, Matrix{{1, 0}, {0, 1}});

// Probability that one plane gives the query's side: sigma(2u/tau), u = tanh(1)/sqrt(2), tau = 1/2.
const double kSide = 1 / (1 + std::exp(-4 * std::tanh(1.0) / std::sqrt(2.0)));

}  // namespace

TEST_CASE("A law of one table is that table, worked out by hand", "[unit]") {
  const TableLaw law = table_law(Context{}, kInstance, kAxes, 0.5);

  REQUIRE(law.tables() == 1);
  CHECK(law.probability(0) == 1);
  CHECK(law.keys() == 4);
  CHECK(law.collisions == Matrix{{1, 0, 0, 1}});
  CHECK(law.occupancy() == 2);
  const double expected[] = {kSide * kSide, kSide * (1 - kSide), (1 - kSide) * kSide, kSide * kSide};
  for (Index j = 0; j < 4; ++j) CHECK(std::abs(law.scores(0, j) - expected[j]) <= 64 * kUnit);
  CHECK(std::abs(law.own(0) - kSide * kSide) <= 64 * kUnit);
  CHECK(std::abs(law.missed(0) - (1 - kSide * kSide)) <= 64 * kUnit);
  CHECK(std::abs(law.signal(0, 0) - std::tanh(1.0) / std::sqrt(2.0)) <= 4 * kUnit);
  CHECK(law.signal(0, 1) == -law.signal(0, 0));
  CHECK(std::abs(law.spectral - 5) <= 64 * kUnit);  // the columns (3, 0, 0, 4) and (0, 1, 1, 0) are orthogonal
  CHECK(law.logit_error > 0);
  CHECK(law.rounding() == (256 * kUnit + 2 * law.logit_error) * 5);
}

TEST_CASE("Means are weighted by the probabilities of the tables, equal ones if none are given", "[unit]") {
  // Table 1 is the plane -e_1 twice: the query in bucket (0, 0), keys 0, 1 and 3 with it.
  const Hyperplanes two = given_hyperplanes(2, 2, Matrix{{1, 0}, {0, 1}, {-1, 0}, {-1, 0}});

  const TableLaw weighted = table_law(Context{}, kInstance, two, 0.5, Vector{{0.75, 0.25}});
  const TableLaw equal = table_law(Context{}, kInstance, two, 0.5);

  CHECK(weighted.collisions == Matrix{{1, 0, 0, 1}, {1, 1, 0, 1}});
  CHECK(weighted.mean_collisions() == Vector{{1, 0.25, 0, 1}});
  CHECK(equal.mean_collisions() == Vector{{1, 0.5, 0, 1}});
  CHECK(weighted.fullest == Vector{{2, 3}});
  CHECK(weighted.occupancy() == 3);
  CHECK(std::abs(weighted.numerator(1)(0) - 7 * kSide * kSide) <= 256 * kUnit);
  CHECK(std::abs(weighted.mean_scores()(1) - (0.75 * kSide * (1 - kSide) + 0.25 * kSide * kSide)) <= 64 * kUnit);
}

TEST_CASE("The population of a law has its means for weights and its missed mass for epsilon", "[unit]") {
  const TableLaw law = tables_by_hand();

  const BiasCase c = bias_case(law);

  CHECK(c.p.soft == Vector{{0.4375, 0.25}});
  CHECK(c.p.angular == Vector{{1, 0.25}});
  CHECK(c.p.soft_mass == 0.6875);
  CHECK(c.p.angular_mass == 1.25);
  CHECK(std::abs(c.p.soft_output(0) - 3 * 0.4375 / 0.6875) <= 8 * kUnit);
  CHECK(std::abs(c.p.angular_output(1) - 4 * 0.25 / 1.25) <= 8 * kUnit);
  CHECK(c.epsilon() == 0.5625);
  CHECK(c.occupancy == 2);
  CHECK(c.occupied_miss == 0.75);  // 3/4 * 1 * 1/2 + 1/4 * 2 * 3/4, below B eps = 9/8
  CHECK(c.p.error == law.rounding());
}

TEST_CASE("Scores and codes come from the estimators under test", "[mutant]") {
  const Context little{.estimators = estimators_with_fault("little-endian")};

  const TableLaw law = table_law(little, kInstance, kAxes, 0.5);

  // The query and its two keys move from the bucket (1, 0) to (0, 1), where its signal gives both sides wrong.
  CHECK(law.collisions == Matrix{{1, 0, 0, 1}});
  CHECK(std::abs(law.scores(0, 0) - (1 - kSide) * (1 - kSide)) <= 64 * kUnit);
}
