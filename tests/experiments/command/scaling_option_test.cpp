#include "experiments/command/scaling_option.hpp"

#include "sim/require.hpp"
#include "tests/catch.hpp"

using namespace skt;

TEST_CASE("The two words of --scaling, and what another is told", "[unit]") {
  CHECK(scaling_named("inverse-sqrt-dim") == Scaling::inverse_sqrt_dim);
  CHECK(scaling_named("none") == Scaling::none);
  CHECK(scaling_named(kDefaultScaling) == Scaling::inverse_sqrt_dim);  // the divisor of the paper's Algorithm 2
  CHECK_THROWS_WITH(scaling_named("sqrt"), "--scaling sqrt: allowed are inverse-sqrt-dim, none");
  CHECK_THROWS_AS(scaling_named(""), InputError);
}
