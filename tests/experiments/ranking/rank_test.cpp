#include "experiments/ranking/rank.hpp"

#include "sim/require.hpp"
#include "tests/catch.hpp"
#include "tests/sim/two_key_heads.hpp"

using namespace skt;

namespace {

RankPlan small_rank() {
  RankPlan plan = rank_plan(Profile::smoke);
  plan.curves.resize(1);
  plan.curves.front().trials = plan.table.trials = 2;
  plan.table.families.resize(1);
  plan.table.densities = {0.1};
  plan.table.sizes = {};
  plan.temperatures.families.resize(1);
  plan.temperatures.trials = 2;
  plan.prediction.settings.resize(1);
  plan.prediction.settings.front().trials = 2;
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
  CHECK(standard.table.sizes == std::vector<Index>{64, 128, 256, 512});
  CHECK(standard.table.densities == std::vector<double>{0.02, 0.05, 0.1, 0.2, 0.5});
  CHECK(shorter.table.trials < standard.table.trials);
  CHECK(shorter.curves.front().trials < standard.curves.front().trials);
  CHECK(short_rank_plan(Profile::smoke).table.trials == smoke.table.trials);
}

TEST_CASE("Temperatures and planes are those of Table 6, at three lengths of the query", "[unit]") {
  const TemperaturePlan plan = rank_plan(Profile::standard).temperatures;

  CHECK(plan.planes == std::vector<Index>{8, 10, 12});
  CHECK(plan.temperatures == std::vector<double>{0.3, 0.5, 0.7});
  CHECK(plan.cuts == std::vector<Index>{16, 64, 256, 410});
  int gaussian = 0;
  for (const NamedFamily& family : plan.families)
    gaussian += family.parameters.family == InstanceFamily::gaussian ? 1 : 0;
  CHECK(gaussian == 3);
  CHECK(plan.families.size() == 9);
  CHECK(short_rank_plan(Profile::standard).temperatures.families.size() == 3);
}

TEST_CASE("Temperatures are compared at a k that every family has, the learned one with its own number of keys",
          "[unit]") {
  CurvePlan setting;
  setting.family.keys = 300;

  const auto cuts = [&](std::vector<NamedFamily> families) { return temperature_plan(setting, families).cuts; };

  CHECK(cuts({{"gaussian", {.keys = 300}}}) == std::vector<Index>{16, 30, 64, 256});
  // The fewest keys of an instance of two_key_heads are 4, whose tenth is below one key.
  CHECK(cuts({{"gaussian", {.keys = 300}}, {"learned", with_heads({}, two_key_heads())}}) == std::vector<Index>{1});
}

TEST_CASE("Temperatures are compared with the tables, the scaling and the trials of the setting", "[unit]") {
  CurvePlan setting;
  setting.hash.tables = 7;
  setting.hash.socket.scaling = Scaling::none;
  setting.trials = 5;

  const TemperaturePlan plan = temperature_plan(setting, {{"gaussian", {.keys = 300}}});

  CHECK(plan.tables == 7);
  CHECK(plan.scaling == Scaling::none);
  CHECK(plan.trials == 5);
  CHECK(plan.families.size() == 1);
}

TEST_CASE("Predictions are compared in Figure 2's settings and on five families at two sizes", "[unit]") {
  const PredictionPlan plan = rank_plan(Profile::standard).prediction;

  REQUIRE(plan.settings.size() == 4 + 5 * 3);
  CHECK(plan.settings[0].cuts == std::vector<Index>{16, 32, 64, 128, 256, 512, 1024, 2048});
  CHECK(plan.settings[2].hash.socket.scaling == Scaling::none);
  CHECK(plan.settings[4].cuts == std::vector<Index>{409});
  CHECK(plan.settings[5].cuts == std::vector<Index>{16, 64, 124});
  CHECK(plan.settings[5].hash.planes == 10);
  CHECK(plan.settings[6].family.keys == 32768);
  CHECK(plan.settings[6].cuts == std::vector<Index>{992});
  CHECK(plan.settings[6].trials == plan.settings[5].trials / 4);
  CHECK(short_rank_plan(Profile::standard).prediction.settings.size() == 4 + 5);
}

TEST_CASE("A part without curves, families or settings is left out of the files", "[unit]") {
  RankPlan curves = small_rank(), table = small_rank(), warm = small_rank(), predicted = small_rank();
  for (RankPlan* plan : {&table, &warm, &predicted}) plan->curves.clear();
  for (RankPlan* plan : {&curves, &warm, &predicted}) plan->table.families.clear();
  for (RankPlan* plan : {&curves, &table, &predicted}) plan->temperatures.families.clear();
  for (RankPlan* plan : {&curves, &table, &warm}) plan->prediction.settings.clear();

  const auto files = [](const RankPlan& plan) {
    std::string names;
    for (const auto& [name, contents] : run_rank(plan, Seed{1}).files) names += name + " ";
    return names;
  };
  CHECK(files(small_rank()) ==
        "rankers.csv ranking_curves.csv ranking_histogram.csv ranking_prediction.csv ranking_temperatures.csv ");
  CHECK(files(curves) == "ranking_curves.csv ranking_histogram.csv ");
  CHECK(files(table) == "rankers.csv ");
  CHECK(files(warm) == "ranking_temperatures.csv ");
  CHECK(files(predicted) == "ranking_prediction.csv ");
}

TEST_CASE("A ranking plan out of range is refused before anything is computed", "[unit]") {
  RankPlan plan = small_rank();
  plan.table.sizes = {7};
  CHECK_THROWS_AS(run_rank(plan, Seed{1}), InputError);
  plan = small_rank();
  plan.temperatures.cuts = {513};
  CHECK_THROWS_AS(run_rank(plan, Seed{1}), InputError);
  plan = small_rank();
  plan.prediction.settings.front().cuts = {513};
  CHECK_THROWS_AS(run_rank(plan, Seed{1}), InputError);
}
