#include "experiments/ranking/rank.hpp"

#include <algorithm>

#include "sim/require.hpp"
#include "tests/catch.hpp"

using namespace skt;

namespace {

RankPlan small_plan() {
  RankPlan plan = rank_plan(Profile::smoke);
  plan.curves.resize(1);
  plan.curves.front().trials = plan.table.trials = 2;
  plan.table.families.resize(1);
  plan.table.densities = {0.1};
  plan.table.sizes = {};
  return plan;
}

}  // namespace

TEST_CASE("The curves of a setting are the setting and three variants that differ as their names say", "[unit]") {
  const RankPlan plan = rank_plan(Profile::standard);

  REQUIRE(plan.curves.size() == 4);
  CHECK(plan.curves[0].hash.planes == 8);
  CHECK(plan.curves[0].hash.tables == 60);
  CHECK(plan.curves[0].family.keys == 4096);
  CHECK(plan.curves[1].setting == "one plane");
  CHECK(plan.curves[1].hash.planes == 1);
  CHECK(plan.curves[1].hash.top <= 2);
  CHECK(plan.curves[2].hash.socket.scaling == Scaling::none);
  CHECK(plan.curves[3].hash.planes == 12);
  CHECK(plan.curves[3].hash.socket.temperature == 0.3);
  CHECK(plan.table.hash.planes == 8);
}

TEST_CASE("A profile sets the size and the trials, and the main job's plan is no larger", "[unit]") {
  const RankPlan smoke = rank_plan(Profile::smoke), standard = rank_plan(Profile::standard),
                 deep = rank_plan(Profile::deep), shorter = short_rank_plan(Profile::standard);

  CHECK(smoke.table.families.front().parameters.keys == 512);
  for (const CurvePlan& curve : smoke.curves) CHECK_NOTHROW(check(curve));
  CHECK(smoke.table.trials < standard.table.trials);
  CHECK(standard.table.trials < deep.table.trials);
  CHECK(shorter.table.trials < standard.table.trials);
  CHECK(shorter.curves.front().trials < standard.curves.front().trials);
  CHECK(short_rank_plan(Profile::smoke).table.trials == smoke.table.trials);
}

TEST_CASE("A part without curves or families is left out of the files", "[unit]") {
  RankPlan curves = small_plan(), table = small_plan();
  curves.table.families.clear();
  table.curves.clear();

  const auto files = [](const RankPlan& plan) {
    std::string names;
    for (const auto& [name, contents] : run_rank(plan, Seed{1}).files) names += name + " ";
    return names;
  };
  CHECK(files(small_plan()) == "rankers.csv ranking_curves.csv ranking_histogram.csv ");
  CHECK(files(curves) == "ranking_curves.csv ranking_histogram.csv ");
  CHECK(files(table) == "rankers.csv ");
}

TEST_CASE("A ranking plan out of range is refused before anything is computed", "[unit]") {
  RankPlan plan = small_plan();
  plan.table.sizes = {7};

  CHECK_THROWS_AS(run_rank(plan, Seed{1}), InputError);
}
