#include "proofs_check/inequalities/bias_cases.hpp"

#include "tests/numbers.hpp"
#include "tests/proofs_check/inequalities/by_hand.hpp"

using namespace skt;

namespace {

const Context kSmokeBias{.seed = {12}, .profile = Profile::smoke};

}  // namespace

TEST_CASE("The gaps and constants of a case are those worked out by hand", "[unit]") {
  const BiasCase c = bias_by_hand(2, 0x1p-20);

  CHECK(c.keys() == 2);
  CHECK(c.epsilon() == 0.25);
  CHECK(c.weight_gap() == Vector{{3, -1}});
  CHECK(c.share_gap() == Vector{{0.5, -0.5}});
  CHECK(c.output_gap() == 2.5);
  CHECK(c.largest_value() == 4);
  CHECK(c.constants().occupancy == 8);
  CHECK(c.constants().angular_mass == 2);
  CHECK(c.constants().population_mass == 4);
  CHECK(std::abs(c.constants().spectral_norm - 4) <= 1e-15 * 16);
  CHECK(c.constants().epsilon == 0.25);
}

TEST_CASE("The error of a case grows with its keys, its occupancy, its values and the inverse masses", "[unit]") {
  // 4 keys (2^-20 + 2^-20 + 4 units) B (1 + |V|)(1 + 1/Z_tau)(1 + 1/Z) = 8 (..) 8 * 5 * 5/4 * 3/2 = 600 (..)
  const double expected = 600 * (0x1p-19 + 4 * std::numeric_limits<double>::epsilon());

  CHECK(std::abs(bias_by_hand(2, 0x1p-20).error() - expected) <= 1e-14 * expected);
}

TEST_CASE("There are twelve instances at three temperatures, and the occupancy bounds what it must", "[statement]") {
  const std::vector<BiasCase> cases = bias_cases(kSmokeBias);

  REQUIRE(cases.size() == 36);
  std::set<std::string> names;
  for (const BiasCase& c : cases) {
    INFO(c.name);
    names.insert(c.name);
    CHECK(c.occupancy >= 1);
    CHECK(c.occupancy <= c.keys());
    CHECK(c.occupied_miss == c.occupancy * c.epsilon());
    CHECK(c.p.angular_mass <= c.occupancy + c.error());
    CHECK(c.p.soft_mass <= c.occupancy + c.error());
  }
  CHECK(names.size() == 36);
}

TEST_CASE("The occupancies of the tight cases are those counted by hand", "[unit]") {
  const std::vector<BiasCase> cases = bias_cases(kSmokeBias);

  // In the order of the list: antipodal and copies of 1 key, of 10 keys, one key along and two against.
  const double expected[] = {1, 1, 10, 10, 2};
  for (Index i = 0; i < 5; ++i) {
    INFO(cases[i].name);
    CHECK(cases[i].occupancy == expected[i]);
  }
  CHECK(cases[0].name == "I-ANTI(1) |q|=1 d=2 P=1 tau=0.01");
  CHECK(cases[4].keys() == 3);
  CHECK(cases[4].p.angular == Vector{{1, 0, 0}});
}

TEST_CASE("A bound that every case keeps survives, as an equality it is refuted, a violated one too", "[mutant]") {
  const BiasSide mass = [](const BiasCase& c) { return c.p.angular_mass; };
  const BiasSide occupancy = [](const BiasCase& c) { return c.occupancy; };
  const BiasSide twice = [](const BiasCase& c) { return 2 * c.occupancy; };

  const auto open = bounded_bias(mass, occupancy)(kSmokeBias);
  const auto attained = bounded_bias(mass, occupancy, Equality::attained)(kSmokeBias);
  const auto loose = bounded_bias(mass, twice, Equality::attained)(kSmokeBias);
  const auto violated = bounded_bias(twice, occupancy)(kSmokeBias);

  REQUIRE(open.size() == 1);
  CHECK(open[0].trials == 36);
  CHECK(judge(open) == Verdict::not_refuted);
  CHECK(judge(attained) == Verdict::not_refuted);  // Z = B on I-ANTI
  REQUIRE(loose.size() == 2);
  CHECK(judge(loose[0]) == Verdict::not_refuted);
  CHECK(judge(loose[1]) == Verdict::refuted);
  CHECK(judge(violated) == Verdict::refuted);
}
