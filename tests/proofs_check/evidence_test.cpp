#include "proofs_check/evidence.hpp"

#include "tests/numbers.hpp"

using namespace skt;

namespace {

const Observed kWhat{"I-ONE", "x"};

// 1, 2, 3, 4: mean 5/2, variance (2.25 + 0.25 + 0.25 + 2.25)/3 = 5/3.
Moments one_to_four() {
  Moments moments;
  for (const double x : {1.0, 2.0, 3.0, 4.0}) moments.add(x);
  return moments;
}

// A few roundings of formulas with fewer than ten operations, and those of a quantile (relative 1e-13 by far).
bool nearly(double a, double b) {
  return std::abs(a - b) <= 1e-12 * std::abs(b);
}

}  // namespace

TEST_CASE("Claims are named by the relation that they make", "[unit]") {
  CHECK(equals(2, 0.5).relation == Relation::equal);
  CHECK(at_most(2, 0.5).relation == Relation::at_most);
  CHECK(at_least(2, 0.5).relation == Relation::at_least);
  for (const Claim& claim : {equals(2, 0.5), at_most(2, 0.5), at_least(2, 0.5)}) {
    CHECK(claim.value == 2);
    CHECK(claim.error == 0.5);
  }
}

TEST_CASE("A bound is an equality where it is claimed to be attained, else an upper bound", "[unit]") {
  CHECK(bounded_by(3, 0.25, Equality::attained).relation == Relation::equal);
  CHECK(bounded_by(3, 0.25, Equality::open).relation == Relation::at_most);
  CHECK(bounded_by(3, 0.25, Equality::open).value == 3);
  CHECK(bounded_by(3, 0.25, Equality::open).error == 0.25);
}

TEST_CASE("The larger and the smaller of two numbers is NaN if either is", "[unit]") {
  CHECK(larger(1, 2) == 2);
  CHECK(larger(2, 1) == 2);
  CHECK(smaller(1, 2) == 1);
  CHECK(smaller(2, 1) == 1);
  CHECK(std::isnan(larger(kNan, 1)));
  CHECK(std::isnan(larger(1, kNan)));
  CHECK(std::isnan(smaller(kNan, 1)));
  CHECK(std::isnan(smaller(1, kNan)));
}

TEST_CASE("An exact number is a point, seen once, that spends no error", "[unit]") {
  const Evidence e = exact(kWhat, 0.5, at_least(0.25, 0.125));

  CHECK(e.instance == "I-ONE");
  CHECK(e.quantity == "x");
  CHECK(e.relation == Relation::at_least);
  CHECK(e.observed.lo == 0.5);
  CHECK(e.observed.hi == 0.5);
  CHECK(e.claimed == 0.25);
  CHECK(e.claimed_error == 0.125);
  CHECK(e.resolution == 0);
  CHECK(e.trials == 1);
  CHECK(e.trials_in_scope == 1);
  CHECK(e.error_share == 0);
}

TEST_CASE("A supremum is a point claimed to be at most 1 up to its rounding, with its own count in scope", "[unit]") {
  const Evidence e = supremum(kWhat, 0.75, 0x1p-50, 100, 40);

  CHECK(e.relation == Relation::at_most);
  CHECK(e.observed.lo == 0.75);
  CHECK(e.observed.hi == 0.75);
  CHECK(e.claimed == 1);
  CHECK(e.claimed_error == 0x1p-50);
  CHECK(e.trials == 100);
  CHECK(e.trials_in_scope == 40);
  CHECK(e.error_share == 0);
}

TEST_CASE("A frequency without a hit has the Clopper-Pearson limit that one can write down", "[unit]") {
  // 0 of 3: the upper limit p has (1 - p)^3 = share/2 = 1/8; of 3 of 3 the lower one p^3 = 1/8.
  const Evidence none = frequency(kWhat, 0, 3, at_most(0.5, 0.125), {0.25, 0.75});
  const Evidence all = frequency(kWhat, 3, 3, at_least(0.5), {0.25, 0.75});

  CHECK(none.observed.lo == 0);
  CHECK(nearly(none.observed.hi, 0.5));
  CHECK(nearly(all.observed.lo, 0.5));
  CHECK(all.observed.hi == 1);
  CHECK(none.relation == Relation::at_most);
  CHECK(none.claimed == 0.5);
  CHECK(none.claimed_error == 0.125);
  CHECK(none.resolution == 0.75);
  CHECK(none.trials == 3);
  CHECK(none.trials_in_scope == 3);
  CHECK(none.error_share == 0.25);
}

TEST_CASE("A mean of unknown variance has Student's interval", "[unit]") {
  // t_{3, 1 - 0.05/2} = 3.182446305284263 (tables); s/sqrt(n) = sqrt(5/3/4).
  const Evidence e = mean(kWhat, one_to_four(), equals(2), {0.05, 6});
  const double half = 3.182446305284263 * std::sqrt(5.0 / 12);

  CHECK(nearly(e.observed.lo, 2.5 - half));
  CHECK(nearly(e.observed.hi, 2.5 + half));
  CHECK(e.trials == 4);
  CHECK(e.trials_in_scope == 4);
  CHECK(e.error_share == 0.05);
  CHECK(e.resolution == 6);
}

TEST_CASE("A mean of bounded samples has the empirical Bernstein interval", "[unit]") {
  // Maurer and Pontil, two-sided: sqrt(2 V log(4/share)/n) + 7 range log(4/share)/(3 (n - 1)), log(4/share) = 2.
  const Evidence e = mean_of_bounded(kWhat, one_to_four(), 6, equals(2), {4 * std::exp(-2.0), 40});
  const double half = std::sqrt(2 * (5.0 / 3) * 2 / 4) + 7 * 6.0 * 2 / 9;

  CHECK(nearly(e.observed.lo, 2.5 - half));
  CHECK(nearly(e.observed.hi, 2.5 + half));
  CHECK(e.trials == 4);
}

TEST_CASE("An estimate with its deviation has the normal interval, whatever number of trials went into it", "[unit]") {
  // z_{1 - 0.05/2} = 1.959963984540054 (tables).
  const Evidence e = normal_estimate(kWhat, -0.5, 0.25, 300, equals(-0.5, 0.01), {0.05, 2});

  CHECK(nearly(e.observed.lo, -0.5 - 1.959963984540054 * 0.25));
  CHECK(nearly(e.observed.hi, -0.5 + 1.959963984540054 * 0.25));
  CHECK(e.trials == 300);
  CHECK(e.trials_in_scope == 300);
  CHECK(e.claimed_error == 0.01);
}

TEST_CASE("Evidence keeps what its interval follows from", "[unit]") {
  const Evidence point = exact(kWhat, 0.5, equals(0.5));
  const Evidence share = frequency(kWhat, 2, 5, equals(0.5), {0.25, 1});
  const Evidence unknown = mean(kWhat, one_to_four(), equals(2), {0.05, 6});
  const Evidence bounded = mean_of_bounded(kWhat, one_to_four(), 6, equals(2), {0.05, 40});
  const Evidence fitted = normal_estimate(kWhat, -0.5, 0.25, 300, equals(-0.5), {0.05, 2});

  CHECK(point.basis.law == IntervalLaw::point);
  CHECK(supremum(kWhat, 0.5, 0, 7, 7).basis.law == IntervalLaw::point);
  CHECK(share.basis.law == IntervalLaw::proportion);
  CHECK(share.basis.hits == 2);
  CHECK(share.basis.samples.count == 5);
  CHECK(unknown.basis.law == IntervalLaw::student);
  CHECK(unknown.basis.samples.count == 4);
  CHECK(unknown.basis.samples.mean == 2.5);
  CHECK(nearly(unknown.basis.samples.variance, 5.0 / 3));
  CHECK(bounded.basis.law == IntervalLaw::bounded);
  CHECK(bounded.basis.scale == 6);
  CHECK(fitted.basis.law == IntervalLaw::known_deviation);
  CHECK(fitted.basis.samples.count == 1);
  CHECK(fitted.basis.scale == 0.25);
  for (const Evidence& e : {point, share, unknown, bounded, fitted}) {
    CHECK(interval_of(e.basis, e.error_share).lo == e.observed.lo);
    CHECK(interval_of(e.basis, e.error_share).hi == e.observed.hi);
  }
}
