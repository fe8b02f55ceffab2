#include "experiments/error_curves/sweep_assembly.hpp"

#include "tests/numbers.hpp"

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

TEST_CASE("The occupancy that can hold surely is that of a half-space or what was drawn, whichever is more", "[unit]") {
  SweepPlan plan;
  plan.family.keys = 48;
  plan.family.dim = 8;
  plan.setting = {.planes = 3, .tables = 16, .samples = 32};
  plan.values = {16};
  const Instance instance = make_instance(plan.family, Seed{3}, 0);
  const Centre centre = population_centre(instance, plan.setting);
  const RatioLimits limits{{0.1, 0}, Vector::Zero(instance.value_dim()), 0, {0, 0}};
  MeasuredTerms measured = one_trial();  // 7 keys in one bucket
  for (Moments* m : {&measured.sampling, &measured.sampling_expected, &measured.finite_tables, &measured.bias,
                     &measured.total, &measured.occupied_miss})
    m->add(1);

  for (const Index half_space : {3, 11}) {
    SweepAssembly assembly(plan);
    assembly.add(16, {plan.setting, instance, centre, Seed{3}}, half_space, limits, measured);
    const AxisPoint point = assembly.result().points.at(0);
    CHECK(point.occupancy_drawn == 7);
    CHECK(point.occupancy_sure == std::max<Index>(7, half_space));
    CHECK(point.required_drawn == term_bounds(centre, plan.setting, 7, plan.delta).required_tables);
    CHECK((point.required_sure == point.required_drawn) == (half_space == 3));
  }
}

TEST_CASE("Limits that were sent have every number in its place", "[unit]") {
  RatioLimits limits{{0.1, 0.2}, Vector::LinSpaced(3, 0.3, 0.5), 0.6, {0.7, 0.8}};

  const RatioLimits back = from_json<RatioLimits>(sent(to_json(limits)));

  CHECK(back.mean_square.value == 0.1);
  CHECK(back.mean_square.error == 0.2);
  CHECK(back.bias == limits.bias);
  CHECK(back.bias_error == 0.6);
  CHECK(back.normaliser_variance.value == 0.7);
  CHECK(back.normaliser_variance.error == 0.8);
}
