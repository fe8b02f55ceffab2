#include "proofs_check/inequalities/tail_bounds.hpp"

#include "proofs_check/judge.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

// 3 with probability 1/8, 1 otherwise, at the size 1; half of that at 2.
SizedLaw law_by_hand() {
  return {"by hand", "M", {1, 2}, [](Index size) { return ErrorLaw({{3, 0.125}, {1, 0.875}}).times(1 / real(size)); }};
}

// A bound that does not fall with the size: the first one is the nearest.
Evidence evidence_of(double delta, double bound) {
  return quantile_over_bound(law_by_hand(), delta, [=](Index) { return bound; });
}

DrawnErrors hundred_of_which(int large) {
  DrawnErrors errors;
  for (int i = 0; i < 100; ++i) errors.add(i < large ? 4 : 2);
  return errors;
}

}  // namespace

TEST_CASE("A bound between two errors holds if the larger one is rarer than delta, and not otherwise", "[unit]") {
  CHECK(judge(evidence_of(0.125, 2)) == Verdict::not_refuted);
  CHECK(judge(evidence_of(0.124, 2)) == Verdict::refuted);
  CHECK(judge(evidence_of(0.124, 3)) == Verdict::not_refuted);  // an error at the bound is allowed
  CHECK(judge(evidence_of(0.125, 0.9)) == Verdict::refuted);
}

TEST_CASE("How many quantiles long the nearest bound is, is told, and where", "[unit]") {
  CHECK(evidence_of(0.125, 2).bound_over_quantile == Approx(2).epsilon(1e-12));
  CHECK(evidence_of(0.01, 2).bound_over_quantile == Approx(2.0 / 3).epsilon(1e-12));
  CHECK(evidence_of(0.01, 2).instance == "by hand, M = 1 .. 2; attained on M=1");

  // 4/size^2: 4 over 3 at the first size, 1 over 3/2 at the second.
  const Evidence falling = quantile_over_bound(law_by_hand(), 0.01, [](Index size) { return 4 / real(size * size); });
  CHECK(falling.bound_over_quantile == Approx(2.0 / 3).epsilon(1e-12));
  CHECK(falling.trials == 2);
}

TEST_CASE("A bound beside the largest error of the law: what it is at the size where it is the least", "[unit]") {
  CHECK(evidence_of(0.125, 6).bound_over_trivial == Approx(2).epsilon(1e-12));  // 6/3 at size 1, 6/1.5 at 2
  CHECK(evidence_of(0.125, 1.5).bound_over_trivial == Approx(0.5).epsilon(1e-12));
  // 4/size^2: 4/3 at the first size, 1/1.5 at the second.
  const Evidence falling = quantile_over_bound(law_by_hand(), 0.125, [](Index size) { return 4 / real(size * size); });
  CHECK(falling.bound_over_trivial == Approx(2.0 / 3).epsilon(1e-12));
}

TEST_CASE("A quantile that is not above zero has no ratio to tell", "[unit]") {
  const SizedLaw never{"by hand", "L", {1}, [](Index) { return ErrorLaw({{-1, 1}}); }};

  const Evidence evidence = quantile_over_bound(never, 0.1, [](Index) { return 2.0; });

  CHECK(judge(evidence) == Verdict::not_refuted);
  CHECK_FALSE(evidence.bound_over_quantile);
  CHECK_FALSE(evidence.bound_over_trivial);
}

TEST_CASE("Errors above a bound are counted, and one that is not a number is refused", "[unit]") {
  std::vector<KeptTrials> kept;
  const Context context{.error_share = 1e-3, .kept = &kept};

  const Evidence few = exceeded(context, "by hand", hundred_of_which(3), {3, 12}, 0.2);
  const Evidence many = exceeded(context, "by hand", hundred_of_which(60), {3, 2}, 0.2);

  CHECK(judge(few) == Verdict::not_refuted);
  CHECK(few.bound_over_quantile == Approx(1.5));  // 2 is exceeded by 3 of 100
  CHECK(judge(many) == Verdict::refuted);
  CHECK(many.bound_over_quantile == Approx(0.75));
  CHECK(few.bound_over_trivial == 0.25);
  CHECK(many.bound_over_trivial == 1.5);
  CHECK(few.trials == 100);
  CHECK(few.resolution == 0.2);
  CHECK((few.instance == "by hand" && few.error_share == 1e-3));
  CHECK_THROWS_AS(exceeded(context, "by hand", {{std::nan("")}}, {3, 4}, 0.2), InputError);

  REQUIRE(kept.size() == 3);
  CHECK(kept[0].law.front().value == 3);
  CHECK(kept[0].law.front().probability == 0.8);
  CHECK(kept[0].values.back().count == 3);
}

TEST_CASE("A bound that is not a number is exceeded by every error", "[unit]") {
  const Context context{.error_share = 1e-3};

  const Evidence evidence = exceeded(context, "by hand", hundred_of_which(3), {std::nan(""), 12}, 0.2);

  CHECK(evidence.observed.hi == 1);
  CHECK(judge(evidence) == Verdict::refuted);
}

TEST_CASE("Errors of blocks of trials merge in their order", "[unit]") {
  DrawnErrors first, second;
  first.add(1);
  second.add(2);
  second.add(3);

  first.merge(second);

  CHECK(first.of == std::vector<double>{1, 2, 3});
  CHECK(all_sizes(2, 4) == std::vector<Index>{2, 3, 4});
}
