#include "experiments/ranking/rows.hpp"

#include <string>

#include "tests/catch.hpp"
#include "tests/experiments/ranking/two_samples.hpp"
#include "tests/threads.hpp"

using namespace skt;

namespace {

PredictionResult prediction_by_hand() {
  PredictionSetting setting;
  setting.name = "as set";
  setting.hash.socket.temperature = 0.25;
  PredictionRow row{PredictedScore::hard, 16, PredictedQuantity::missed_mass, two(0.5, 0.5), two(0.25, 0.25), {}};
  row.difference = two(0.25, 0.25);
  return {setting, {row}};
}

}  // namespace

TEST_CASE("A row holds its setting, both numbers, their difference and its error", "[unit]") {
  const std::string text = prediction_table({prediction_by_hand()}).text();

  CHECK(text.find("\nas set,gaussian,4096,128,8,60,0.25,hard,16,missed-mass,0.5,0.25,0.25,0,2\n") != std::string::npos);
}

TEST_CASE("The file of predictions does not depend on the number of threads", "[unit]") {
  PredictionPlan plan;
  PredictionSetting setting = prediction_by_hand().setting;
  setting.family.keys = 128;
  setting.family.dim = 16;
  setting.cuts = {16};
  setting.scores = {PredictedScore::soft, PredictedScore::hard};
  setting.trials = 5;
  plan.settings = {setting};
  const auto on = [&](int threads) {
    const Threads scope(threads);
    return prediction_table(compare_predictions(plan, Seed{1})).text();
  };

  CHECK(on(1) == on(3));
}
