#include "proofs_check/laws/exact_population.hpp"

#include "sim/families.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

Instance of_family(InstanceFamily family, Index copies) {
  return make_instance({.family = family, .dim = 2, .copies = copies}, {1}, 0);
}

}  // namespace

TEST_CASE("Keys along and against the query share the mass of one plane, and all of the angular mass is along",
          "[unit]") {
  // A key and its mirror image fall on opposite sides of every plane: their probabilities add up to 1.
  const Population p = population_of(of_family(InstanceFamily::antipodal, 1), 1, 0.5);

  CHECK(std::abs(p.soft_mass - 1) <= 4 * p.error + 1e-15);
  CHECK(p.angular(0) == 1);
  CHECK(p.angular(1) == 0);
  CHECK(p.angular_mass == 1);
  CHECK(p.angular_output(0) == 1);                                                  // the value of the key along
  CHECK(std::abs(p.epsilon.value - p.soft(1)) <= 4 * (p.error + p.epsilon.error));  // 1 - g(1) = g(-1)
  CHECK(std::abs(p.soft_output(0) - (1 - 2 * p.epsilon.value)) <= 8 * (p.error + p.epsilon.error) + 1e-15);
  CHECK(p.error < 1e-9);
}

TEST_CASE("Keys across the query get half of every plane, soft and angular", "[unit]") {
  const Population p = population_of(of_family(InstanceFamily::two_sided, 3), 2, 0.5);

  REQUIRE(p.soft.size() == 6);
  for (Index j = 0; j < 6; ++j) {
    CHECK(std::abs(p.soft(j) - 0.25) <= 2 * p.error + 1e-15);
    CHECK(std::abs(p.angular(j) - 0.25) <= 2 * p.error + 1e-15);
  }
  CHECK(std::abs(p.soft_mass - 1.5) <= 16 * p.error + 1e-14);
  CHECK(p.soft_output.norm() <= 16 * p.error + 1e-14);  // three values +e_1 and three -e_1
}

TEST_CASE("Copies of a key have the weight of the key, bit for bit", "[unit]") {
  const Population p = population_of(of_family(InstanceFamily::copies, 4), 3, 0.5);

  for (Index j = 1; j < 4; ++j) {
    CHECK(p.soft(j) == p.soft(0));
    CHECK(p.angular(j) == p.angular(0));
  }
}

TEST_CASE("Without the division by sqrt(d) the temperature is the same as sqrt(d) times less", "[unit]") {
  const Instance instance = of_family(InstanceFamily::antipodal, 1);

  const Population scaled = population_of(instance, 2, 0.5 / std::sqrt(2.0));
  const Population raw = population_of(instance, 2, 0.5, Scaling::none);

  CHECK(std::abs(scaled.soft(0) - raw.soft(0)) <= 2 * (scaled.error + raw.error) + 1e-14);
  CHECK(raw.soft(0) > population_of(instance, 2, 0.5).soft(0));
}

TEST_CASE("Of two opposite keys the pair moments of one plane add up to the weights", "[unit]") {
  // s_0 + s_1 = 1 in every plane, so E[s_i s_0] + E[s_i s_1] = E[s_i].
  const Instance instance = of_family(InstanceFamily::antipodal, 1);
  const Population p = population_of(instance, 1, 0.5);

  const Matrix moments = pair_moments(instance, p.parameters);

  CHECK(moments(0, 1) == moments(1, 0));
  for (Index i = 0; i < 2; ++i) CHECK(std::abs(moments.row(i).sum() - p.soft(i)) <= 1e-9);
  CHECK(moments(0, 0) > moments(0, 1));
}
