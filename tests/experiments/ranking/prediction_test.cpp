#include "experiments/ranking/prediction.hpp"

#include "tests/experiments/ranking/two_samples.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

PredictionPlan small_prediction(Index keys = 512) {
  PredictionSetting setting;
  setting.name = "small";
  setting.family.keys = keys;
  setting.family.dim = 32;
  setting.hash.tables = 40;
  setting.hash.planes = 6;
  setting.cuts = {8, 51};
  setting.scores = {PredictedScore::soft, PredictedScore::soft_times_norm, PredictedScore::hard};
  setting.trials = 24;
  return {{setting}};
}

}  // namespace

TEST_CASE("There is a row to each score, k and quantity, in that order", "[unit]") {
  const auto results = compare_predictions(small_prediction(), Seed{1});

  REQUIRE(results.size() == 1);
  const std::vector<PredictionRow>& rows = results.front().rows;
  REQUIRE(rows.size() == 3 * 2 * 3);
  CHECK((rows[0].score == PredictedScore::soft && rows[0].cut == 8));
  CHECK(rows[0].quantity == PredictedQuantity::precision);
  CHECK(rows[2].quantity == PredictedQuantity::output_error);
  CHECK(rows[3].cut == 51);
  CHECK(rows[17].score == PredictedScore::hard);
  for (const PredictionRow& row : rows) CHECK(row.difference.count() == 24);
}

TEST_CASE("Predicted and measured agree about as claimed, and differ in every trial", "[unit]") {
  const auto tables = compare_predictions(small_prediction(), Seed{1});
  for (const PredictionRow& row : tables.front().rows) {
    INFO(name_of(row.score) << " " << name_of(row.quantity) << " k " << row.cut);
    const double claimed = row.quantity == PredictedQuantity::output_error ? 0.05 : 0.02;
    CHECK(std::abs(row.difference_value()) <= claimed + 5 * row.difference_deviation());
    CHECK(row.difference.variance() > 0);
  }
}

TEST_CASE("A difference is that of the two means; of the output error relative, by the squares", "[unit]") {
  PredictionRow row{PredictedScore::soft, 8, PredictedQuantity::precision, two(0.5, 0.25), two(0.25, 0.25), {}};
  row.difference = two(0.25, 0);
  CHECK(row.difference_value() == row.predicted_value() - row.measured_value());
  CHECK(row.difference_deviation() == 0.125);
  CHECK(!row.within_claim());

  row.quantity = PredictedQuantity::output_error;
  row.predicted = two(4, 4.5);
  row.measured = two(4, 4);
  row.difference = two(0, 0.5);
  CHECK(row.measured_value() == 2);
  CHECK(row.predicted_value() == Approx(std::sqrt(4.25)).epsilon(1e-15));
  CHECK(row.difference_value() == 0.03125);  // .25 of 4 is a 16th of the square, half of it of the root
  CHECK(row.difference_deviation() == 0.03125);
  CHECK(row.within_claim());
}

TEST_CASE("What was not measured is not within a claim", "[unit]") {
  PredictionRow row{PredictedScore::soft, 8, PredictedQuantity::output_error, two(0, 0), two(0, 0), two(0, 0)};
  CHECK(!row.within_claim());
}

TEST_CASE("A plan of predictions out of range is refused", "[unit]") {
  PredictionPlan plan = small_prediction(50);
  CHECK_THROWS_AS(compare_predictions(plan, Seed{1}), InputError);
  plan = small_prediction();
  plan.settings.front().scores.clear();
  CHECK_THROWS_AS(compare_predictions(plan, Seed{1}), InputError);
}
