#include "experiments/error_curves/sweep_assembly.hpp"

#include <algorithm>

#include "sim/require.hpp"
#include "sim/statistics/error_budget.hpp"

namespace skt {
namespace {

// In the order of a row. The last two are measured where a budget is set.
constexpr Moments MeasuredTerms::* kMeasured[] = {&MeasuredTerms::sampling,      &MeasuredTerms::sampling_expected,
                                                  &MeasuredTerms::finite_tables, &MeasuredTerms::bias,
                                                  &MeasuredTerms::total,         &MeasuredTerms::occupied_miss,
                                                  &MeasuredTerms::selection,     &MeasuredTerms::left_out};

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

// Does any point measure the selection?
bool selects(const SweepPlan& plan) {
  return plan.setting.budget > 0 || plan.density > 0 || plan.axis == Axis::budget || plan.axis == Axis::density;
}

}  // namespace

Json json_of_trial(const MeasuredTerms& trial) {
  Json row = Json::array();
  row.push_back(trial.occupancy);
  for (const auto term : kMeasured)
    if ((trial.*term).count() > 0) row.push_back(to_json((trial.*term).mean()));
  return row;
}

MeasuredTerms trial_from(const Json& json) {
  const std::size_t all = std::size(kMeasured);
  if (!json.is_array() || (json.size() != 1 + all && json.size() != all - 1) || !json[0].is_number_integer())
    refuse("{}: allowed are an occupancy and {} or {} numbers", json.dump(), all - 2, all);
  MeasuredTerms trial;
  trial.occupancy = json[0].get<Index>();
  for (std::size_t i = 1; i < json.size(); ++i) (trial.*kMeasured[i - 1]).add(from_json<double>(json[i]));
  return trial;
}

SweepAssembly::SweepAssembly(const SweepPlan& plan) : result_{plan} {
  // Half for the slope, the one number of the sweep that all points make together; half for the points.
  ErrorBudget halves(plan.family_error, 2);
  result_.slope_error_share = halves.take();
  const std::size_t intervals = kJudgedTerms + (selects(plan) ? 1 : 0);
  result_.error_share = ErrorBudget(halves.take(), intervals * plan.values.size()).take();
}

void SweepAssembly::add(double value, const SweepPoints::Point& at, Index half_space, const RatioLimits& limits,
                        const MeasuredTerms& measured) {
  const SweepPlan& plan = result_.plan;
  Centre centre = at.centre;
  centre.tables = limits;
  AxisPoint point{value, at.setting};
  point.query_norm = at.instance.query.norm();
  point.largest_value = centre.largest_value;
  point.occupancy_drawn = measured.occupancy;
  point.occupancy_sure = std::max(half_space, measured.occupancy);
  const TermBounds drawn = term_bounds(centre, point.setting, point.occupancy_drawn, plan.delta);
  const TermBounds sure = term_bounds(centre, point.setting, point.occupancy_sure, plan.delta);
  point.required_drawn = drawn.required_tables;
  point.required_sure = sure.required_tables;
  point.terms = judge_terms({at.instance, point.setting, centre, measured, result_.error_share}, drawn, sure);
  add_to_curve(point, measured, at.instance.num_keys());
  result_.points.push_back(point);
}

void SweepAssembly::add_to_curve(const AxisPoint& point, const MeasuredTerms& measured, Index keys) {
  const Axis axis = result_.plan.axis;
  const Term term = term_along(axis);
  if (axis == Axis::tables && point.setting.tables < kLeastTablesOfLimit) return;
  // Every key selected: an error of rounding, which has no logarithm to speak of.
  if (term == Term::selection && point.setting.budget == keys) return;
  curve_.push_back(fit_point(point.value, squares_of(term, measured), point.terms.of(term).predicted.value));
}

std::optional<SlopeResult> SweepAssembly::slope() const {
  const Axis axis = result_.plan.axis;
  if (!has_ratios(axis)) return std::nullopt;
  const Term term = term_along(axis);
  const bool rate_known = axis == Axis::tables || axis == Axis::samples;
  const SlopeTheory theory = rate_known ? SlopeTheory::inverse_root : SlopeTheory::exact_values;
  const std::optional<CurveSlope> fit = fit_slope(name_of(term), theory, curve_, result_.slope_error_share);
  return fit ? std::optional(SlopeResult{term, *fit}) : std::nullopt;
}

SweepResult SweepAssembly::result() const {
  SweepResult whole = result_;
  whole.slope = slope();
  return whole;
}

}  // namespace skt
