#include "proofs_check/inequalities/random_and_tight_table_laws.hpp"

#include "tests/numbers.hpp"

using namespace skt;

namespace {

const Context kSmokeTables{.seed = {11}, .profile = Profile::smoke};

}  // namespace

TEST_CASE("On the grid every bucket holds four keys, and the scores of the table add up to four", "[unit]") {
  const TableLaw law = grid_law(kSmokeTables, 0.5);

  CHECK(law.tables() == 1);
  CHECK(law.keys() == 32);
  CHECK(law.occupancy() == 4);
  CHECK(std::abs(law.scores.sum() - 4) <= law.rounding());
  CHECK(law.collisions.sum() == 4);
}

TEST_CASE("Copies of the query all fall into its bucket and have its score, nearly 1", "[unit]") {
  const TableLaw law = copies_law(kSmokeTables, 3);

  CHECK(law.tables() == 2);
  CHECK(law.occupancy() == 3);
  CHECK(law.collisions == Matrix::Ones(2, 3));
  CHECK((law.scores.array() - 1).abs().maxCoeff() <= std::exp(-20.0));
  CHECK(law.values.col(0) == Vector::Ones(3));
}

TEST_CASE("Seen at an angle, the two sides are taken with the probability of the angle", "[unit]") {
  const TableLaw law = two_sided_law(kSmokeTables, 2, std::numbers::pi / 4);

  CHECK(law.probability == Vector{{0.75, 0.25}});
  CHECK(law.collisions == Matrix{{1, 1, 0, 0}, {0, 0, 1, 1}});
  CHECK((law.scores - law.collisions).cwiseAbs().maxCoeff() <= std::exp(-20.0));
  CHECK(law.occupancy() == 2);
}

TEST_CASE("Opposite keys share no bucket, in any of four tables", "[unit]") {
  const TableLaw law = opposite_law(kSmokeTables, 3);

  CHECK(law.tables() == 4);
  CHECK(law.fullest == Vector::Constant(4, 3));
  CHECK(law.mean_collisions() == Vector{{1, 1, 1, 0, 0, 0}});
  CHECK((law.mean_scores().head(3).array() + law.mean_scores().tail(3).array() - 1).abs().maxCoeff() <= 1e-15);
}

TEST_CASE("A table that is sure has scores 0 and 1, the other one sigma(1/2) in the query's half", "[unit]") {
  const double side = 1 / (1 + std::exp(-0.5));
  Vector halves(8), quarter(8);
  halves << 1, 1, 1, 1, 0, 0, 0, 0;
  quarter << 1, 0, 1, 0, 0, 0, 0, 0;

  const TableLaw quarters = sure_and_unsure_law(kSmokeTables, SureTable::quarters);
  const TableLaw together = sure_and_unsure_law(kSmokeTables, SureTable::holds_all);

  CHECK(quarters.fullest == Vector{{2, 4}});
  CHECK(together.fullest == Vector{{8, 4}});
  CHECK(quarters.collisions.row(0).transpose() == quarter);
  CHECK(together.collisions.row(0) == Matrix::Ones(1, 8));
  for (const TableLaw& law : {quarters, together}) {
    CHECK((law.scores.row(0) - law.collisions.row(0)).lpNorm<1>() <= std::exp(-40.0));
    CHECK(law.collisions.row(1).transpose() == halves);
    CHECK(std::abs(law.missed(1) - (1 - side)) <= 1e-10);
    CHECK(law.missed(0) <= std::exp(-40.0));
  }
}

TEST_CASE("Tight laws are named by instance and parameters", "[unit]") {
  CHECK(grid(0.5).name == "I-GRID(4) P=3 d=6 tau=0.5");
  CHECK(copies(5).name == "I-COPY(5, 0), tau -> 0");
  CHECK(two_sided(2, std::numbers::pi / 10).name == "I-TWO(2), query at 0.1 pi to +e_1, tau -> 0");
  CHECK(opposite(5).name == "I-ANTI(5), four tables, tau=1");
  CHECK(sure_and_unsure(SureTable::quarters).name ==
        "a table that is sure and quarters the keys, one that is not and halves them");
  CHECK(copies(5).law(kSmokeTables).occupancy() == 5);
}

TEST_CASE("A factor goes on the right side alone", "[unit]") {
  const TableLaw law = copies_law(kSmokeTables, 4);

  const InequalitySides whole = normaliser_sides(law), half = times(0.5, normaliser_sides)(law);

  CHECK(half.left == whole.left);
  CHECK(half.right == 2);
  CHECK(half.rounding == whole.rounding);
}

TEST_CASE("A step that holds with equality on a tight law survives, half of its right side does not", "[mutant]") {
  const std::vector<NamedLaw> laws = {grid(0.5), copies(5)};

  const auto truth = step_holds(normaliser_sides, laws, Equality::attained)(kSmokeTables);
  const auto lie = step_holds(times(0.5, normaliser_sides), laws, Equality::open)(kSmokeTables);

  REQUIRE(truth.size() == 3);
  CHECK(truth[0].trials == 1000);
  CHECK(truth[1].instance == "I-GRID(4) P=3 d=6 tau=0.5");
  CHECK(judge(truth) == Verdict::not_refuted);
  CHECK(judge(lie[1]) == Verdict::refuted);
  CHECK(judge(lie[2]) == Verdict::refuted);
}

TEST_CASE("A step that is only nearly tight is refuted as an equality", "[mutant]") {
  const auto lie = step_holds(times(2, normaliser_sides), {copies(5)}, Equality::attained)(kSmokeTables);

  CHECK(judge(lie[0]) == Verdict::not_refuted);
  CHECK(judge(lie[1]) == Verdict::refuted);
}
