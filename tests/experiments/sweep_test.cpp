#include "experiments/sweep.hpp"

#include <omp.h>

#include <cmath>

#include "estimators/weighted_output.hpp"
#include "experiments/sweep_rows.hpp"
#include "sim/input_error.hpp"
#include "tests/catch.hpp"

using namespace skt;

namespace {

SweepPlan toy_plan(Axis axis, std::vector<double> values) {
  SweepPlan plan;
  plan.family.keys = 48;
  plan.family.dim = 8;
  plan.setting.planes = 3;
  plan.setting.tables = 16;
  plan.setting.samples = 32;
  plan.axis = axis;
  plan.values = std::move(values);
  plan.effort = {40, 8};
  return plan;
}

// The message of the InputError that a plan raises; empty if it raises none.
std::string complaint(const SweepPlan& plan) {
  try {
    run_sweep(plan, Seed{1});
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("On each axis no measured error term misses its exact centre", "[statement]") {
  for (const auto& plan : {toy_plan(Axis::tables, {16, 64}), toy_plan(Axis::samples, {8, 128}),
                           toy_plan(Axis::temperature, {0.05, 0.5})}) {
    const SweepResult result = run_sweep(plan, Seed{5});

    INFO(readable(result));
    for (const Verdict verdict : verdicts(result)) CHECK(verdict != Verdict::refuted);
    for (const AxisPoint& point : result.points) {
      for (const TermResult& term : point.terms) CHECK(term.verdict.has_value());
    }
  }
}

TEST_CASE("A wrong centre is refuted for every error term", "[mutant]") {
  const SweepPlan plan = toy_plan(Axis::tables, {64});
  const Instance instance = make_instance(plan.family, Seed{5}, 0);
  Setting setting = plan.setting;
  setting.tables = 64;
  ProgressMeter meter("mutant", 1);
  Centre centre = exact_centre(instance, setting);
  const MeasuredTerms measured = measure_terms(instance, setting, centre, Seed{5}, {100, 8}, meter);

  // The lies: mean squares off by a factor of two, and no bias at all.
  const auto misses = [](const Moments& squares, double claim) { return !student(squares, 1e-4).contains(claim); };
  CHECK(!misses(measured.finite_tables, centre.tables.mean_square.value / 64));
  CHECK(misses(measured.finite_tables, 2 * centre.tables.mean_square.value / 64));
  CHECK(!misses(measured.sampling, measured.sampling_expected.mean()));
  CHECK(misses(measured.sampling, 2 * measured.sampling_expected.mean()));
  CHECK(!misses(measured.bias, centre.bias.value));
  CHECK(misses(measured.bias, 0));
}

TEST_CASE("The fullest bucket of one plane holds at least half of the keys, and never more than all", "[unit]") {
  const SweepPlan plan = toy_plan(Axis::tables, {16});
  const Instance instance = make_instance(plan.family, Seed{2}, 0);
  Setting setting = plan.setting;
  setting.planes = 1;
  ProgressMeter meter("occupancy", 1);

  const MeasuredTerms measured = measure_terms(instance, setting, exact_centre(instance, setting), Seed{2}, {2, 1}, meter);

  CHECK(measured.occupancy >= 24);
  CHECK(measured.occupancy <= 48);
}

TEST_CASE("A sweep has the same rows for any number of threads", "[unit]") {
  const SweepPlan plan = toy_plan(Axis::tables, {4, 16, 64});
  const int threads = omp_get_max_threads();
  std::vector<std::string> texts;
  for (const int n : {1, 2, 16}) {
    omp_set_num_threads(n);
    const SweepResult result = run_sweep(plan, Seed{3});
    texts.push_back(sweep_table({result}).text() + slope_table({result}).text());
  }
  omp_set_num_threads(threads);

  CHECK(texts[0] == texts[1]);
  CHECK(texts[0] == texts[2]);
}

TEST_CASE("A value of the axis is measured the same beside other values", "[unit]") {
  const SweepResult alone = run_sweep(toy_plan(Axis::tables, {16}), Seed{3});
  const SweepResult among = run_sweep(toy_plan(Axis::tables, {8, 16}), Seed{3});

  CHECK(alone.points[0].terms[1].measured == among.points[1].terms[1].measured);
}

TEST_CASE("Below sixteen tables the limit in L is not judged, and no slope is fitted to one point", "[unit]") {
  const SweepResult result = run_sweep(toy_plan(Axis::tables, {4, 16}), Seed{3});

  CHECK(!result.points[0].terms[1].verdict.has_value());
  CHECK(result.points[0].terms[0].verdict.has_value());
  CHECK(!result.slope.has_value());
}

TEST_CASE("A plan out of range is refused with the name of the option", "[unit]") {
  CHECK(complaint(toy_plan(Axis::tables, {})).find("--values") == 0);
  CHECK(complaint(toy_plan(Axis::tables, {1.5})).find("--values") == 0);
  CHECK(complaint(toy_plan(Axis::samples, {0})).find("--values") == 0);
  CHECK(complaint(toy_plan(Axis::temperature, {-1})).find("--values") == 0);
  CHECK(complaint(toy_plan(Axis::temperature, {NAN})).find("--values") == 0);
  SweepPlan plan = toy_plan(Axis::tables, {4});
  plan.effort.trials = 1;
  CHECK(complaint(plan).find("--trials") == 0);
  plan = toy_plan(Axis::tables, {4});
  plan.delta = 1;
  CHECK(complaint(plan).find("--delta") == 0);
  plan = toy_plan(Axis::tables, {4});
  plan.setting.samples = 0;
  CHECK(complaint(plan).find("--samples") == 0);
}
