#include "experiments/reproduce_plans.hpp"

#include <set>

#include "tests/catch.hpp"

using namespace skt;

namespace {

std::set<std::string> names_of(Profile profile) {
  std::set<std::string> names;
  for (const SweepPlan& plan : sweeps_of(profile)) names.insert(name_of_sweep(plan));
  return names;
}

}  // namespace

TEST_CASE("Each sweep of a profile has a name of its own", "[unit]") {
  for (const Profile profile : {Profile::smoke, Profile::standard, Profile::deep})
    CHECK(names_of(profile).size() == sweeps_of(profile).size());
  CHECK(names_of(Profile::smoke) ==
        std::set<std::string>{"sweep of tables, gaussian, 4 planes", "sweep of tables, needle, 4 planes",
                              "sweep of samples, gaussian, 4 planes", "sweep of temperature, needle, 4 planes"});
  CHECK(names_of(Profile::deep).contains("sweep of tables, needle, 10 planes"));
}

TEST_CASE("The standard profile holds the paper's setting", "[unit]") {
  for (const SweepPlan& plan : sweeps_of(Profile::standard)) {
    INFO(name_of_sweep(plan));
    CHECK(plan.family.dim == 128);
    CHECK(plan.setting.planes == 8);
    CHECK(plan.family.keys == (plan.axis == Axis::temperature ? 1024 : 4096));
    CHECK(plan.setting.samples == (plan.axis == Axis::temperature ? 102 : 409));  // a tenth of the keys
  }
}

TEST_CASE("Every axis of a profile has values that rise, and trials for an interval", "[unit]") {
  for (const Profile profile : {Profile::smoke, Profile::standard, Profile::deep}) {
    for (const SweepPlan& plan : sweeps_of(profile)) {
      INFO(name_of_sweep(plan));
      CHECK(plan.values.size() >= 2);
      CHECK(std::is_sorted(plan.values.begin(), plan.values.end()));
      CHECK(plan.effort.trials >= 64);
    }
  }
}
