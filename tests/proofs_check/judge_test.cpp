#include "proofs_check/judge.hpp"

#include "tests/numbers.hpp"

using namespace skt;

namespace {

Evidence interval(double lo, double hi, Relation relation, double claimed) {
  return {.relation = relation,
          .observed = {lo, hi},
          .claimed = claimed,
          .resolution = 1,
          .trials = 10,
          .trials_in_scope = 10};
}

}  // namespace

TEST_CASE("An interval that contains the claimed value does not refute it", "[unit]") {
  CHECK(judge(interval(0.4, 0.6, Relation::equal, 0.5)) == Verdict::not_refuted);
  CHECK(judge(interval(0.4, 0.6, Relation::at_most, 0.5)) == Verdict::not_refuted);
  CHECK(judge(interval(0.4, 0.6, Relation::at_least, 0.5)) == Verdict::not_refuted);
}

TEST_CASE("An interval wholly on the wrong side refutes", "[unit]") {
  CHECK(judge(interval(0.4, 0.6, Relation::equal, 0.3)) == Verdict::refuted);
  CHECK(judge(interval(0.4, 0.6, Relation::equal, 0.7)) == Verdict::refuted);
  CHECK(judge(interval(0.4, 0.6, Relation::at_most, 0.3)) == Verdict::refuted);
  CHECK(judge(interval(0.4, 0.6, Relation::at_least, 0.7)) == Verdict::refuted);
}

TEST_CASE("An interval wholly on the allowed side of an inequality does not refute", "[unit]") {
  CHECK(judge(interval(0.4, 0.6, Relation::at_most, 0.7)) == Verdict::not_refuted);
  CHECK(judge(interval(0.4, 0.6, Relation::at_least, 0.3)) == Verdict::not_refuted);
}

TEST_CASE("The error of the claim protects it on both sides", "[unit]") {
  Evidence above = interval(0.4, 0.6, Relation::equal, 0.3);
  above.claimed_error = 0.1;
  Evidence below = interval(0.4, 0.6, Relation::equal, 0.7);
  below.claimed_error = 0.1;
  Evidence not_enough = interval(0.4, 0.6, Relation::at_most, 0.3);
  not_enough.claimed_error = 0.09;

  CHECK(judge(above) == Verdict::not_refuted);
  CHECK(judge(below) == Verdict::not_refuted);
  CHECK(judge(not_enough) == Verdict::refuted);
}

TEST_CASE("A number that is not finite is inconclusive wherever it stands", "[unit]") {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double bad : {kNan, infinity, -infinity}) {
    Evidence low = interval(bad, 0.6, Relation::at_most, 0.3);
    Evidence high = interval(0.4, bad, Relation::at_most, 0.3);
    Evidence claim = interval(0.4, 0.6, Relation::at_most, bad);
    Evidence error = interval(0.4, 0.6, Relation::at_most, 0.3);
    error.claimed_error = bad;
    Evidence resolution = interval(0.4, 0.6, Relation::at_most, 0.7);
    resolution.resolution = bad;

    CHECK(judge(low) == Verdict::inconclusive);
    CHECK(judge(high) == Verdict::inconclusive);
    CHECK(judge(claim) == Verdict::inconclusive);
    CHECK(judge(error) == Verdict::inconclusive);
    CHECK(judge(resolution) == Verdict::inconclusive);
  }
}

TEST_CASE("A reversed interval or a negative error of the claim is inconclusive", "[unit]") {
  Evidence negative = interval(0.4, 0.6, Relation::at_most, 0.3);
  negative.claimed_error = -0.01;

  CHECK(judge(interval(0.6, 0.4, Relation::at_most, 0.3)) == Verdict::inconclusive);
  CHECK(judge(negative) == Verdict::inconclusive);
}

TEST_CASE("No trial, or hypotheses met in fewer than one trial in a hundred, is inconclusive", "[unit]") {
  Evidence none = interval(0.4, 0.6, Relation::at_most, 0.3);
  none.trials = none.trials_in_scope = 0;
  Evidence rare = interval(0.4, 0.6, Relation::at_most, 0.3);
  rare.trials = 1000;
  rare.trials_in_scope = 9;
  Evidence enough = rare;
  enough.trials_in_scope = 10;

  CHECK(judge(none) == Verdict::inconclusive);
  CHECK(judge(rare) == Verdict::inconclusive);
  CHECK(judge(enough) == Verdict::refuted);
}

TEST_CASE("An interval wider than the resolution is inconclusive unless it refutes", "[unit]") {
  Evidence wide = interval(0.4, 0.6, Relation::at_most, 0.5);
  wide.resolution = 0.19;
  Evidence refuting = interval(0.4, 0.6, Relation::at_most, 0.3);
  refuting.resolution = 0.19;

  CHECK(judge(wide) == Verdict::inconclusive);
  CHECK(judge(refuting) == Verdict::refuted);
}

TEST_CASE("Of several pieces the worst decides, and none is inconclusive", "[unit]") {
  const Evidence good = interval(0.4, 0.6, Relation::equal, 0.5);
  const Evidence bad = interval(0.4, 0.6, Relation::equal, 0.1);
  const Evidence unknown = interval(kNan, 0.6, Relation::equal, 0.5);

  CHECK(judge(std::vector<Evidence>{}) == Verdict::inconclusive);
  CHECK(judge({good, good}) == Verdict::not_refuted);
  CHECK(judge({good, unknown}) == Verdict::inconclusive);
  CHECK(judge({unknown, bad, good}) == Verdict::refuted);
}

TEST_CASE("A supremum accepts the equality instance and refutes one rounding error above it", "[unit]") {
  const double rounding = 1e-15;

  CHECK(judge(supremum({"", ""}, 1 + rounding, rounding, 5, 5)) == Verdict::not_refuted);
  CHECK(judge(supremum({"", ""}, 1 + 2 * rounding, rounding, 5, 5)) == Verdict::refuted);
  CHECK(judge(supremum({"", ""}, kNan, rounding, 5, 5)) == Verdict::inconclusive);
  CHECK(judge(supremum({"", ""}, 0.5, rounding, 5, 0)) == Verdict::inconclusive);
}
