#include "experiments/verify/measured_time.hpp"

#include <set>

#include "proofs_check/statements.hpp"
#include "tests/catch.hpp"

using namespace skt;

TEST_CASE("Times are known of statements that there are", "[unit]") {
  std::set<std::string_view> known;
  const std::vector<Statement> all = all_statements();
  for (const Statement& s : all) known.insert(s.id);

  for (const std::string_view id : ids_with_measured_time()) {
    INFO(id);
    CHECK(known.contains(id));
    // Microseconds: a quarter of a second and more, of no statement a minute.
    const double time = measured_microseconds({.id = std::string(id)}, Profile::standard);
    CHECK((time >= 0.25e6 && time < 60e6));
  }
}

// A quarter and a hundred times the trials: Context::trials.
TEST_CASE("The time grows with the trials where there is chance", "[unit]") {
  const Statement random{.id = "a new one", .chance = Chance::random}, exact{.id = "a new one"};

  const double standard = measured_microseconds(random, Profile::standard);

  CHECK(standard > 0);
  CHECK(measured_microseconds(random, Profile::smoke) == Approx(standard / 4));
  CHECK(measured_microseconds(random, Profile::deep) == Approx(standard * 100));
  CHECK(measured_microseconds(exact, Profile::deep) == standard);
}
