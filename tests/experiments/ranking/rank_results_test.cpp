#include "experiments/ranking/rank_results.hpp"

#include "tests/numbers.hpp"

using namespace skt;
namespace {

Json sent(const Json& json) {
  return Json::parse(json.dump());
}

// Another mean for each.
Moments next() {
  static double mean = 0;
  Moments moments;
  moments.add(mean += 0.1);
  moments.add(mean + 0.01);
  return moments;
}

bool same(const Moments& a, const Moments& b) {
  return a.count() == b.count() && a.mean() == b.mean() && (a.variance() == b.variance() || a.count() < 2);
}

}  // namespace

TEST_CASE("Points and bins of curves come back in their places", "[unit]") {
  CurvePlan plan;
  plan.cuts = {2, 8};
  RankingCurves curves = empty_curves(plan);
  for (RankingPoint& point : curves.points) {
    point.average = next();
    point.worst = next();
    point.best = next();
    point.lead = next();
  }
  for (HistogramBin& bin : curves.histogram) bin.keys = next();
  curves.cutoff = next();

  const RankingCurves back = curves_from(sent(to_json(curves)), plan);

  REQUIRE(back.points.size() == curves.points.size());
  for (std::size_t i = 0; i < back.points.size(); ++i) {
    CHECK(back.points[i].ranker == curves.points[i].ranker);
    CHECK(same(back.points[i].average, curves.points[i].average));
    CHECK(same(back.points[i].worst, curves.points[i].worst));
    CHECK(same(back.points[i].best, curves.points[i].best));
    CHECK(same(back.points[i].lead, curves.points[i].lead));
  }
  for (std::size_t i = 0; i < back.histogram.size(); ++i) CHECK(same(back.histogram[i].keys, curves.histogram[i].keys));
  CHECK(same(back.cutoff, curves.cutoff));
}

TEST_CASE("Curves of another plan are refused", "[unit]") {
  CurvePlan plan, other;
  other.cuts = {16};

  CHECK_THROWS_AS(curves_from(to_json(empty_curves(plan)), other), InputError);
}

TEST_CASE("A row of a ranker comes back whole", "[unit]") {
  DensityRow row{.family = "needle",
                 .ranker = "quest",
                 .size = 64,
                 .density = 0.02,
                 .bits_per_token = 1.0 / 3,
                 .correlation = std::numeric_limits<double>::quiet_NaN()};
  for (const auto member : {&DensityRow::selected, &DensityRow::recall, &DensityRow::mass, &DensityRow::error,
                            &DensityRow::predicted_recall})
    row.*member = next();  // no lead, as oracle top-p
  DensityTable back;

  add_rows(sent(to_json(std::vector{row})), {"needle", {}}, back);

  REQUIRE(back.rows.size() == 1);
  const DensityRow& read = back.rows.front();
  CHECK(read.family == "needle");
  CHECK(read.ranker == "quest");
  CHECK(read.size == 64);
  CHECK(read.density == 0.02);
  CHECK(read.bits_per_token == 1.0 / 3);
  CHECK(std::isnan(read.correlation));
  CHECK(same(read.selected, row.selected));
  CHECK(same(read.recall, row.recall));
  CHECK(same(read.mass, row.mass));
  CHECK(same(read.error, row.error));
  CHECK(same(read.predicted_recall, row.predicted_recall));
  CHECK(read.lead.count() == 0);
}

TEST_CASE("A row of a temperature comes back whole", "[unit]") {
  TemperatureRow row{"gaussian", 10, 0.3, "hamming", 64, 0.75, next(), next(), next()};
  TemperatureTable back;

  add_rows(sent(to_json(std::vector{row})), {"gaussian", {}}, back);

  REQUIRE(back.rows.size() == 1);
  const TemperatureRow& read = back.rows.front();
  CHECK(read.family == "gaussian");
  CHECK(read.planes == 10);
  CHECK(read.temperature == 0.3);
  CHECK(read.ranker == "hamming");
  CHECK(read.cut == 64);
  CHECK(read.correlation == 0.75);
  CHECK(same(read.precision, row.precision));
  CHECK(same(read.predicted, row.predicted));
  CHECK(same(read.lead, row.lead));
}

TEST_CASE("Rows of a prediction come back in their places, and those of another setting are refused", "[unit]") {
  PredictionSetting setting, other;
  setting.scores = other.scores = {PredictedScore::soft, PredictedScore::hard};
  setting.cuts = {4, 16};
  other.cuts = {4};
  PredictionResult result = empty_result(setting);
  for (PredictionRow& row : result.rows) {
    row.predicted = next();
    row.measured = next();
    row.difference = next();
  }

  const PredictionResult back = prediction_from(sent(to_json(result.rows)), setting);

  REQUIRE(back.rows.size() == 2 * 2 * 3);
  for (std::size_t i = 0; i < back.rows.size(); ++i) {
    CHECK(same(back.rows[i].predicted, result.rows[i].predicted));
    CHECK(same(back.rows[i].measured, result.rows[i].measured));
    CHECK(same(back.rows[i].difference, result.rows[i].difference));
  }
  CHECK_THROWS_AS(prediction_from(to_json(result.rows), other), InputError);
}
