#include "experiments/ranking/rows.hpp"

#include <fmt/format.h>

#include "experiments/ranking/lead_intervals.hpp"
#include "tests/experiments/ranking/small_plans.hpp"
#include "tests/experiments/ranking/two_samples.hpp"
#include "tests/numbers.hpp"
#include "tests/threads.hpp"

using namespace skt;

namespace {

// One ranker at one density, never measured.
DensityTable density_by_hand() {
  DensityRow row{.family = "gaussian", .ranker = "socket", .density = 0.25, .bits_per_token = 480};
  row.selected = row.recall = two(0.25, 0.25);
  row.mass = row.error = two(0.5, 0.5);
  row.correlation = std::numeric_limits<double>::quiet_NaN();
  return {{row}, {{"socket", two(1, 2)}}};
}

DensityPlan plan_by_hand() {
  DensityPlan plan;
  plan.families = {{"gaussian", {}}};
  plan.families.front().parameters.keys = 512;
  plan.families.front().parameters.dim = 48;
  plan.hash.planes = 9;
  plan.hash.tables = 24;
  plan.hash.socket.temperature = 0.75;
  return plan;
}

bool holds(const CsvTable& table, const std::string& text) {
  return table.text().find(text) != std::string::npos;
}

PredictionResult prediction_by_hand() {
  PredictionSetting setting;
  setting.name = "as set";
  setting.hash.socket.temperature = 0.25;
  PredictionRow row{PredictedScore::hard, 16, PredictedQuantity::missed_mass, two(0.5, 0.5), two(0.25, 0.25), {}};
  row.difference = two(0.25, 0.25);
  return {setting, {row}};
}

}  // namespace

TEST_CASE("A row holds means with their intervals, and an empty cell where nothing is known", "[unit]") {
  DensityTable table = density_by_hand();
  // Nothing was compared, so that the whole share of the part, a third of a ten thousandth, would be left for one lead.
  CHECK(holds(ranker_table(table, plan_by_hand()),
              "\ngaussian,0.25,socket,published,480,0.25,0.25,0.25,0.25,0.5,0.5,0.5,0.5,0.5,0.5,,,,,,"));
  CHECK(holds(ranker_table(table, plan_by_hand()), ",512,48,9,24,0.75,2\n"));
  CHECK(LeadIntervals(0).error() == Approx(1e-4 / 3).epsilon(1e-12));
  table.rows.front().size = 64;
  table.rows.front().predicted_recall = two(0.75, 0.75);
  table.rows.front().correlation = 0.5;
  table.rows.front().lead = two(-0.125, -0.125);
  CHECK(holds(ranker_table(table, plan_by_hand()), "\ngaussian,0.25,socket,64,480,"));
  CHECK(holds(ranker_table(table, plan_by_hand()), ",0.75,0.5,-0.125,-0.125,-0.125,"));
}

TEST_CASE("All leads of a file share its part of the error", "[unit]") {
  RankingCurves curves{small_curves(), {}, {}, {}};
  for (const char* ranker : {"socket", "hard-lsh", "hamming", "random", "value-norm", "bucket-attention"}) {
    RankingPoint point{.ranker = ranker, .cut = 8};
    point.average = point.worst = point.best = point.lead = two(0.5, 0.5);
    curves.points.push_back(point);
  }
  // Two settings of five rivals each; 1e-4/3/10 in the shortest form that reads back.
  const std::string text = curve_table({curves, curves}).text();

  CHECK(LeadIntervals(10).error() == Approx(1e-5 / 3).epsilon(1e-12));
  CHECK(text.find(fmt::format(",{},512,", LeadIntervals(10).error())) != std::string::npos);
  CHECK(text.find(fmt::format(",{},512,", LeadIntervals(5).error())) == std::string::npos);
}

TEST_CASE("A row of a family that was not asked for is refused", "[unit]") {
  DensityTable table = density_by_hand();
  table.rows.front().family = "needle";
  CHECK_THROWS_WITH(ranker_table(table, plan_by_hand()), "rankers.csv: family needle is not one of the plan");
}

TEST_CASE("No file holds the seconds to build an index", "[unit]") {
  CHECK(ranker_table(density_by_hand(), plan_by_hand()).text().find("1.5") == std::string::npos);
}

TEST_CASE("A row of a temperature holds its setting, both precisions and the lead", "[unit]") {
  TemperatureRow row{"gaussian", 10, 0.3, "hamming", 64, 0.75, {}, {}, {}};
  row.precision = two(0.5, 0.5);
  row.predicted = two(0.25, 0.75);
  row.lead = two(-0.125, -0.125);

  CHECK(holds(temperature_rows({{row}}), "\ngaussian,10,0.3,hamming,64,0.5,0.5,0.5,0.5,0.75,-0.125,-0.125,-0.125,"));
}

TEST_CASE("Ranking files do not depend on the number of threads", "[unit]") {
  CurvePlan plan = small_curves();
  plan.trials = 3;
  const DensityPlan table = small_table({"needle"});
  TemperaturePlan temperatures;
  temperatures.families = table.families;
  temperatures.cuts = {16};
  temperatures.tables = 12;
  temperatures.trials = 3;
  PredictionSetting setting = prediction_by_hand().setting;
  setting.family.keys = 128;
  setting.family.dim = 16;
  setting.cuts = {16};
  setting.scores = {PredictedScore::soft, PredictedScore::hard};
  setting.trials = 5;

  const auto texts = [&] {
    const std::vector<RankingCurves> curves{ranking_curves(plan, Seed{8})};
    return std::vector<std::string>{curve_table(curves).text(), histogram_table(curves).text(),
                                    ranker_table(density_table(table, Seed{8}), table).text(),
                                    temperature_rows(temperature_table(temperatures, Seed{8})).text(),
                                    prediction_table(compare_predictions({{setting}}, Seed{8})).text()};
  };
  const auto on = [&](int threads) {
    const Threads scope(threads);
    return texts();
  };

  const auto alone = on(1), together = on(3);

  CHECK(alone == together);
  CHECK(alone[0].size() > 1000);
}

TEST_CASE("A row of predictions holds its setting, both numbers, their difference and its error", "[unit]") {
  const std::string text = prediction_table({prediction_by_hand()}).text();

  CHECK(text.find("\nas set,gaussian,4096,128,8,60,0.25,hard,16,missed-mass,0.5,0.25,0.25,0,2\n") != std::string::npos);
}
