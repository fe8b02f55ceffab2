#include "proofs_check/laws/exact_tails.hpp"

#include "tests/numbers.hpp"

using namespace skt;

TEST_CASE("Below means strictly below, on a lattice point as between two", "[unit]") {
  // Bin(4, 1/2) has the weights 1, 4, 6, 4, 1 over 16.
  CHECK(near_at_size_one(binomial_below(4, 0.5, 0.5), 5.0 / 16));   // 0, 1
  CHECK(near_at_size_one(binomial_below(4, 0.5, 0.6), 11.0 / 16));  // 0, 1, 2
  CHECK(near_at_size_one(binomial_below(4, 0.5, 1.1), 1));
  CHECK(binomial_below(4, 0.5, 0) == 0);
  CHECK(near_at_size_one(binomial_below(2, 0.25, 0.5), 9.0 / 16));  // (3/4)^2
}

TEST_CASE("A deviation counts both sides and leaves out the bound itself", "[unit]") {
  CHECK(near_at_size_one(binomial_deviation(4, 0.5, 0.25), 2.0 / 16));   // 0 and 4
  CHECK(near_at_size_one(binomial_deviation(4, 0.5, 0.24), 10.0 / 16));  // all but 2
  CHECK(near_at_size_one(binomial_deviation(4, 0.5, 0), 10.0 / 16));
  CHECK(near_at_size_one(binomial_deviation(2, 0.25, 0.25), 1.0 / 16));  // 0/2 and 1/2 lie at the bound, 2/2 beyond
  CHECK(near_at_size_one(binomial_deviation(4, 0.5, 0.5), 0));
}

TEST_CASE("A mean of signs lies beyond t on both sides", "[unit]") {
  // Two signs, + with probability 3/4: both equal in 9/16 and 1/16 of the cases; t = 1 itself is not beyond.
  CHECK(near_at_size_one(sign_mean_deviation(2, 0.75, 0.5), 10.0 / 16));
  CHECK(near_at_size_one(sign_mean_deviation(2, 0.75, 1), 0));
  CHECK(near_at_size_one(sign_mean_deviation(3, 0.5, 0.5), 0.25));  // all three equal: 2 of 8 cases
}

TEST_CASE("Two stages: the number of tables with the sign, and the signs drawn from it", "[unit]") {
  // One sample is +1 or -1.
  CHECK(near_at_size_one(two_stage_deviation(2, 1, 0.5), 1));
  // L = M = 2: H = 0 and 2 (1/4 each) give |T| = 1; H = 1 gives T = 0 half of the time.
  CHECK(near_at_size_one(two_stage_deviation(2, 2, 0.5), 0.75));
  // L = 4, M = 1 sample short of a tie: M = 3, |T| is 1/3 or 1; P(1) = E[p^3 + (1 - p)^3] over p = 0, 1/4, .. 1 with
  // weights 1, 4, 6, 4, 1: (1 + 4*28/64 + 6*16/64 + 4*28/64 + 1)/16 = 7/16.
  CHECK(near_at_size_one(two_stage_deviation(4, 3, 0.5), 7.0 / 16));
}

TEST_CASE("Without samples the deviation is that of 2H/L - 1", "[unit]") {
  CHECK(near_at_size_one(two_stage_deviation(2, 0, 0.5), 0.5));  // H = 0 and 2 of weights 1, 2, 1
  CHECK(near_at_size_one(two_stage_deviation(4, 0, 0.5),
                         0.125));  // H = 0 and 4: |2H/4 - 1| = 1/2 at H = 1 and 3 is not beyond
}

TEST_CASE("A sum of steps of three values, by hand", "[unit]") {
  CHECK(near_at_size_one(three_valued_sum_not_negative(0.1, 0.3, 0), 1));
  CHECK(near_at_size_one(three_valued_sum_not_negative(0.1, 0.3, 1), 0.7));
  // Two steps are negative in all with -1 -1 (.09) and with -1 and 0 in either order (.36).
  CHECK(near_at_size_one(three_valued_sum_not_negative(0.1, 0.3, 2), 0.55));
  // Without zeros it is a binomial: of three steps at least two rise, 3 * .4^2 * .6 + .4^3.
  CHECK(near_at_size_one(three_valued_sum_not_negative(0.4, 0.6, 3), 0.352));
}

TEST_CASE("Without samples the quantile is that of a coin's counts", "[unit]") {
  // L = 4: |2H/4 - 1| is 0, 1/2, 1 with probability 6/16, 8/16, 2/16.
  CHECK(two_stage_quantile(4, 0, 0.63) == 0);
  CHECK(two_stage_quantile(4, 0, 0.62) == 0.5);
  CHECK(two_stage_quantile(4, 0, 0.13) == 0.5);
  CHECK(two_stage_quantile(4, 0, 0.12) == 1);
  // L = 3: 1/3 and 1 with probability 6/8 and 2/8.
  CHECK(two_stage_quantile(3, 0, 0.26) == 1.0 / 3);
  CHECK(two_stage_quantile(3, 0, 0.24) == 1);
}

TEST_CASE("With samples the quantile is that of both stages", "[unit]") {
  // L = 2, M = 3: all signs are equal for H = 0 and 2; at H = 1 they are with probability 1/4: P(1) = 1/2 + 1/8.
  CHECK(two_stage_quantile(2, 3, 0.63) == 1.0 / 3);
  CHECK(two_stage_quantile(2, 3, 0.62) == 1);
  // L = 100, M = 2: both signs agree with probability E(p^2 + (1 - p)^2) = 1/2 + 1/(2L) = .505, p = H/L.
  CHECK(two_stage_quantile(100, 2, 0.505 + 1e-6) == 0);
  CHECK(two_stage_quantile(100, 2, 0.505 - 1e-6) == 1);
  // One table leaves one value only.
  CHECK(two_stage_quantile(1, 2, 0.99) == 1);
}
