#include "proofs_check/inequalities/inequality_sides.hpp"

#include "proofs_check/judge.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

auto named(const std::string& name) {
  return [=] { return name; };
}

}  // namespace

TEST_CASE("A ratio is left over right after the rounding has been taken off the left", "[unit]") {
  CHECK(InequalitySides{3, 4, 0}.ratio() == 0.75);
  CHECK(InequalitySides{3, 4, 1}.ratio() == 0.5);
  CHECK(InequalitySides{5, 4, 0}.ratio() == 1.25);
}

TEST_CASE("Where the right side vanishes, a left side beyond rounding is the worst of ratios", "[unit]") {
  CHECK(InequalitySides{1, 0, 0}.ratio() == std::numeric_limits<double>::max());
  CHECK(InequalitySides{0, 0, 0}.ratio() == 0);
  CHECK(InequalitySides{0.5, 0, 0.5}.ratio() == 0);
  CHECK(std::isnan(InequalitySides{kNan, 0, 0}.ratio()));
  CHECK(std::isnan(InequalitySides{0, kNan, 0}.ratio()));
}

TEST_CASE("The worse of two sides is the one of larger ratio, the first of equals, NaN before all", "[unit]") {
  CHECK(worse({1, 4, 0}, {1, 2, 0}).right == 2);
  CHECK(worse({1, 2, 0}, {1, 4, 0}).right == 2);
  CHECK(worse({1, 2, 0}, {2, 4, 0}).right == 2);
  CHECK(std::isnan(worse({1, 2, 0}, {kNan, 4, 0}).left));
}

TEST_CASE("An identity is refuted by a side that is too large, too small or of the other sign", "[unit]") {
  // Two units of the right side are granted to the quotient.
  CHECK(neither_exceeds(4, 4, 0).ratio() <= 1);
  CHECK(neither_exceeds(-4, -4, 0).ratio() <= 1);
  CHECK(neither_exceeds(4.5, 4, 0.5).ratio() <= 1);
  CHECK(neither_exceeds(3.5, 4, 0.5).ratio() <= 1);

  CHECK(neither_exceeds(5, 4, 0).ratio() == Approx(1.25).epsilon(1e-14));
  CHECK(neither_exceeds(4, 5, 0).ratio() == Approx(1.25).epsilon(1e-14));
  CHECK(neither_exceeds(-5, -4, 0).ratio() == Approx(1.25).epsilon(1e-14));
  CHECK(neither_exceeds(-4, 4, 0).ratio() > 1e300);
  CHECK(neither_exceeds(4, 0, 0).ratio() > 1e300);
  CHECK(std::isnan(neither_exceeds(kNan, 4, 0).ratio()));

  CHECK(neither_exceeds_by(0.125, 4.5, -4).ratio() > 1e300);
  CHECK(neither_exceeds_by(0.125, -4.5, -4).ratio() <= 1);
  CHECK(neither_exceeds_by(0.125, 4.75, 4).ratio() == Approx(1.0625).epsilon(1e-14));  // 4.75 - .5 over 4
}

TEST_CASE("The supremum keeps the name of the first instance that attains it", "[unit]") {
  AttainedSupremum s;

  s.add({1, 4, 0}, named("quarter"));
  s.add({3, 4, 0}, named("three quarters"));
  s.add({6, 8, 0}, named("three quarters again"));
  s.add_out_of_scope();

  CHECK(s.ratio == 0.75);
  CHECK(s.where == "three quarters");
  CHECK(s.trials == 4);
  CHECK(s.in_scope == 3);
}

TEST_CASE("A NaN stays, and what follows does not hide it", "[unit]") {
  AttainedSupremum s;

  s.add({1, 4, 0}, named("quarter"));
  s.add({kNan, 4, 0}, named("broken"));
  s.add({3, 4, 0}, named("three quarters"));

  CHECK(std::isnan(s.ratio));
  CHECK(judge(supremum("family", s)) == Verdict::inconclusive);
}

TEST_CASE("Two halves merged are the whole", "[unit]") {
  AttainedSupremum first, second, empty;
  first.add({1, 2, 0}, named("half"));
  second.add({1, 2, 0}, named("half, later"));
  second.add({3, 4, 0}, named("three quarters"));
  AttainedSupremum tied = first;

  tied.merge([&] {
    AttainedSupremum later;
    later.add({2, 4, 0}, named("the same, later"));
    return later;
  }());
  first.merge(second);
  first.merge(empty);
  empty.merge(second);

  CHECK(tied.where == "half");
  CHECK(first.ratio == 0.75);
  CHECK(first.where == "three quarters");
  CHECK(first.trials == 3);
  CHECK(first.in_scope == 3);
  CHECK(empty.where == "three quarters");
}

TEST_CASE("The evidence of a supremum claims at most 1, says where it lies and how much was in scope", "[unit]") {
  AttainedSupremum s;
  s.add({5, 4, 0}, named("five quarters"));
  s.add_out_of_scope();

  const Evidence e = supremum("family", s);

  CHECK(e.instance == "family; attained on five quarters");
  CHECK(e.observed.lo == 1.25);
  CHECK(e.claimed == 1);
  CHECK(e.claimed_error == 0);
  CHECK(e.trials == 2);
  CHECK(e.trials_in_scope == 1);
  CHECK(judge(e) == Verdict::refuted);
}

TEST_CASE("A tight instance must reach 1 where equality is attained, and only stay below it where not", "[unit]") {
  const InequalitySides below{3, 4, 0.5}, equal{4.25, 4, 0.5};

  CHECK(tight("I", below, Equality::attained).claimed_error == 0.125);  // 0.5/4
  CHECK(judge(tight("I", below, Equality::attained)) == Verdict::refuted);
  CHECK(judge(tight("I", below, Equality::open)) == Verdict::not_refuted);
  CHECK(judge(tight("I", equal, Equality::attained)) == Verdict::not_refuted);  // 17/16 is within 1/8 of 1
  CHECK(judge(tight("I", {5, 4, 0.5}, Equality::open)) == Verdict::refuted);
}
