#include "proofs_check/bounds/redraws.hpp"

#include "tests/numbers.hpp"

using namespace skt;

TEST_CASE("ranks at which the own error is above with probability delta", "[unit]") {
  CHECK(redraw_rank(19, 0.05) == 19);
  CHECK(redraw_rank(199, 0.05) == 190);
  CHECK(redraw_rank(200, 0.05) == 191);  // ceil(.95 201) = ceil(190.95)
  CHECK(redraw_rank(999, 0.01) == 990);
  CHECK(redraw_rank(1, 0.5) == 1);
  CHECK(redraw_rank(2, 0.5) == 2);  // ceil(1.5)
  // 100 (1 - percent/100) has no remainder, and rounding makes none.
  for (const int percent : {1, 2, 4, 5, 10, 15, 20, 25, 50}) CHECK(redraw_rank(99, percent / 100.0) == 100 - percent);
}

TEST_CASE("too few redraws are refused with the number that would do", "[unit]") {
  CHECK_THROWS_WITH(redraw_rank(18, 0.05), Catch::Matchers::ContainsSubstring("at least 19 "));
  CHECK_THROWS_WITH(redraw_rank(98, 0.01), Catch::Matchers::ContainsSubstring("at least 99 "));
  CHECK_THROWS_WITH(redraw_rank(0, 0.3), Catch::Matchers::ContainsSubstring("at least 3 "));
  CHECK(redraw_rank(3, 0.3) == 3);  // ceil(.7 4)
  CHECK_THROWS_AS(redraw_rank(10, 0), InputError);
  CHECK_THROWS_AS(redraw_rank(10, 1), InputError);
  CHECK_THROWS_AS(redraw_rank(-1, 0.5), InputError);
}

TEST_CASE("the bound is an order statistic", "[unit]") {
  CHECK(redraw_bound({3, 1, 2}, 0.25) == 3);
  CHECK(redraw_bound({3, 1, 2}, 0.5) == 2);
  CHECK(redraw_bound({5, 5, 1}, 0.5) == 5);
  CHECK_THROWS_AS(redraw_bound({1, std::numeric_limits<double>::quiet_NaN(), 2}, 0.5), InputError);
  CHECK_THROWS_AS(redraw_bound({}, 0.5), InputError);
}
