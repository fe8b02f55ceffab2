#include "proofs_check/near_mutants.hpp"

#include <fmt/format.h>

#include "proofs_check/power.hpp"
#include "tests/catch.hpp"

using namespace skt;

namespace {

VariantResult lie(const Evidence& evidence) {
  return {"a lie", {evidence}, judge(evidence)};
}

// Observed 0.5 +- some 0.02 of 10,000 trials; refuted by every claim that lies further off.
Evidence half(double claimed) {
  return frequency({}, 5000, 10000, equals(claimed), {1e-4, 1});
}

}  // namespace

TEST_CASE("A lie without chance is near within a tenth of the claimed or the observed value", "[unit]") {
  CHECK(is_near(lie(supremum({}, 1.09, 0, 10, 10))));  // 0.09 of an observed 1.09
  CHECK(is_near(lie(supremum({}, 1.11, 0, 10, 10))));  // 0.11 <= 0.111
  CHECK_FALSE(is_near(lie(supremum({}, 1.12, 0, 10, 10))));
  CHECK(is_near(lie(exact({}, 9, equals(10)))));  // a tenth of the claim
  CHECK_FALSE(is_near(lie(exact({}, 8.9, equals(10)))));
  CHECK(is_near(lie(exact({}, -10, at_least(-9.5)))));
}

TEST_CASE("A lie about 0 is near within a tenth of the unit", "[unit]") {
  CHECK(is_near(lie(exact({}, 0.1, equals(0)))));
  CHECK(is_near(lie(exact({}, -0.1, at_least(0)))));
  CHECK_FALSE(is_near(lie(exact({}, 0.11, equals(0)))));
  CHECK_FALSE(is_near(lie(exact({}, 1, at_most(0)))));  // a count
}

TEST_CASE("A random lie is near within three times what is visible", "[unit]") {
  const double visible = visible_deviation(half(0.45));

  CHECK(is_near(lie(half(0.5 - 2.5 * visible))));
  CHECK(is_near(lie(half(0.5 + 2.5 * visible))));
  CHECK_FALSE(is_near(lie(half(0.5 - 3.5 * visible))));
  CHECK_FALSE(is_near(lie(half(0.1))));
}

TEST_CASE("A lie that is not refuted, or measures nothing, is not near", "[unit]") {
  CHECK_FALSE(is_near(lie(half(0.5))));
  CHECK_FALSE(is_near({}));
}

TEST_CASE("One near lie is enough for a statement, and it is the decisive piece that counts", "[unit]") {
  const VariantResult near = lie(exact({}, 1.05, at_most(1))), far = lie(exact({}, 7, at_most(1)));
  VariantResult both = near;
  both.evidence.push_back(far.evidence.front());

  CHECK(has_near_mutant({.mutants = {far, near}}));
  CHECK_FALSE(has_near_mutant({.mutants = {far}}));
  CHECK_FALSE(has_near_mutant({.mutants = {both}}));
  CHECK_FALSE(has_near_mutant({}));
}

TEST_CASE("Why no lie is near: the statement's own words, or the nearest lie with its distance", "[unit]") {
  const VariantResult far{"7 for 1", {exact({}, 7, at_most(1))}, Verdict::refuted};
  const VariantResult fifth{"0.8 for 1", {exact({}, 1, at_most(0.8))}, Verdict::refuted};
  const VariantResult near{"0.95 for 1", {exact({}, 1, at_most(0.95))}, Verdict::refuted};
  const VariantResult missed{"1.01 for 1", {exact({}, 1, at_most(1.01))}, Verdict::not_refuted};

  CHECK(why_no_near_mutant({.statement = {.no_near_mutant = "An order."}, .mutants = {far}}) == "An order.");
  CHECK(why_no_near_mutant({.statement = {.no_near_mutant = "An order."}, .mutants = {far, near}}).empty());
  CHECK(why_no_near_mutant({.statement = {.expected = Verdict::refuted}, .mutants = {far}}).empty());
  CHECK(why_no_near_mutant({.mutants = {missed}}) == "No lie was refuted.");
  // 1 observed and 0.8 claimed: 0.2 of the larger one. 7 for 1 is 6/7 of it.
  CHECK(why_no_near_mutant({.mutants = {far, missed, fifth}}) ==
        "The nearest lie, \"0.8 for 1\", is off by 0.2 times the value; near means at most 0.1.");
}

TEST_CASE("With chance the distance is told in visible deviations", "[unit]") {
  VariantResult nearest = lie(half(0.5 - 4.5 * visible_deviation(half(0.45)))), farther = lie(half(0.1));
  nearest.name = "a twentieth less";
  const Evidence& piece = nearest.evidence.front();
  const double times = (0.5 - piece.claimed) / visible_deviation(piece);

  const std::string why = why_no_near_mutant({.mutants = {farther, nearest}});

  CHECK(times > 4.3);
  CHECK(times < 4.7);
  CHECK(
      why ==
      fmt::format("The nearest lie, \"a twentieth less\", is off by {:.2g} times the smallest visible deviation; "
                  "near means at most 3. A lie keeps its size, but with more trials smaller deviations become visible.",
                  times));
}
