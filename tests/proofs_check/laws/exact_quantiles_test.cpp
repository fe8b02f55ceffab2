#include "proofs_check/laws/exact_quantiles.hpp"

#include "tests/catch.hpp"

using namespace skt;

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
