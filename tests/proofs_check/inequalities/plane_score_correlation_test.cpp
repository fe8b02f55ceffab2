#include "proofs_check/inequalities/plane_score_correlation.hpp"

#include "tests/numbers.hpp"

using namespace skt;

namespace {

const Vector kX{{3, -4}};

}  // namespace

TEST_CASE("The correlations of (3, -4) are those worked out by hand", "[unit]") {
  CHECK(near(projection_constant(), kC));
  CHECK(near(gamma_most(kX), 5 * kC));
  CHECK(near(gamma_hard(kX), 7 / std::sqrt(2.0) * kC));
  CHECK(near(gamma_of(kX, Vector{{1, 0}}), 3 * kC));
  CHECK(near(gamma_of(kX, Vector{{0, 2}}), -4 * kC));  // the length of s does not matter
}

TEST_CASE("The hard score is the correlation of the signs, the projection itself correlates best", "[unit]") {
  CHECK(near(gamma_of(kX, Vector{{1, -1}}), gamma_hard(kX)));
  CHECK(near(gamma_of(kX, kX), gamma_most(kX)));
}

TEST_CASE("The soft score is the correlation of tanh", "[unit]") {
  const double a = std::tanh(3.0), b = std::tanh(4.0);

  CHECK(near(gamma_soft(kX), (3 * a + 4 * b) / std::hypot(a, b) * kC));
}
