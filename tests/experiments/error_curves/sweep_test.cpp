#include "experiments/error_curves/sweep.hpp"

#include <omp.h>

#include <cmath>

#include "estimators/weighted_output.hpp"
#include "experiments/error_curves/sweep_rows.hpp"
#include "sim/require.hpp"
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

  const MeasuredTerms measured =
      measure_terms(instance, setting, exact_centre(instance, setting), Seed{2}, {2, 1}, meter);

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

TEST_CASE("On the other axes no measured error term misses its exact centre", "[statement]") {
  SweepPlan needle = toy_plan(Axis::needle_cosine, {-0.5, 0.9});
  needle.family.family = InstanceFamily::needle;
  for (const auto& plan : {toy_plan(Axis::planes, {1, 4}), toy_plan(Axis::keys, {20, 48}), toy_plan(Axis::dim, {4, 8}),
                           toy_plan(Axis::query_norm, {0.5, 5}), toy_plan(Axis::density, {0.25, 1}),
                           toy_plan(Axis::key_norm_spread, {0, 1}), needle}) {
    const SweepResult result = run_sweep(plan, Seed{5});

    INFO(readable(result));
    for (const Verdict verdict : verdicts(result)) CHECK(verdict != Verdict::refuted);
    CHECK(verdicts(result).size() == 8);
  }
}

TEST_CASE("A value of an axis is the same problem as that value given as an option", "[unit]") {
  Problem problem = toy_plan(Axis::tables, {4});
  problem.family.family = InstanceFamily::needle;
  Problem by_hand = problem;
  by_hand.family.keys = 100;
  by_hand.family.query_norm = 2;
  by_hand.family.needle_cosine = 0.25;
  by_hand.setting.planes = 5;
  by_hand.setting.budget = 30;
  by_hand.key_norm_spread = 0.5;
  for (const auto& [axis, value] : {std::pair{Axis::keys, 100.0},
                                    {Axis::query_norm, 2.0},
                                    {Axis::planes, 5.0},
                                    {Axis::needle_cosine, 0.25},
                                    {Axis::density, 0.3},
                                    {Axis::key_norm_spread, 0.5}}) {
    problem = with_value(problem, axis, value);
  }
  problem = resolved(problem);

  CHECK(problem.setting.planes == 5);
  CHECK(problem.setting.budget == 30);
  CHECK(instance_of(problem, Seed{3}).keys == instance_of(by_hand, Seed{3}).keys);
}

TEST_CASE("The norms of the keys change what is selected, and no term of Theorem 3", "[unit]") {
  SweepPlan plan = toy_plan(Axis::key_norm_spread, {0, 1});
  plan.setting.budget = 12;
  const SweepResult result = run_sweep(plan, Seed{5});
  const auto term = [&](std::size_t point, Term t) { return result.points[point].terms[static_cast<std::size_t>(t)]; };

  for (const Term t : {Term::sampling, Term::finite_tables, Term::bias, Term::total}) {
    // The cosines are the same up to rounding; the exact values share it over 48 keys.
    CHECK(std::abs(term(0, t).predicted.value / term(1, t).predicted.value - 1) <= (t == Term::bias ? 1e-10 : 0.2));
  }
  CHECK(term(0, Term::selection).interval.hi < term(1, Term::selection).interval.lo);
}

TEST_CASE("Spreading the norms of the keys leaves their mean square", "[statement]") {
  Problem problem;
  problem.family.keys = 4096;
  problem.family.dim = 2;
  const Matrix drawn = instance_of(problem, Seed{3}).keys;
  problem.key_norm_spread = 0.3;
  const Matrix spread = instance_of(problem, Seed{3}).keys;
  const Vector factor = spread.rowwise().squaredNorm().cwiseQuotient(drawn.rowwise().squaredNorm());

  // exp(2 s z - 2 s^2) has mean 1 and variance e^(4 s^2) - 1; five deviations of the mean.
  CHECK(std::abs(factor.mean() - 1) <= 5 * std::sqrt(std::expm1(4 * 0.3 * 0.3) / 4096));
}

TEST_CASE("Selecting every key loses nothing, and what is lost stays below the bound by the mass left out", "[unit]") {
  const SweepResult result = run_sweep(toy_plan(Axis::density, {0.1, 0.5, 1}), Seed{5});
  for (const AxisPoint& point : result.points) {
    const TermResult& selection = point.terms.back();
    CHECK(selection.term == Term::selection);
    CHECK(selection.measured <= selection.bound_drawn + 1e-12 * point.largest_value);
  }
  // Sums of 48 rounded numbers in another order.
  CHECK(result.points.back().terms.back().measured <= 48 * 1e-15 * result.points.back().largest_value);
  REQUIRE(result.slope.has_value());
  CHECK(result.slope->slope < 0);
  CHECK(result.slope->slope > -5);  // with the point of every key it would be about -15 over log 2
}

TEST_CASE("The slope along an axis without a theory is beside that of the exact values", "[unit]") {
  const SweepResult result = run_sweep(toy_plan(Axis::temperature, {0.25, 0.5, 1}), Seed{5});

  REQUIRE(result.slope.has_value());
  CHECK(!result.slope->verdict.has_value());
  CHECK(result.slope->interval.contains(result.slope->predicted));
}

TEST_CASE("With one key nothing but rounding is left, and no exact value is refuted by it", "[unit]") {
  for (const InstanceFamily family :
       {InstanceFamily::gaussian, InstanceFamily::clustered, InstanceFamily::anisotropic}) {
    SweepPlan plan = toy_plan(Axis::tables, {4, 20});
    plan.family = {.family = family, .keys = 1, .dim = 1};

    for (const Verdict verdict : verdicts(run_sweep(plan, Seed{1}))) CHECK(verdict != Verdict::refuted);
  }
}

TEST_CASE("No power of the number of planes is fitted", "[unit]") {
  CHECK(!run_sweep(toy_plan(Axis::planes, {1, 3, 5}), Seed{5}).slope.has_value());
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
  plan.setting.samples = -1;
  CHECK(complaint(plan).find("--samples") == 0);
  CHECK(complaint(toy_plan(Axis::planes, {31})).find("--values") == 0);
  CHECK(complaint(toy_plan(Axis::density, {0})).find("--values") == 0);
  CHECK(complaint(toy_plan(Axis::needle_cosine, {-1.5})).find("--values") == 0);
  CHECK(complaint(toy_plan(Axis::budget, {49})).find("--budget") == 0);
}
