#include "experiments/error_curves/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>

#include "experiments/command/progress.hpp"
#include "sim/require.hpp"
#include "sim/statistics/error_budget.hpp"

namespace skt {
namespace {

// The needle's cosine stands in the keys of these families only.
bool knows_needle(InstanceFamily family) {
  return family == InstanceFamily::needle || family == InstanceFamily::attention_sink;
}

void check_axis(const SweepPlan& plan, Axis axis) {
  require(axis != Axis::needle_cosine || knows_needle(plan.family.family),
          "the axis {} with --family {}: allowed are needle, attention-sink", name_of(axis),
          name_of(plan.family.family));
}

// In the enumeration, which seeds hang on.
std::uint64_t place_of(Axis axis) {
  return static_cast<std::uint64_t>(axis);
}

// The term whose slope is fitted along an axis.
Term term_along(Axis axis) {
  switch (axis) {
    case Axis::tables:
      return Term::finite_tables;
    case Axis::samples:
      return Term::sampling;
    case Axis::budget:
    case Axis::density:
      return Term::selection;
    default:
      return Term::total;
  }
}

// Instance and centre are kept from one value to the next where the axis leaves them alone.
class SweepRun {
 public:
  SweepRun(const SweepPlan& plan, Seed seed, double error_share, ProgressMeter& meter)
      : plan_(plan), seed_(seed), error_share_(error_share), meter_(meter) {
    axis_seed_ = derive_seed(seed, place_of(plan.axis));
    if (plan.second) {
      axis_seed_ = derive_seed(derive_seed(axis_seed_, 1 + place_of(plan.second->axis)),
                               std::bit_cast<std::uint64_t>(plan.second->value));
    }
  }

  AxisPoint point_at(double value) {
    const SweepProblem problem = resolved(with_value(plan_, plan_.axis, value));
    if (!instance_ || changes_instance(plan_.axis)) instance_ = instance_of(problem, seed_);
    if (!centre_ || changes_centre(plan_.axis)) centre_ = exact_centre(*instance_, problem.setting);
    AxisPoint point{value, problem.setting};
    point.query_norm = instance_->query.norm();
    point.largest_value = centre_->largest_value;
    const Seed seed = derive_seed(axis_seed_, std::bit_cast<std::uint64_t>(value));
    const MeasuredTerms measured =
        measure_terms(*instance_, point.setting, *centre_, seed, plan_.effort, [this] { meter_.advance(); });
    point.occupancy_drawn = measured.occupancy;
    point.occupancy_sure = (instance_->num_keys() + 1) / 2;
    const TermBounds drawn = term_bounds(*centre_, point.setting, point.occupancy_drawn, plan_.delta);
    const TermBounds sure = term_bounds(*centre_, point.setting, point.occupancy_sure, plan_.delta);
    point.required_drawn = drawn.required_tables;
    point.required_sure = sure.required_tables;
    point.terms = judge_terms({*instance_, point.setting, *centre_, measured, error_share_}, drawn, sure);
    add_to_curve(point, measured);
    return point;
  }

  std::optional<SlopeResult> slope(double error_share) const {
    if (!has_ratios(plan_.axis)) return std::nullopt;
    const Term term = term_along(plan_.axis);
    const bool rate_known = plan_.axis == Axis::tables || plan_.axis == Axis::samples;
    const SlopeTheory theory = rate_known ? SlopeTheory::inverse_root : SlopeTheory::exact_values;
    const std::optional<CurveSlope> fit = fit_slope(name_of(term), theory, curve_, error_share);
    return fit ? std::optional(SlopeResult{term, *fit}) : std::nullopt;
  }

 private:
  void add_to_curve(const AxisPoint& point, const MeasuredTerms& measured) {
    const Term term = term_along(plan_.axis);
    if (plan_.axis == Axis::tables && point.setting.tables < kLeastTablesOfLimit) return;
    // Every key selected: an error of rounding, which has no logarithm to speak of.
    if (term == Term::selection && point.setting.budget == instance_->num_keys()) return;
    curve_.push_back(fit_point(point.value, squares_of(term, measured), point.terms.of(term).predicted.value));
  }

  const SweepPlan& plan_;
  Seed seed_, axis_seed_;
  double error_share_;
  ProgressMeter& meter_;
  std::optional<Instance> instance_;
  std::optional<Centre> centre_;
  std::vector<FitPoint> curve_;
};

// Does any point measure the selection?
bool selects(const SweepPlan& plan) {
  return plan.setting.budget > 0 || plan.density > 0 || plan.axis == Axis::budget || plan.axis == Axis::density;
}

}  // namespace

void check(const SweepPlan& plan) {
  require(!plan.values.empty(), "--values: at least one is needed");
  for (const double value : plan.values) {
    check_axis_value("--values", plan.axis, value);
    require(std::count(plan.values.begin(), plan.values.end(), value) == 1,
            "--values: {} twice; allowed is each value once", value);
    resolved(with_value(plan, plan.axis, value));
  }
  check_axis(plan, plan.axis);
  if (plan.second) check_axis(plan, plan.second->axis);
  require(plan.effort.trials >= 2, "--trials is {}: allowed are 2 and more", plan.effort.trials);
  require(plan.effort.draws >= 1, "--draws is {}: allowed are 1 and more", plan.effort.draws);
  require(plan.delta > 0 && plan.delta < 1, "--delta is {}: allowed is above 0 and below 1", plan.delta);
}

SweepResult run_sweep(const SweepPlan& plan, Seed seed) {
  check(plan);
  SweepResult result{plan};
  // Half for the slope, the one number of the sweep that all points make together; half for the points.
  ErrorBudget halves(plan.family_error, 2);
  result.slope_error_share = halves.take();
  const std::size_t intervals = kJudgedTerms + (selects(plan) ? 1 : 0);
  result.error_share = ErrorBudget(halves.take(), intervals * plan.values.size()).take();

  ProgressMeter meter(fmt::format("sweep {} ({})", name_of(plan.axis), name_of(plan.family.family)),
                      plan.effort.trials * plan.values.size());
  SweepRun run(plan, seed, result.error_share, meter);
  for (const double value : plan.values) result.points.push_back(run.point_at(value));
  result.slope = run.slope(result.slope_error_share);
  return result;
}

std::vector<Verdict> verdicts(const SweepResult& result) {
  std::vector<Verdict> all;
  for (const AxisPoint& point : result.points) {
    point.terms.each([&](const TermResult& term) {
      if (term.verdict) all.push_back(*term.verdict);
    });
  }
  if (result.slope && result.slope->fit.verdict) all.push_back(*result.slope->fit.verdict);
  return all;
}

}  // namespace skt
