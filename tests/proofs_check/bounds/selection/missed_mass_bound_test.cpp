#include "proofs_check/bounds/selection/missed_mass_bound.hpp"

#include "estimators/population/weights.hpp"
#include "sim/families.hpp"
#include "tests/numbers.hpp"

using namespace skt;

TEST_CASE("A mean of L coins is 0 with probability 2^-L, which Hoeffding's bound attains", "[unit]") {
  const ScoreLaw coin{.mean = 0.5, .variance = 0.25, .low = 0, .high = 1};

  CHECK(coin.below(0, 3) == Approx(0.125).epsilon(1e-12));
  CHECK(coin.above(1, 3) == Approx(0.125).epsilon(1e-12));
  CHECK(coin.above(1.01, 3) == 0);
  CHECK(coin.below(-0.01, 3) == 0);
  CHECK(coin.above(0.5, 3) == 1);
  CHECK(coin.below(0.5, 3) == 1);
}

TEST_CASE("Bennett's bound counts where the variance is small", "[unit]") {
  // u = .1 * .5/.01 = 5: .01/.25 (6 log 6 - 5) = .230022 a table. Hoeffding's has .6 log 1.2 + .4 log .8 = .020136.
  const ScoreLaw narrow{.mean = 0.5, .variance = 0.01, .low = 0, .high = 1};

  CHECK(narrow.above(0.6, 10) == Approx(std::exp(-2.30022)).epsilon(1e-5));
  CHECK(narrow.below(0.4, 10) == Approx(std::exp(-2.30022)).epsilon(1e-5));
  // Of a table in [.3, .6] a mean of .5 is 1/3 below the top: up 2/3 to 5/6 has 5/6 log 5/4 + 1/6 log 1/2 = .070428.
  const ScoreLaw skewed{.mean = 0.5, .variance = 1, .low = 0.3, .high = 0.6};
  CHECK(skewed.above(0.55, 10) == Approx(std::exp(-0.70428)).epsilon(1e-4));
}

TEST_CASE("The crowd is the best over the keys that may be sure to reach the threshold", "[unit]") {
  // Of two selected: no sure key (1 + .5 + .1 + .1)/3, one (.7)/2, two .2/1.
  CHECK(crowd_probability(Vector{{0.1, 1.0, 0.5, 0.1}}, 2) == Approx(0.2));
  // Many that seldom reach it: (8 * .1)/3 beside .7/2 and .6/1.
  CHECK(crowd_probability(Vector::Constant(8, 0.1), 2) == Approx(0.8 / 3));
  CHECK(crowd_probability(Vector::Ones(3), 3) == 0);
  CHECK(crowd_probability(Vector::Ones(4), 3) == 1);
}

TEST_CASE("The missed mass counts keys that fall short in proportion, up to the whole", "[unit]") {
  // delta .05 less a crowd of .01: .9 * .002/.04 + .06 * 1 + .04 * .02/.04.
  const ScoreTails tails{Vector{{0.002, 0.3, 0.02}}, Vector{{1.0, 0.0, 0.01}}};
  const Vector softmax{{0.9, 0.06, 0.04}};

  CHECK(missed_mass_at(softmax, tails, 1, 0.05) == Approx(0.045 + 0.06 + 0.02));
  CHECK(missed_mass_at(softmax, tails, 1, 0.01) == 1);
}

TEST_CASE("A key that lies along the query is kept, and one whose value is long enough is not needed", "[unit]") {
  Instance instance =
      make_instance({.family = InstanceFamily::needle, .keys = 64, .dim = 64, .needle_cosine = 0.95}, Seed{4}, 0);
  const PopulationParameters parameters = population_parameters(instance, 8, 0.5, Scaling::inverse_sqrt_dim);
  Vector softmax = Vector::Constant(64, 0.01 / 63), norms = Vector::Ones(64);
  softmax(32) = 0.99;
  const auto bound = [&](Index tables, Index budget) {
    return missed_mass_bound(instance, parameters, softmax, norms, tables, budget, 0.05);
  };

  CHECK(bound(400, 4) < 0.011);  // all but the needle may be missed
  CHECK(bound(400, 4) >= 0.01 * 60 / 63);
  CHECK(bound(1, 4) == 1);
  CHECK(bound(400, 64) == 0);
  norms(32) = 1e-6;  // the norm decides, against the needle
  CHECK(bound(400, 4) >= 0.99);
  norms(32) = 100;
  CHECK(bound(60, 1) < 0.011);

  norms(3) = -1;
  CHECK_THROWS_AS(bound(60, 1), InputError);
  norms(3) = 1;
  CHECK_THROWS_AS(bound(60, 65), InputError);
  CHECK_THROWS_AS(bound(0, 1), InputError);
  const auto several = missed_mass_bounds(instance, parameters, softmax, norms, 400, 4, {0.05, 0.2});
  CHECK(several[0] == bound(400, 4));
  CHECK(several[1] <= several[0]);
  CHECK_THROWS_AS(missed_mass_bounds(instance, parameters, softmax, norms, 60, 1, {0.0}), InputError);
}
