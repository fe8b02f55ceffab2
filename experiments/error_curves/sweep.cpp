#include "experiments/error_curves/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "proofs_check/evidence.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"
#include "sim/statistics/error_budget.hpp"
#include "sim/statistics/slope.hpp"

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
  const BoundConstants constants = centre.constants(real(occupancy));
  return {end_to_end_bound(constants, real(setting.tables), real(setting.samples), delta / 2, delta / 2),
          required_tables(constants, delta / 2)};
}

Interval root(const Interval& square) {
  return {std::sqrt(std::max(0.0, square.lo)), std::sqrt(std::max(0.0, square.hi))};
}

Estimate root(const Estimate& square) {
  const double value = std::sqrt(square.value);
  return {value, value > 0 ? square.error / (2 * value) : std::sqrt(square.error)};
}

Estimate times(double factor, const Estimate& x) {
  return {factor * x.value, factor * x.error};
}
Interval times(double factor, const Interval& x) {
  return {factor * x.lo, factor * x.hi};
}

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
Estimate total_mean_square(const Centre& centre, const Setting& setting, const Estimate& sampling) {
  const double tables = real(setting.tables);
  const Estimate finite = finite_tables_mean_square(centre, tables);
  const Vector bias = centre.population_output - centre.angular_output;
  const double cross = 2 * centre.tables.bias.dot(bias) / tables;
  const double cross_error =
      2 * centre.tables.bias_error * centre.bias.value / tables + std::abs(cross) * limit_correction(centre, tables);
  return {sampling.value + finite.value + cross + centre.bias.value * centre.bias.value,
          sampling.error + finite.error + cross_error + 2 * centre.bias.value * centre.bias.error};
}

// What all terms of one point share.
struct PointContext {
  const Centre& centre;
  const MeasuredTerms& measured;
  AxisPoint& point;
  const Bounds& drawn;
  const Bounds& sure;
  double error_share;
  const Instance& instance;
};

// The exact (S1^2 - ||y||^2)/M given the tables. S1 and ||y||, sums over keys with normalised weights, are
// off by at most 2 keys + value_dim + 4 roundings of S1 <= max ||v||, their squares by twice as many. Where
// one key has all the weight nothing else is left.
Estimate sampling_mean_square(const Instance& instance, const Setting& setting, const Centre& centre,
                              const MeasuredTerms& measured) {
  const double roundings = 2 * real(2 * instance.num_keys() + instance.values.cols() + 4);
  return {measured.sampling_expected.mean(), roundings * std::numeric_limits<double>::epsilon() * centre.largest_value *
                                                 centre.largest_value / real(setting.samples)};
}

bool limit_reached(const Setting& setting) {
  return setting.tables >= kLeastTablesOfLimit;
}

// A term whose statistic is a mean square, `scale` times which is constant along its axis (0: none).
TermResult mean_square_term(const PointContext& at, Term term, const Moments& squares, const Estimate& predicted,
                            double scale) {
  TermResult result;
  result.term = term;
  const Evidence evidence = mean({at.instance.name, name_of(term)}, squares, equals(predicted.value, predicted.error),
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
  const Evidence evidence = mean({at.instance.name, name_of(Term::bias)}, at.measured.bias,
                                 equals(claim.value, claim.error), {at.error_share, kResolution * total_error});
  result.measured = at.measured.bias.mean();
  result.interval = evidence.observed;
  result.verdict = judge(evidence);
  return result;
}

// output - dense is the mass left out times the difference of two outputs in the hull of the values.
TermResult selection_term(const PointContext& at) {
  TermResult result;
  result.term = Term::selection;
  result.measured = std::sqrt(at.measured.selection.mean());
  result.interval = root(student(at.measured.selection, at.error_share));
  result.predicted = {kUnknown, kUnknown};
  result.bound_drawn = result.bound_sure = 2 * at.centre.largest_value * std::sqrt(at.measured.left_out.mean());
  result.scaled = kUnknown;
  result.scaled_interval = {kUnknown, kUnknown};
  result.scaled_predicted = {kUnknown, kUnknown};
  return result;
}

void add_terms(const PointContext& at) {
  const double tables = real(at.point.setting.tables);
  const double samples = real(at.point.setting.samples);
  const Estimate sampling = sampling_mean_square(at.instance, at.point.setting, at.centre, at.measured);
  const Estimate finite = finite_tables_mean_square(at.centre, tables);
  const Estimate total = total_mean_square(at.centre, at.point.setting, sampling);
  auto& terms = at.point.terms;
  terms.push_back(mean_square_term(at, Term::sampling, at.measured.sampling, sampling, samples));
  terms.push_back(mean_square_term(at, Term::finite_tables, at.measured.finite_tables, finite, tables));
  terms.push_back(bias_term(at, std::sqrt(total.value)));
  terms.push_back(mean_square_term(at, Term::total, at.measured.total, total, 0));
  if (at.point.setting.budget > 0) terms.push_back(selection_term(at));

  const auto fill = [](const ErrorTerms& b) {
    return std::array<double, kJudgedTerms>{b.sampling, b.finite_table, b.bias, b.total()};
  };
  const auto drawn = fill(at.drawn.terms), sure = fill(at.sure.terms);
  for (std::size_t t = 0; t < kJudgedTerms; ++t) {
    terms[t].bound_drawn = drawn[t];
    terms[t].bound_sure = sure[t];
  }
}

// One point of the fitted curve, and the exact value there (NaN: not known).
struct FitPoint {
  CurvePoint measured;
  double exact;
};

// The deviation of log(root mean square) comes from the spread of the squares over the trials.
FitPoint fit_point(double value, const Moments& squares, double exact) {
  const double rms = std::sqrt(squares.mean());
  return {{value, rms, squares.deviation_of_mean() / (2 * rms)}, exact};
}

bool fit_allowed(const std::vector<FitPoint>& points) {
  return points.size() >= 2 && std::all_of(points.begin(), points.end(), [](const FitPoint& p) {
           return p.measured.x > 0 && p.measured.y > 0 && p.measured.deviation > 0;
         });
}

// The same weights on the exact values: what the fit would give without noise.
double exact_slope(std::vector<FitPoint> points, double error_share) {
  std::vector<CurvePoint> exact;
  for (const FitPoint& point : points) {
    if (!(point.exact > 0)) return kUnknown;
    exact.push_back({point.measured.x, point.exact, point.measured.deviation * point.exact / point.measured.y});
  }
  return log_log_slope(exact, error_share).slope;
}

// E||error||^2 is proportional to 1/L, or 1/M.
constexpr double kTheorySlope = -0.5;

Verdict judge_slope(Term term, const LogLogSlope& fit, std::size_t points, double error_share) {
  // Told apart: the rate 1/2 and rates that differ from it by 0.02.
  constexpr double resolution = 0.02;
  Evidence evidence;
  evidence.instance = "sweep";
  evidence.quantity = "slope of " + name_of(term);
  evidence.observed = fit.interval;
  evidence.claimed = kTheorySlope;
  evidence.resolution = resolution;
  evidence.trials = evidence.trials_in_scope = points;
  evidence.error_share = error_share;
  return judge(evidence);
}

std::optional<SlopeResult> fit_slope(Axis axis, Term term, const std::vector<FitPoint>& points, double error_share) {
  if (!has_ratios(axis) || !fit_allowed(points)) return std::nullopt;
  std::vector<CurvePoint> measured;
  for (const FitPoint& point : points) measured.push_back(point.measured);
  const LogLogSlope fit = log_log_slope(measured, error_share);
  SlopeResult result{term, fit.slope, fit.interval, kTheorySlope, points.front().measured.x, std::nullopt};
  if (axis == Axis::tables || axis == Axis::samples)
    result.verdict = judge_slope(term, fit, points.size(), error_share);
  else
    result.predicted = exact_slope(points, error_share);
  return result;
}

void require(bool allowed, const std::string& what) {
  if (!allowed) refuse("{}", what);
}

// The needle's cosine stands in the keys of these families only.
bool knows_needle(InstanceFamily family) {
  return family == InstanceFamily::needle || family == InstanceFamily::attention_sink;
}

void check_axis(const SweepPlan& plan, Axis axis) {
  require(axis != Axis::needle_cosine || knows_needle(plan.family.family),
          fmt::format("the axis {} with --family {}: allowed are needle, attention-sink", name_of(axis),
                      name_of(plan.family.family)));
}

}  // namespace

void check(const SweepPlan& plan) {
  require(!plan.values.empty(), "--values: at least one is needed");
  for (const double value : plan.values) {
    check_axis_value("--values", plan.axis, value);
    require(std::count(plan.values.begin(), plan.values.end(), value) == 1,
            fmt::format("--values: {} twice; allowed is each value once", value));
    resolved(with_value(plan, plan.axis, value));
  }
  check_axis(plan, plan.axis);
  if (plan.second) check_axis(plan, plan.second->axis);
  require(plan.effort.trials >= 2, fmt::format("--trials is {}: allowed are 2 and more", plan.effort.trials));
  require(plan.effort.draws >= 1, fmt::format("--draws is {}: allowed are 1 and more", plan.effort.draws));
  require(plan.delta > 0 && plan.delta < 1, fmt::format("--delta is {}: allowed is above 0 and below 1", plan.delta));
}

namespace {

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

const Moments& squares_of(Term term, const MeasuredTerms& measured) {
  switch (term) {
    case Term::sampling:
      return measured.sampling;
    case Term::finite_tables:
      return measured.finite_tables;
    case Term::selection:
      return measured.selection;
    default:
      return measured.total;
  }
}

// Instance and centre are kept from one value to the next where the axis leaves them alone.
class SweepRun {
 public:
  SweepRun(const SweepPlan& plan, Seed seed, double error_share, ProgressMeter& meter)
      : plan_(plan), seed_(seed), error_share_(error_share), meter_(meter) {
    axis_seed_ = derive_seed(seed, static_cast<std::uint64_t>(plan.axis));
    if (plan.second) {
      axis_seed_ = derive_seed(derive_seed(axis_seed_, 1 + static_cast<std::uint64_t>(plan.second->axis)),
                               std::bit_cast<std::uint64_t>(plan.second->value));
    }
  }

  AxisPoint point_at(double value) {
    const Problem problem = resolved(with_value(plan_, plan_.axis, value));
    if (!instance_ || changes_instance(plan_.axis)) instance_ = instance_of(problem, seed_);
    if (!centre_ || changes_centre(plan_.axis)) centre_ = exact_centre(*instance_, problem.setting);
    AxisPoint point{value, problem.setting};
    point.query_norm = instance_->query.norm();
    point.largest_value = centre_->largest_value;
    const MeasuredTerms measured =
        measure_terms(*instance_, point.setting, *centre_, derive_seed(axis_seed_, std::bit_cast<std::uint64_t>(value)),
                      plan_.effort, meter_);
    point.occupancy_drawn = measured.occupancy;
    point.occupancy_sure = (instance_->num_keys() + 1) / 2;
    const Bounds drawn = bounds_at(*centre_, point.setting, point.occupancy_drawn, plan_.delta);
    const Bounds sure = bounds_at(*centre_, point.setting, point.occupancy_sure, plan_.delta);
    point.required_drawn = drawn.required_tables;
    point.required_sure = sure.required_tables;
    add_terms({*centre_, measured, point, drawn, sure, error_share_, *instance_});
    add_to_curve(point, measured);
    return point;
  }

  const std::vector<FitPoint>& curve() const { return curve_; }

 private:
  void add_to_curve(const AxisPoint& point, const MeasuredTerms& measured) {
    const Term term = term_along(plan_.axis);
    if (plan_.axis == Axis::tables && !limit_reached(point.setting)) return;
    // Every key selected: an error of rounding, which has no logarithm to speak of.
    if (term == Term::selection && point.setting.budget == instance_->num_keys()) return;
    const Moments& squares = squares_of(term, measured);
    curve_.push_back(fit_point(point.value, squares, point.terms[static_cast<std::size_t>(term)].predicted.value));
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

std::string name_of(Term term) {
  switch (term) {
    case Term::sampling:
      return "sampling";
    case Term::finite_tables:
      return "finite-tables";
    case Term::bias:
      return "bias";
    case Term::total:
      return "total";
    case Term::selection:
      return "selection";
  }
  return "";
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
  result.slope = fit_slope(plan.axis, term_along(plan.axis), run.curve(), result.slope_error_share);
  return result;
}

std::vector<Verdict> verdicts(const SweepResult& result) {
  std::vector<Verdict> all;
  for (const AxisPoint& point : result.points) {
    for (const TermResult& term : point.terms) {
      if (term.verdict) all.push_back(*term.verdict);
    }
  }
  if (result.slope && result.slope->verdict) all.push_back(*result.slope->verdict);
  return all;
}

}  // namespace skt
