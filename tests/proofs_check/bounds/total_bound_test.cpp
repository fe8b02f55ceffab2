#include "proofs_check/bounds/total_bound.hpp"

#include "tests/numbers.hpp"
#include "tests/proofs_check/bounds/nine_to_one.hpp"

using namespace skt;

TEST_CASE("Theorem 9 by hand: one draw of two values at an offset", "[unit]") {
  // y = .8 at the offset -.5: the errors -.3 and -2.3 have the squares .09 and 5.29 with probabilities .9 and .1, mean
  // .61 and variance .09 * 5.2^2 = 1.56^2.
  CHECK(std::abs(total_error_bound(0.5, nine_to_one(), 1, 0.5) - std::sqrt(0.61 + 1.56)) <= 1e-14);
  // Cantelli is attained at delta = .1, where the bound is the longer error.
  CHECK(std::abs(total_error_bound(0.5, nine_to_one(), 1, 0.1) - 2.3) <= 1e-14);
}

TEST_CASE("Theorem 9(b) by hand: one draw of two values at a known offset", "[unit]") {
  // At -.5 the errors are those above. At +.5 they are .7 and -1.3, squares .49 and 1.69: mean .61, variance .09 * 1.2^2.
  CHECK(std::abs(total_error_bound_at(Vector{{-0.5}}, nine_to_one(), 1, 0.1) - 2.3) <= 1e-14);
  CHECK(std::abs(total_error_bound_at(Vector{{0.5}}, nine_to_one(), 1, 0.5) - std::sqrt(0.61 + 0.36)) <= 1e-14);
  CHECK(std::abs(total_error_bound_at(Vector{{0.5}}, nine_to_one(), 1, 0.1) - 1.3) <= 1e-14);
}

TEST_CASE("An offset across the values adds its square and no variance", "[unit]") {
  const SamplingLaw flat = sampling_law(Vector{{9.0, 1.0}}, Matrix{{1.0, 0.0}, {-1.0, 0.0}});

  const double along = sampling_error_bound(flat, 7, 0.05);
  const double across = total_error_bound_at(Vector{{0.0, 3.0}}, flat, 7, 0.05);

  CHECK(std::abs(across - std::hypot(3, along)) <= 1e-14);
  CHECK(across < 0.95 * total_error_bound(3, flat, 7, 0.05));  // which does not know the direction
}

TEST_CASE("An offset of another shape or without a length is refused", "[unit]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();

  CHECK_THROWS_AS(total_error_bound_at(Vector{{1.0, 2.0}}, nine_to_one(), 5, 0.05), InputError);
  CHECK_THROWS_AS(total_error_bound_at(Vector{{nan}}, nine_to_one(), 5, 0.05), InputError);
}

TEST_CASE("Without an offset the total is the sampling error, and squares add where the samples are many", "[unit]") {
  CHECK(total_error_bound(0, nine_to_one(), 5, 0.05) == sampling_error_bound(nine_to_one(), 5, 0.05));
  // Mean 9 + .36/M, variance at most (4 * 9 * .36 + 8 * 3 * .288)/M for M >= 1e8: within 5e-3 of 9.
  CHECK(std::abs(total_error_bound(3, nine_to_one(), 100'000'000, 0.05) - 3) <= 5e-3);
}

TEST_CASE("Without a radius for the tables there is none in all", "[unit]") {
  const double infinity = std::numeric_limits<double>::infinity();

  CHECK(total_error_bound(infinity, nine_to_one(), 5, 0.05) == infinity);
  CHECK_THROWS_AS(total_error_bound(infinity, nine_to_one(), 5, 1), InputError);
  CHECK_THROWS_AS(total_error_bound(-0.1, nine_to_one(), 5, 0.05), InputError);
  CHECK_THROWS_AS(total_error_bound(std::numeric_limits<double>::quiet_NaN(), nine_to_one(), 5, 0.05), InputError);
}
