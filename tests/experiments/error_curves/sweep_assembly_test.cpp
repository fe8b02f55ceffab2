#include "experiments/error_curves/sweep_assembly.hpp"

#include <limits>

#include "sim/require.hpp"
#include "tests/catch.hpp"

using namespace skt;
namespace {

Json sent(const Json& json) {
  return Json::parse(json.dump());
}

// Each term another number.
MeasuredTerms one_trial() {
  MeasuredTerms trial;
  trial.sampling.add(0.1);
  trial.sampling_expected.add(0.2);
  trial.finite_tables.add(0.3);
  trial.bias.add(-0.4);
  trial.total.add(0.5);
  trial.occupied_miss.add(0.6);
  trial.occupancy = 7;
  return trial;
}

}  // namespace

TEST_CASE("A trial that was sent has every term in its place", "[unit]") {
  const MeasuredTerms back = trial_from(sent(json_of_trial(one_trial())));

  CHECK(back.sampling.mean() == 0.1);
  CHECK(back.sampling_expected.mean() == 0.2);
  CHECK(back.finite_tables.mean() == 0.3);
  CHECK(back.bias.mean() == -0.4);
  CHECK(back.total.mean() == 0.5);
  CHECK(back.occupied_miss.mean() == 0.6);
  CHECK(back.occupancy == 7);
  CHECK(back.total.count() == 1);
  CHECK(back.selection.count() == 0);  // no budget: nothing selected
  CHECK(back.left_out.count() == 0);
}

TEST_CASE("With a budget a trial has its selection as well, and numbers that are none", "[unit]") {
  MeasuredTerms trial = one_trial();
  trial.selection.add(0.8);
  trial.left_out.add(std::numeric_limits<double>::infinity());

  const MeasuredTerms back = trial_from(sent(json_of_trial(trial)));

  CHECK(back.selection.mean() == 0.8);
  CHECK(back.left_out.mean() == std::numeric_limits<double>::infinity());
}

TEST_CASE("What is no trial is refused", "[unit]") {
  CHECK_THROWS_AS(trial_from(Json(1)), InputError);
  CHECK_THROWS_AS(trial_from(Json::array({1, 2.0})), InputError);
  CHECK_THROWS_AS(trial_from(Json::array({"a", 1, 2, 3, 4, 5, 6})), InputError);
}

TEST_CASE("Limits that were sent have every number in its place", "[unit]") {
  RatioLimits limits{{0.1, 0.2}, Vector::LinSpaced(3, 0.3, 0.5), 0.6, {0.7, 0.8}};

  const RatioLimits back = limits_from(sent(to_json(limits)));

  CHECK(back.mean_square.value == 0.1);
  CHECK(back.mean_square.error == 0.2);
  CHECK(back.bias == limits.bias);
  CHECK(back.bias_error == 0.6);
  CHECK(back.normaliser_variance.value == 0.7);
  CHECK(back.normaliser_variance.error == 0.8);
}
