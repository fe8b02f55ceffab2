#include "experiments/error_curves/sweep_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "experiments/families/family_word.hpp"
#include "proofs_check/names.hpp"

namespace skt {
namespace {

std::string verdict_text(const std::optional<Verdict>& verdict) {
  return verdict ? name_of(*verdict) : "not-judged";
}

// None: empty cells.
std::string second_name(const SweepPlan& plan) {
  return plan.second ? name_of(plan.second->axis) : "";
}
double second_value(const SweepPlan& plan) {
  return plan.second ? plan.second->value : std::numeric_limits<double>::quiet_NaN();
}

void add_rows(const SweepResult& sweep, const AxisPoint& point, CsvTable& table) {
  const auto& [plan, setting] = std::tie(sweep.plan, point.setting);
  const SweepProblem problem = with_value(plan, plan.axis, point.value);
  point.terms.each([&](const TermResult& term) {
    table.add({name_of(plan.family),
               name_of(plan.axis),
               point.value,
               second_name(plan),
               second_value(plan),
               name_of(term.term),
               problem.family.keys,
               problem.family.dim,
               setting.planes,
               setting.tables,
               setting.samples,
               setting.budget,
               setting.temperature,
               point.query_norm,
               problem.family.needle_cosine,
               problem.key_norm_spread,
               plan.effort.trials,
               plan.effort.draws,
               1 - sweep.error_share,
               term.measured,
               term.interval.lo,
               term.interval.hi,
               term.predicted.value,
               term.predicted.error,
               term.bound_drawn,
               term.bound_sure,
               term.bound_repaired,
               point.largest_value,
               term.scaled,
               term.scaled_interval.lo,
               term.scaled_interval.hi,
               term.scaled_predicted.value,
               term.scaled_predicted.error,
               plan.delta,
               point.occupancy_drawn,
               point.occupancy_sure,
               point.required_drawn,
               point.required_sure,
               verdict_text(term.verdict)});
  });
}

}  // namespace

CsvTable sweep_table(const std::vector<SweepResult>& sweeps) {
  CsvTable table = CsvTable::of(
      "family,axis,axis_value,axis2,axis2_value,term,keys,dim,planes,tables,samples,budget,temperature,"
      "query_norm,needle_cosine,key_norm_spread,trials,draws_per_trial,confidence,error_value_units,"
      "error_lo_value_units,error_hi_value_units,predicted_value_units,"
      "predicted_uncertainty_value_units,bound_drawn_occupancy_value_units,"
      "bound_sure_occupancy_value_units,bound_repaired_value_units,trivial_bound_value_units,"
      "scaled_mse_value_units_squared,scaled_mse_lo_value_units_squared,"
      "scaled_mse_hi_value_units_squared,predicted_scaled_mse_value_units_squared,"
      "predicted_scaled_mse_uncertainty_value_units_squared,delta,drawn_occupancy_keys,"
      "sure_occupancy_keys,required_tables_drawn_occupancy,required_tables_sure_occupancy,verdict");
  for (const SweepResult& sweep : sweeps) {
    for (const AxisPoint& point : sweep.points) add_rows(sweep, point, table);
  }
  return table;
}

CsvTable slope_table(const std::vector<SweepResult>& sweeps) {
  CsvTable table = CsvTable::of(
      "family,axis,axis2,axis2_value,term,planes,temperature,fitted_from_axis_value,"
      "slope_log_error_per_log_axis,slope_lo,slope_hi,confidence,predicted_slope,verdict");
  for (const SweepResult& sweep : sweeps) {
    if (!sweep.slope) continue;
    const CurveSlope& fit = sweep.slope->fit;
    const SweepPlan& plan = sweep.plan;
    table.add({name_of(plan.family), name_of(plan.axis), second_name(plan), second_value(plan),
               name_of(sweep.slope->term), plan.setting.planes, plan.setting.temperature, fit.first_value, fit.slope,
               fit.interval.lo, fit.interval.hi, 1 - sweep.slope_error_share, fit.predicted,
               verdict_text(fit.verdict)});
  }
  return table;
}

std::string readable(const SweepResult& sweep) {
  std::string out = fmt::format(
      "{} on {}{}: {} keys, dim {}, planes {}; errors in the unit of the values, intervals at {:.6f}\n"
      "{:>12} {:<13} {:>10} {:>23} {:>11} {:>10}  {:>10}  {}\n",
      name_of(sweep.plan.axis), name_of(sweep.plan.family),
      sweep.plan.second ? fmt::format(" at {} {}", second_name(sweep.plan), second_value(sweep.plan)) : "",
      sweep.plan.family.keys, sweep.plan.family.dim, sweep.plan.setting.planes, 1 - sweep.error_share,
      name_of(sweep.plan.axis), "term", "measured", "interval", "predicted", "bound", "trivial", "verdict");
  bool any_vacuous = false;
  for (const AxisPoint& point : sweep.points) {
    point.terms.each([&](const TermResult& term) {
      const bool vacuous = term.bound_drawn >= std::max(point.largest_value, term.measured);
      any_vacuous = any_vacuous || vacuous;
      out += fmt::format("{:>12} {:<13} {:>10.4g} [{:>10.4g},{:>10.4g}] {:>11.5g} {:>10.3g}{} {:>10.3g}  {}\n",
                         point.value, name_of(term.term), term.measured, term.interval.lo, term.interval.hi,
                         term.predicted.value, term.bound_drawn, vacuous ? '*' : ' ', point.largest_value,
                         verdict_text(term.verdict));
    });
  }
  if (any_vacuous) out += "* the bound holds but says nothing: it is no smaller than the trivial bound\n";
  if (sweep.slope) {
    const CurveSlope& fit = sweep.slope->fit;
    out +=
        fmt::format("slope of log {} error against log {} from {}: {:.4f} in [{:.4f}, {:.4f}], predicted {:.4g}: {}\n",
                    name_of(sweep.slope->term), name_of(sweep.plan.axis), fit.first_value, fit.slope, fit.interval.lo,
                    fit.interval.hi, fit.predicted, verdict_text(fit.verdict));
  }
  return out;
}

}  // namespace skt
