#include "proofs_check/laws/both_sides.hpp"

#include "proofs_check/judge.hpp"
#include "tests/numbers.hpp"

using namespace skt;

TEST_CASE("The pair that differs most in units of its rounding is the one that counts", "[unit]") {
  BothSides sides;
  sides.add(2.5, 2, 1);       // half a unit
  sides.add(3.75, 4, 0.125);  // two units
  sides.add(100, 108, 16);    // half a unit, and the largest difference

  const Evidence e = sides.evidence({"three pairs", "left/right"});

  CHECK(e.observed.lo == 3.75 / 4);
  CHECK(e.claimed == 1);
  CHECK(e.claimed_error == 0.125 / 4);
  CHECK(e.trials == 3);
  CHECK(judge(e) == Verdict::refuted);
}

TEST_CASE("A pair is refuted just where its difference exceeds its rounding", "[unit]") {
  const auto verdict = [](double left) {
    BothSides sides;
    sides.add(left, -8, 0.5);
    return judge(sides.evidence({"one pair", "left/right"}));
  };

  CHECK(verdict(-8.5) == Verdict::not_refuted);
  CHECK(verdict(-7.5) == Verdict::not_refuted);
  CHECK(verdict(-8.5625) == Verdict::refuted);
  CHECK(verdict(-7.4375) == Verdict::refuted);
  CHECK(verdict(8) == Verdict::refuted);
}

TEST_CASE("Beside a right side within its rounding the difference counts, not the ratio", "[unit]") {
  const auto verdict = [](double left, double right) {
    BothSides sides;
    sides.add(left, right, 1);
    return judge(sides.evidence({"one pair", "left/right"}));
  };

  CHECK(verdict(-0.25, 0.25) == Verdict::not_refuted);
  CHECK(verdict(1, 0) == Verdict::not_refuted);
  CHECK(verdict(1.5, 0) == Verdict::refuted);
  CHECK(verdict(-1, 0.5) == Verdict::refuted);
}

TEST_CASE("Every coordinate of a vector is a pair", "[unit]") {
  BothSides sides;

  sides.add(Vector::Constant(3, 2), (Vector(3) << 2, 4, 2).finished(), 0.5);

  CHECK(sides.pairs == 3);
  CHECK(sides.ratio == 0.5);
  sides.add(-9, -8, 0.125);
  CHECK(sides.ratio == 1.125);
  CHECK(sides.rounding == 0.015625);
}

TEST_CASE("A NaN on either side stays, before and after a merge, and is inconclusive", "[unit]") {
  BothSides broken, fine;
  broken.add(1, std::numeric_limits<double>::quiet_NaN(), 1);
  broken.add(7, 1, 1);
  fine.add(9, 1, 1);
  BothSides merged = fine;

  merged.merge(broken);
  broken.merge(fine);

  CHECK(judge(merged.evidence({"", ""})) == Verdict::inconclusive);
  CHECK(judge(broken.evidence({"", ""})) == Verdict::inconclusive);
}

TEST_CASE("Blocks merge to what one loop gives, and no pair at all is inconclusive", "[unit]") {
  BothSides nothing, first, second;
  first.add(1.5, 1, 1);
  second.add(3, 1, 1);
  second.add(1, 1, 1);

  CHECK(judge(nothing.evidence({"", ""})) == Verdict::inconclusive);
  nothing.merge(first);
  nothing.merge(BothSides{});
  nothing.merge(second);
  CHECK(nothing.pairs == 3);
  CHECK(nothing.ratio == 3);
}
