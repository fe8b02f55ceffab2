#include "estimators/prediction/predicted_inclusion.hpp"

#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/gamma.hpp>

#include "tests/normal_draws.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

double normal_tail(double x) {
  return std::erfc(x / std::sqrt(2.0)) / 2;
}

ScoreLaws laws(Vector mean, Vector deviation) {
  const Vector none = Vector::Zero(mean.size());
  return {std::move(mean), std::move(deviation), none};
}

// Sums of N terms, each rounded to a unit, and the last step of the solution.
bool sums_to(const Vector& inclusion, double budget) {
  const double unit = std::numeric_limits<double>::epsilon();
  return std::abs(inclusion.sum() - budget) <= 4 * unit * real(inclusion.size()) && inclusion.minCoeff() >= 0 &&
         inclusion.maxCoeff() <= 1;
}

}  // namespace

TEST_CASE("The tail is the normal one without skewness, and near a gamma law's with it", "[unit]") {
  for (const double x : {-3.0, -0.5, 0.0, 1.0, 4.0}) CHECK(skewed_tail(x, 0) == Approx(normal_tail(x)).epsilon(1e-14));
  // A gamma law of shape 4/skewness^2 has this skewness; the distances are those that the header states.
  for (const auto& [skewness, distance] : {std::pair{0.1, 4e-4}, {0.5, 4e-4}, {1.0, 0.002}, {2.0, 0.013}}) {
    const double shape = 4 / (skewness * skewness);
    for (double x = -4; x <= 8; x += 0.125) {
      const double at = shape + x * std::sqrt(shape);
      const double exact = at > 0 ? boost::math::gamma_q(shape, at) : 1;
      INFO("skewness " << skewness << " at " << x);
      CHECK(std::abs(skewed_tail(x, skewness) - exact) <= distance);
    }
  }
}

TEST_CASE("To first order in the skewness the tail is Edgeworth's", "[unit]") {
  const double skewness = 1e-3;
  for (const double x : {-2.0, -1.0, 0.0, 0.7, 1.5, 3.0}) {
    const double density = std::exp(-x * x / 2) / std::sqrt(2 * std::acos(-1.0));
    const double term = density * skewness * (x * x - 1) / 6;
    // The next term is skewness^2 times a polynomial of degree 5 over 72, below 3 in size times the density.
    CHECK(std::abs(skewed_tail(x, skewness) - normal_tail(x) - term) <= 3 * skewness * skewness);
    CHECK(std::abs(skewed_tail(x, -skewness) - normal_tail(x) + term) <= 3 * skewness * skewness);
  }
}

TEST_CASE("The tail falls from 1 to 0 for every skewness", "[unit]") {
  for (const double skewness : {-30.0, -2.0, -1e-7, 0.0, 1e-7, 2e-6, 0.3, 5.0, 1e4}) {
    double before = 1;
    for (double x = -60; x <= 60; x += 0.01) {
      const double now = skewed_tail(x, skewness);
      if (!(now <= before && now >= 0))
        FAIL("skewness " << skewness << " at " << x << ": " << now << " after " << before);
      before = now;
    }
    CHECK(skewed_tail(-std::numeric_limits<double>::infinity(), skewness) == 1);
    CHECK(skewed_tail(std::numeric_limits<double>::infinity(), skewness) == 0);
  }
}

TEST_CASE("Of two keys one deviation apart the threshold lies midway", "[unit]") {
  const Vector inclusion = inclusion_by_moments(laws(Vector{{0.0, 1.0}}, Vector{{1.0, 1.0}}), 1);

  CHECK(inclusion[0] == Approx(normal_tail(0.5)).epsilon(1e-12));
  CHECK(inclusion[1] == Approx(normal_tail(-0.5)).epsilon(1e-12));
}

TEST_CASE("Equal keys share the budget evenly, by either kind of law", "[unit]") {
  const Vector ones = Vector::Ones(7);
  for (const Index budget : {1, 3, 6, 7}) {
    for (const double deviation : {0.0, 1e-300, 0.3}) {
      const Vector inclusion = inclusion_by_moments({ones, deviation * ones, 0.4 * ones}, budget);
      for (const double share : inclusion) CHECK(share == Approx(real(budget) / 7).epsilon(1e-12));
    }
    for (const double chance : {0.0, 1e-200, 0.3, 1.0}) {
      const Vector inclusion = inclusion_by_counts(chance * ones, 5, budget);
      for (const double share : inclusion) CHECK(share == Approx(real(budget) / 7).epsilon(1e-12));
    }
  }
}

TEST_CASE("Scores without noise are sorted, and those at the threshold share what is left", "[unit]") {
  const Vector mean{{3.0, 1.0, 2.0, 2.0, 2.0}}, none = Vector::Zero(5);

  CHECK(inclusion_by_moments(laws(mean, none), 1).isApprox(Vector{{1.0, 0.0, 0.0, 0.0, 0.0}}, 1e-12));
  CHECK(inclusion_by_moments(laws(mean, none), 2).isApprox(Vector{{1.0, 0.0, 1 / 3.0, 1 / 3.0, 1 / 3.0}}, 1e-12));
  CHECK(inclusion_by_moments(laws(mean, none), 5).isApprox(Vector::Ones(5), 1e-12));
  // Mixed with a key of known law: P(score > 2) is a half, and three keys share the other half and one more.
  Vector deviation = none;
  deviation[1] = 1;
  const Vector mixed = inclusion_by_moments(laws(Vector{{3.0, 2.0, 2.0, 2.0, 2.0}}, deviation), 3);
  CHECK(mixed.isApprox(Vector{{1.0, 0.5, 0.5, 0.5, 0.5}}, 1e-12));
}

TEST_CASE("Inclusion does not depend on the unit of the scores", "[unit]") {
  const Vector mean = normal_vector(Seed{1}, 0, 50), skewness = normal_vector(Seed{1}, 2, 50);
  const Vector deviation = normal_vector(Seed{1}, 1, 50).cwiseAbs();
  const Vector once = inclusion_by_moments({mean, deviation, skewness}, 9);

  for (const double unit : {1e-60, 1e60}) {
    CHECK((inclusion_by_moments({unit * mean, unit * deviation, skewness}, 9) - once).cwiseAbs().maxCoeff() <= 1e-12);
  }
  const Vector moved = inclusion_by_moments({mean.array() + 1e3, deviation, skewness}, 9);
  CHECK((moved - once).cwiseAbs().maxCoeff() <= 1e-9);  // 1e3 takes away three digits, a small deviation three more
}

TEST_CASE("For every budget the inclusion sums to it, in [0, 1], and grows with it", "[unit]") {
  const Vector mean = normal_vector(Seed{2}, 0, 60), skewness = 3 * normal_vector(Seed{2}, 2, 60);
  const Vector deviation = normal_vector(Seed{2}, 1, 60).cwiseAbs();
  const Vector chance = mean.unaryExpr(&normal_tail);
  Vector before = Vector::Zero(60), counts_before = before;

  for (Index budget = 1; budget <= 60; ++budget) {
    const Vector now = inclusion_by_moments({mean, deviation, skewness}, budget);
    const Vector counts = inclusion_by_counts(chance, 13, budget);
    INFO("budget " << budget);
    CHECK(sums_to(now, real(budget)));
    CHECK(sums_to(counts, real(budget)));
    CHECK((now - before).minCoeff() >= -1e-13);
    CHECK((counts - counts_before).minCoeff() >= -1e-13);
    before = now;
    counts_before = counts;
  }
}

TEST_CASE("Counts by hand: one draw of two keys", "[unit]") {
  // P(X > 0) is 1/2 and 1/4; the quarter that is left of the budget goes to the 1/2 + 3/4 that are tied at 0, a fifth.
  const Vector inclusion = inclusion_by_counts(Vector{{0.5, 0.25}}, 1, 1);

  CHECK(inclusion[0] == Approx(0.6).epsilon(1e-14));
  CHECK(inclusion[1] == Approx(0.4).epsilon(1e-14));
}

TEST_CASE("Counts have the tail of the binomial law", "[unit]") {
  // A key alone at its chance among others at 0 and 1, which fill the budget up to one place: with budget 1 + the sure
  // ones, all of which have the count 60, the threshold is the lowest count that fewer keys exceed.
  for (const double chance : {1e-3, 0.1, 0.5, 0.97}) {
    const Vector inclusion = inclusion_by_counts(Vector{{chance, chance, chance}}, 60, 1);
    CHECK(inclusion[0] == Approx(1 / 3.0).epsilon(1e-12));
  }
  // Two keys whose tails cross the budget of one at the same count: pi = P(X > c) + t P(X = c).
  const double a = 0.3, b = 0.4;
  Index c = 0;
  const auto above = [](Index count, double p) { return boost::math::ibeta(real(count + 1), real(60 - count), p); };
  while (above(c, a) + above(c, b) > 1) ++c;
  const double atom_a = above(c - 1, a) - above(c, a), atom_b = above(c - 1, b) - above(c, b);
  const double t = (1 - above(c, a) - above(c, b)) / (atom_a + atom_b);

  const Vector inclusion = inclusion_by_counts(Vector{{a, b}}, 60, 1);

  CHECK(inclusion[0] == Approx(above(c, a) + t * atom_a).epsilon(1e-12));
  CHECK(inclusion[1] == Approx(above(c, b) + t * atom_b).epsilon(1e-12));
}

TEST_CASE("A budget, a law or a chance out of range is refused", "[unit]") {
  const ScoreLaws two = laws(Vector{{0.0, 1.0}}, Vector{{1.0, 1.0}});
  for (const Index budget : {-1, 0, 3}) {
    CHECK_THROWS_AS(inclusion_by_moments(two, budget), InputError);
    CHECK_THROWS_AS(inclusion_by_counts(Vector{{0.5, 0.5}}, 4, budget), InputError);
  }
  CHECK_THROWS_AS(inclusion_by_moments(laws(Vector(0), Vector(0)), 1), InputError);
  CHECK_THROWS_AS(inclusion_by_moments(laws(Vector{{0.0}}, Vector{{-1.0}}), 1), InputError);
  CHECK_THROWS_AS(inclusion_by_moments(laws(Vector{{std::nan("")}}, Vector{{1.0}}), 1), InputError);
  CHECK_THROWS_AS(inclusion_by_counts(Vector{{0.5}}, 0, 1), InputError);
  CHECK_THROWS_AS(inclusion_by_counts(Vector{{1.5}}, 4, 1), InputError);
  CHECK_THROWS_AS(inclusion_by_counts(Vector{{std::nan("")}}, 4, 1), InputError);
}
