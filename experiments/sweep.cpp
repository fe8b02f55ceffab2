#include "experiments/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "proofs_check/evidence.hpp"
#include "sim/error_budget.hpp"
#include "sim/input_error.hpp"
#include "sim/slope.hpp"

namespace skt {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// The delta-method constant is a limit in L: it is judged from this many tables on, and its claim is widened by the
// leading correction, see limit_correction.
constexpr Index kLeastTablesOfLimit = 16;

// A lost factor of 2 in a mean square must show: an interval no wider than this share of the claim holds at most one of
// the two.
constexpr double kResolution = 0.5;

constexpr std::size_t kJudgedTerms = 4;

// Theorem 3 splits delta evenly.
struct Bounds {
  ErrorTerms terms;
  double required_tables = 0;
};

Bounds bounds_at(const Centre& centre, const Setting& setting, Index occupancy, double delta) {
  const BoundConstants constants = centre.constants(static_cast<double>(occupancy));
  return {end_to_end_bound(constants, static_cast<double>(setting.tables), static_cast<double>(setting.samples),
                           delta / 2, delta / 2),
          required_tables(constants, delta / 2)};
}

Interval root(const Interval& square) {
  return {std::sqrt(std::max(0.0, square.lo)), std::sqrt(std::max(0.0, square.hi))};
}

Estimate root(const Estimate& square) {
  const double value = std::sqrt(square.value);
  return {value, value > 0 ? square.error / (2 * value) : std::sqrt(square.error)};
}

Estimate times(double factor, const Estimate& x) { return {factor * x.value, factor * x.error}; }
Interval times(double factor, const Interval& x) { return {factor * x.lo, factor * x.hi}; }

// Relative distance of L E||y_{tau,L} - y_tau||^2 to its limit C. With A = n~ - Z~ y_tau and d = Z~/Z_tau - 1 of mean
// zero, ||y_{tau,L} - y_tau||^2 = ||A||^2/(Z_tau^2 (1 + d)^2), so the correction is -2 E||A||^2 d + 3 E||A||^2 d^2 over
// E||A||^2. For L independent tables with Var d = v/L the first is at most 2 sqrt(v) r/L, r the relative spread of
// ||A||^2 for one table, counted as 1; the second at most 9 v/L for A and d jointly normal.
double limit_correction(const Centre& centre, double tables) {
  const double v = centre.tables.normaliser_variance.value / (centre.population_mass * centre.population_mass);
  return (2 * std::sqrt(v) + 9 * v) / tables;
}

Estimate finite_tables_mean_square(const Centre& centre, double tables) {
  const Estimate& limit = centre.tables.mean_square;
  return {limit.value / tables, (limit.error + limit.value * limit_correction(centre, tables)) / tables};
}

// E||T - y*||^2: T is unbiased given the tables, so the sampling term adds; y_{tau,L} has a mean of its own of order
// 1/L, which meets the bias in a cross term. Limits in L are widened alike.
Estimate total_mean_square(const Centre& centre, const Setting& setting, double sampling) {
  const double tables = static_cast<double>(setting.tables);
  const Estimate finite = finite_tables_mean_square(centre, tables);
  const Vector bias = centre.population_output - centre.angular_output;
  const double cross = 2 * centre.tables.bias.dot(bias) / tables;
  const double cross_error = 2 * centre.tables.bias_error * centre.bias.value / tables +
                             std::abs(cross) * limit_correction(centre, tables);
  return {sampling + finite.value + cross + centre.bias.value * centre.bias.value,
          finite.error + cross_error + 2 * centre.bias.value * centre.bias.error};
}

// What all terms of one point share.
struct PointContext {
  const Centre& centre;
  const MeasuredTerms& measured;
  AxisPoint& point;
  const Bounds& drawn;
  const Bounds& sure;
  double error_share;
  std::string instance;
};

bool limit_reached(const Setting& setting) { return setting.tables >= kLeastTablesOfLimit; }

// A term whose statistic is a mean square, `scale` times which is constant along its axis (0: none).
TermResult mean_square_term(const PointContext& at, Term term, const Moments& squares, const Estimate& predicted,
                            double scale) {
  TermResult result;
  result.term = term;
  const Evidence evidence = mean({at.instance, name_of(term)}, squares, equals(predicted.value, predicted.error),
                                 {at.error_share, kResolution * predicted.value});
  result.measured = std::sqrt(squares.mean());
  result.interval = root(evidence.observed);
  result.predicted = root(predicted);
  const double factor = scale > 0 ? scale : kUnknown;
  result.scaled = factor * squares.mean();
  result.scaled_interval = times(factor, evidence.observed);
  result.scaled_predicted = times(factor, predicted);
  if (term == Term::sampling || limit_reached(at.point.setting)) result.verdict = judge(evidence);
  return result;
}

TermResult bias_term(const PointContext& at, double total_error) {
  const Estimate& claim = at.centre.bias;
  TermResult result;
  result.term = Term::bias;
  result.predicted = claim;
  result.scaled = kUnknown;
  result.scaled_interval = {kUnknown, kUnknown};
  result.scaled_predicted = {kUnknown, kUnknown};
  // Resolved against the whole error: a slip of the bias that changes ||T - y*|| visibly is seen.
  const Evidence evidence = mean({at.instance, name_of(Term::bias)}, at.measured.bias,
                                 equals(claim.value, claim.error), {at.error_share, kResolution * total_error});
  result.measured = at.measured.bias.mean();
  result.interval = evidence.observed;
  result.verdict = judge(evidence);
  return result;
}

void add_terms(const PointContext& at) {
  const double tables = static_cast<double>(at.point.setting.tables);
  const double samples = static_cast<double>(at.point.setting.samples);
  const Estimate sampling{at.measured.sampling_expected.mean(), 0};
  const Estimate finite = finite_tables_mean_square(at.centre, tables);
  const Estimate total = total_mean_square(at.centre, at.point.setting, sampling.value);
  auto& terms = at.point.terms;
  terms.push_back(mean_square_term(at, Term::sampling, at.measured.sampling, sampling, samples));
  terms.push_back(mean_square_term(at, Term::finite_tables, at.measured.finite_tables, finite, tables));
  terms.push_back(bias_term(at, std::sqrt(total.value)));
  terms.push_back(mean_square_term(at, Term::total, at.measured.total, total, 0));

  const auto fill = [](const ErrorTerms& b) {
    return std::array<double, kJudgedTerms>{b.sampling, b.finite_table, b.bias, b.total()};
  };
  const auto drawn = fill(at.drawn.terms), sure = fill(at.sure.terms);
  for (std::size_t t = 0; t < kJudgedTerms; ++t) {
    terms[t].bound_drawn = drawn[t];
    terms[t].bound_sure = sure[t];
  }
}

Setting setting_at(const SweepPlan& plan, double value) {
  Setting setting = plan.setting;
  if (plan.axis == Axis::tables) setting.tables = static_cast<Index>(value);
  if (plan.axis == Axis::samples) setting.samples = static_cast<Index>(value);
  if (plan.axis == Axis::temperature) setting.temperature = value;
  return setting;
}

// The least square deviation of log(root mean square) comes from the spread of the squares over the trials.
CurvePoint curve_point(double value, const Moments& squares) {
  const double rms = std::sqrt(squares.mean());
  return {value, rms, squares.deviation_of_mean() / (2 * rms)};
}

std::optional<SlopeResult> fit_slope(Term term, const std::vector<CurvePoint>& points, double error_share) {
  if (points.size() < 2) return std::nullopt;
  const LogLogSlope fit = log_log_slope(points, error_share);
  // E||error||^2 is proportional to 1/L, or 1/M.
  constexpr double predicted = -0.5;
  // Told apart: the rate 1/2 and rates that differ from it by 0.02.
  constexpr double resolution = 0.02;
  Evidence evidence;
  evidence.instance = "sweep";
  evidence.quantity = "slope of " + name_of(term);
  evidence.observed = fit.interval;
  evidence.claimed = predicted;
  evidence.resolution = resolution;
  evidence.trials = evidence.trials_in_scope = points.size();
  evidence.error_share = error_share;
  return SlopeResult{term, fit.slope, fit.interval, predicted, points.front().x, judge(evidence)};
}

void require(bool allowed, const std::string& what) {
  if (!allowed) throw InputError(what);
}

void check(const SweepPlan& plan) {
  require(!plan.values.empty(), "--values: at least one is needed");
  for (const double value : plan.values) {
    const bool whole = value >= 1 && value <= 0x1p24 && value == std::floor(value);
    const bool positive = value > 0 && std::isfinite(value);
    require(plan.axis == Axis::temperature ? positive : whole,
            fmt::format("--values: {} on the axis {}: allowed are {}", value, name_of(plan.axis),
                        plan.axis == Axis::temperature ? "finite numbers above 0" : "whole numbers from 1 to 2^24"));
  }
  require(plan.setting.tables >= 1, fmt::format("--tables is {}: allowed are 1 and more", plan.setting.tables));
  require(plan.setting.samples >= 1, fmt::format("--samples is {}: allowed are 1 and more", plan.setting.samples));
  require(plan.family.keys >= 1, fmt::format("--keys is {}: allowed are 1 and more", plan.family.keys));
  require(plan.effort.trials >= 2, fmt::format("--trials is {}: allowed are 2 and more", plan.effort.trials));
  require(plan.effort.draws >= 1, fmt::format("--draws is {}: allowed are 1 and more", plan.effort.draws));
  require(plan.delta > 0 && plan.delta < 1, fmt::format("--delta is {}: allowed is above 0 and below 1", plan.delta));
}

}  // namespace

std::string name_of(Axis axis) {
  switch (axis) {
    case Axis::tables: return "tables";
    case Axis::samples: return "samples";
    case Axis::temperature: return "temperature";
  }
  return "";
}

Axis axis_named(const std::string& name) {
  for (const Axis axis : {Axis::tables, Axis::samples, Axis::temperature}) {
    if (name == name_of(axis)) return axis;
  }
  throw InputError(fmt::format("--axis {}: allowed are tables, samples, temperature", name));
}

std::string name_of(Term term) {
  switch (term) {
    case Term::sampling: return "sampling";
    case Term::finite_tables: return "finite-tables";
    case Term::bias: return "bias";
    case Term::total: return "total";
  }
  return "";
}

SweepResult run_sweep(const SweepPlan& plan, Seed seed) {
  check(plan);
  const Instance instance = make_instance(plan.family, seed, 0);
  SweepResult result{plan, instance.query.norm()};
  // Half for the slope, the one number of the sweep that all points make together; half for the points.
  ErrorBudget halves(plan.family_error, 2);
  result.slope_error_share = halves.take();
  result.error_share = ErrorBudget(halves.take(), kJudgedTerms * plan.values.size()).take();
  const Index sure_occupancy = (instance.num_keys() + 1) / 2;

  std::uint64_t work = 0;
  for (const double value : plan.values) {
    work += plan.effort.trials * static_cast<std::uint64_t>(setting_at(plan, value).tables);
  }
  ProgressMeter meter(fmt::format("sweep {} ({})", name_of(plan.axis), instance.name), work);
  std::vector<CurvePoint> curve;
  std::optional<Centre> centre;
  const Seed axis_seed = derive_seed(seed, static_cast<std::uint64_t>(plan.axis));
  for (const double value : plan.values) {
    AxisPoint point{value, setting_at(plan, value)};
    if (!centre || plan.axis == Axis::temperature) centre = exact_centre(instance, point.setting);
    const MeasuredTerms measured = measure_terms(instance, point.setting, *centre,
                                                 derive_seed(axis_seed, std::bit_cast<std::uint64_t>(value)),
                                                 plan.effort, meter);
    point.occupancy_drawn = measured.occupancy;
    point.occupancy_sure = sure_occupancy;
    const Bounds drawn = bounds_at(*centre, point.setting, measured.occupancy, plan.delta);
    const Bounds sure = bounds_at(*centre, point.setting, sure_occupancy, plan.delta);
    point.required_drawn = drawn.required_tables;
    point.required_sure = sure.required_tables;
    add_terms({*centre, measured, point, drawn, sure, result.error_share, instance.name});
    result.points.push_back(std::move(point));
    if (plan.axis == Axis::samples) curve.push_back(curve_point(value, measured.sampling));
    if (plan.axis == Axis::tables && value >= kLeastTablesOfLimit) {
      curve.push_back(curve_point(value, measured.finite_tables));
    }
  }
  result.largest_value = centre->largest_value;
  result.slope = fit_slope(plan.axis == Axis::samples ? Term::sampling : Term::finite_tables, curve,
                           result.slope_error_share);
  return result;
}

std::vector<Verdict> verdicts(const SweepResult& result) {
  std::vector<Verdict> all;
  for (const AxisPoint& point : result.points) {
    for (const TermResult& term : point.terms) {
      if (term.verdict) all.push_back(*term.verdict);
    }
  }
  if (result.slope) all.push_back(result.slope->verdict);
  return all;
}

}  // namespace skt
