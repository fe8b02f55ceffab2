#include "experiments/error_curves/sweep.hpp"

#include "experiments/error_curves/sweep_rows.hpp"
#include "tests/experiments/refusal.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

SweepPlan sweep_of_48_keys(Axis axis, std::vector<double> values) {
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

std::string complaint(const SweepPlan& plan) {
  return refusal<InputError>([&] { run_sweep(plan, Seed{1}); });
}

}  // namespace

TEST_CASE("On each axis no measured error term misses its exact centre", "[statement]") {
  for (const auto& plan : {sweep_of_48_keys(Axis::tables, {16, 64}), sweep_of_48_keys(Axis::samples, {8, 128}),
                           sweep_of_48_keys(Axis::temperature, {0.05, 0.5})}) {
    const SweepResult result = run_sweep(plan, Seed{5});

    INFO(readable(result));
    for (const Verdict verdict : verdicts(result)) CHECK(verdict != Verdict::refuted);
    for (const AxisPoint& point : result.points) {
      point.terms.each([](const TermResult& term) { CHECK(term.verdict.has_value()); });
    }
  }
}

TEST_CASE("A value of the axis is measured the same beside other values", "[unit]") {
  const SweepResult alone = run_sweep(sweep_of_48_keys(Axis::tables, {16}), Seed{3});
  const SweepResult among = run_sweep(sweep_of_48_keys(Axis::tables, {8, 16}), Seed{3});

  CHECK(alone.points[0].terms.finite_tables.measured == among.points[1].terms.finite_tables.measured);
}

TEST_CASE("Below sixteen tables the limit in L is not judged, and no slope is fitted to one point", "[unit]") {
  const SweepResult result = run_sweep(sweep_of_48_keys(Axis::tables, {4, 16}), Seed{3});

  CHECK(!result.points[0].terms.finite_tables.verdict.has_value());
  CHECK(result.points[0].terms.sampling.verdict.has_value());
  CHECK(!result.slope.has_value());
}

TEST_CASE("On the other axes no measured error term misses its exact centre", "[statement]") {
  SweepPlan needle = sweep_of_48_keys(Axis::needle_cosine, {-0.5, 0.9});
  needle.family.family = InstanceFamily::needle;
  for (const auto& plan :
       {sweep_of_48_keys(Axis::planes, {1, 4}), sweep_of_48_keys(Axis::keys, {20, 48}),
        sweep_of_48_keys(Axis::dim, {4, 8}), sweep_of_48_keys(Axis::query_norm, {0.5, 5}),
        sweep_of_48_keys(Axis::density, {0.25, 1}), sweep_of_48_keys(Axis::key_norm_spread, {0, 1}), needle}) {
    const SweepResult result = run_sweep(plan, Seed{5});

    INFO(readable(result));
    for (const Verdict verdict : verdicts(result)) CHECK(verdict != Verdict::refuted);
    CHECK(verdicts(result).size() == 8);
  }
}

TEST_CASE("The norms of the keys change what is selected, and no term of Theorem 3", "[unit]") {
  SweepPlan plan = sweep_of_48_keys(Axis::key_norm_spread, {0, 1});
  plan.setting.budget = 12;
  const SweepResult result = run_sweep(plan, Seed{5});
  const auto term = [&](Index point, Term t) { return result.points[point].terms.of(t); };

  for (const Term t : {Term::sampling, Term::finite_tables, Term::bias, Term::total}) {
    // The cosines are the same up to rounding; the exact values share it over 48 keys.
    CHECK(std::abs(term(0, t).predicted.value / term(1, t).predicted.value - 1) <= (t == Term::bias ? 1e-10 : 0.2));
  }
  CHECK(term(0, Term::selection).interval.hi < term(1, Term::selection).interval.lo);
}

TEST_CASE("Selecting every key loses nothing, and what is lost stays below the bound by the mass left out", "[unit]") {
  const SweepResult result = run_sweep(sweep_of_48_keys(Axis::density, {0.1, 0.5, 1}), Seed{5});
  for (const AxisPoint& point : result.points) {
    const TermResult& selection = *point.terms.selection;
    CHECK(selection.measured <= selection.bound_drawn + 1e-12 * point.largest_value);
  }
  // Sums of 48 rounded numbers in another order.
  CHECK(result.points.back().terms.selection->measured <= 48 * 1e-15 * result.points.back().largest_value);
  REQUIRE(result.slope.has_value());
  CHECK(result.slope->fit.slope < 0);
  CHECK(result.slope->fit.slope > -5);  // with the point of every key it would be about -15 over log 2
}

TEST_CASE("The slope along an axis without a theory is beside that of the exact values", "[unit]") {
  const SweepResult result = run_sweep(sweep_of_48_keys(Axis::temperature, {0.25, 0.5, 1}), Seed{5});

  REQUIRE(result.slope.has_value());
  CHECK(!result.slope->fit.verdict.has_value());
  CHECK(result.slope->fit.interval.contains(result.slope->fit.predicted));
}

TEST_CASE("With one key nothing but rounding is left, and no exact value is refuted by it", "[unit]") {
  for (const InstanceFamily family :
       {InstanceFamily::gaussian, InstanceFamily::clustered, InstanceFamily::anisotropic}) {
    SweepPlan plan = sweep_of_48_keys(Axis::tables, {4, 20});
    plan.family = {.family = family, .keys = 1, .dim = 1};

    for (const Verdict verdict : verdicts(run_sweep(plan, Seed{1}))) CHECK(verdict != Verdict::refuted);
  }
}

TEST_CASE("The sure occupancy is no smaller than half of the keys and what was drawn, and bounds are made from either",
          "[unit]") {
  SweepPlan plan = sweep_of_48_keys(Axis::keys, {47, 48});
  plan.effort = {2, 1};

  const SweepResult result = run_sweep(plan, Seed{3});

  for (const AxisPoint& point : result.points) {
    CHECK(point.occupancy_drawn >= 6);  // eight buckets
    CHECK(point.occupancy_sure >= std::max<Index>(24, point.occupancy_drawn));
    CHECK(real(point.occupancy_sure) <= point.value);
    const double times = real(point.occupancy_sure) / real(point.occupancy_drawn);
    // The least L is quadratic in the occupancy, and the bound of the bias as (1 + sqrt(B)/Z) B.
    CHECK(point.required_sure / point.required_drawn == Approx(times * times).epsilon(1e-12));
    CHECK((point.terms.bias.bound_sure > point.terms.bias.bound_drawn) == (times > 1));
    CHECK(point.terms.sampling.bound_sure == point.terms.sampling.bound_drawn);
  }
}

TEST_CASE("No power of the number of planes is fitted", "[unit]") {
  CHECK(!run_sweep(sweep_of_48_keys(Axis::planes, {1, 3, 5}), Seed{5}).slope.has_value());
}

TEST_CASE("Values that an axis does not have are refused with the name of the option", "[unit]") {
  CHECK(complaint(sweep_of_48_keys(Axis::tables, {})).find("--values") == 0);
  CHECK(complaint(sweep_of_48_keys(Axis::tables, {1.5})).find("--values") == 0);
  CHECK(complaint(sweep_of_48_keys(Axis::budget, {49})).find("--budget") == 0);
}

TEST_CASE("The needle's cosine is an axis of the families that have one", "[unit]") {
  SweepPlan plan = sweep_of_48_keys(Axis::needle_cosine, {0.5});

  CHECK(complaint(plan).find("the axis needle-cosine with --families gaussian") == 0);
  plan.family.family = InstanceFamily::attention_sink;
  CHECK(complaint(plan).empty());
}

TEST_CASE("The error of a sweep is shared by the slope and by every interval of every point", "[unit]") {
  SweepPlan plan = sweep_of_48_keys(Axis::tables, {4, 16});
  plan.family_error = 0.016;

  const SweepResult without = run_sweep(plan, Seed{3});
  plan.setting.budget = 5;
  const SweepResult selecting = run_sweep(plan, Seed{3});

  CHECK(std::abs(without.slope_error_share / 0.008 - 1) <= 1e-12);
  CHECK(std::abs(without.error_share / (0.008 / 8) - 1) <= 1e-12);     // two points of four terms
  CHECK(std::abs(selecting.error_share / (0.008 / 10) - 1) <= 1e-12);  // and the selection
}
