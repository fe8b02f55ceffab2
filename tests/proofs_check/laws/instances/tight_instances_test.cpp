#include "proofs_check/laws/instances/tight_instances.hpp"

#include "tests/numbers.hpp"

using namespace skt;

namespace {

void check_constants(const BoundConstants& c, double occupancy, double mass, double spectral_norm) {
  CHECK(c.occupancy == occupancy);
  CHECK(c.angular_mass == mass);
  CHECK(c.population_mass == mass);
  CHECK(near(c.spectral_norm, spectral_norm));
}

}  // namespace

TEST_CASE("One key: its bucket holds it or not, and its value has norm one", "[unit]") {
  const TightInstance at = one_key(0.25);

  check_constants(at.constants, 1, 0.25, 1);
  // Two tables: the share is 0, 1/2 or 1.
  CHECK(near(at.error(2).tails().front().error, 0.75));
  CHECK(near(at.error(2).tails().front().at_least, 1.0 / 16));
  CHECK(near(at.error(2).tails().back().error, 0.25));
}

TEST_CASE("Opposite keys: V^T V = 2B, and one table is off by B v", "[unit]") {
  const TightInstance at = opposite_keys(8);

  check_constants(at.constants, 8, 8, 4);
  REQUIRE(at.error(1).tails().size() == 1);
  CHECK(at.error(1).tails().front().error == 8);
  CHECK(near(at.error(2).tails().front().at_least, 0.5));
}

TEST_CASE("Opposite pairs: one table is off by a vector of signs", "[unit]") {
  const TightInstance at = opposite_pairs(4);

  check_constants(at.constants, 4, 4, std::sqrt(2.0));
  REQUIRE(at.error(1).tails().size() == 1);
  CHECK(at.error(1).tails().front().error == 2);
}
