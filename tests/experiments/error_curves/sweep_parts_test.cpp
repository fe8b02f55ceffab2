#include "experiments/error_curves/sweep_parts.hpp"

#include "experiments/error_curves/sweep_rows.hpp"
#include "tests/experiments/parts/toy_parts.hpp"
#include "tests/numbers.hpp"

using namespace skt;
TEST_CASE("Parts in any order, sent as text, give the same files to the byte", "[unit]") {
  const std::vector<SweepPlan> plans{sweep_of_40_keys(Axis::tables, {4, 16, 20}),
                                     sweep_of_40_keys(Axis::temperature, {0.1, 0.5}),
                                     sweep_of_40_keys(Axis::keys, {30, 40})};
  std::vector<SweepResult> one_by_one;
  for (const SweepPlan& plan : plans) one_by_one.push_back(run_sweep(plan, Seed{4}));

  const std::vector<SweepResult> together = assemble_sweeps(plans, Seed{4}, run_backwards(sweep_parts(plans, Seed{4})));

  CHECK(sweep_table(together).text() == sweep_table(one_by_one).text());
  CHECK(slope_table(together).text() == slope_table(one_by_one).text());
}

TEST_CASE("A point cut into blocks of trials has the moments of all trials in one pass", "[unit]") {
  // At 4096 keys a trial of 2^16 tables is estimated at seconds, so that sixteen trials make a part.
  SweepPlan plan = sweep_of_40_keys(Axis::tables, {65536});
  plan.family.keys = 4096;
  plan.effort.trials = 40;
  CHECK(sweep_parts(plan, Seed{1}).size() == 1 + 3);  // the centre; 16, 16 and 8 trials
  plan.effort.trials = 32;
  CHECK(sweep_parts(plan, Seed{1}).size() == 1 + 2);
}

TEST_CASE("Names of parts are unique, weights above 0, and the work told is the weight", "[unit]") {
  SweepPlan second = sweep_of_40_keys(Axis::tables, {4, 8});
  second.second = SecondAxis{Axis::temperature, 0.5};
  SweepPlan needles = sweep_of_40_keys(Axis::tables, {4, 8});
  needles.family = {.family = InstanceFamily::needle, .keys = 40, .dim = 8, .needles = 8};
  const std::vector<SweepPlan> plans{sweep_of_40_keys(Axis::tables, {4, 8}), second, needles,
                                     sweep_of_40_keys(Axis::samples, {4, 8})};
  check_names_and_work([&](const WorkSeen& seen) { return sweep_parts(plans, Seed{1}, seen); });
}

TEST_CASE("A centre is a part of its own where it changes along the axis, and else one for all", "[unit]") {
  const auto centres = [](const SweepPlan& plan) {
    const std::vector<Part> parts = sweep_parts(plan, Seed{1});
    return std::count_if(parts.begin(), parts.end(),
                         [](const Part& part) { return part.name.find("exact at") != std::string::npos; });
  };

  CHECK(centres(sweep_of_40_keys(Axis::tables, {4, 8, 16})) == 1);
  CHECK(centres(sweep_of_40_keys(Axis::temperature, {0.1, 0.5, 1})) == 3);
}

TEST_CASE("Results of another list are refused", "[unit]") {
  const SweepPlan plan = sweep_of_40_keys(Axis::tables, {4, 8});
  std::vector<Json> results = run_in_order(sweep_parts(plan, Seed{1}));
  results.pop_back();

  CHECK_THROWS_AS(assemble_sweep(plan, Seed{1}, results), InputError);
}
