#include "proofs_check/error_curves/judged_terms.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "estimators/error_terms/predictions.hpp"
#include "proofs_check/evidence.hpp"
#include "sim/number.hpp"

namespace skt {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// A lost factor of 2 in a mean square must show: an interval no wider than this share of the claim holds at most one of
// the two.
constexpr double kResolution = 0.5;

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

// Nothing known but the name; no constant along an axis.
TermResult unscaled(Term term) {
  TermResult result;
  result.term = term;
  result.bound_repaired = kUnknown;
  result.scaled = kUnknown;
  result.scaled_interval = {kUnknown, kUnknown};
  result.scaled_predicted = {kUnknown, kUnknown};
  return result;
}

// A term whose statistic is a mean square.
TermResult mean_square_term(const TermsAtSetting& at, Term term, const Estimate& exact) {
  const Estimate predicted = measured_mean_square(exact, output_rounding(at.instance, at.centre.largest_value));
  const Moments& squares = squares_of(term, at.measured);
  const Evidence evidence = mean({at.instance.name, name_of(term)}, squares, equals(predicted.value, predicted.error),
                                 {at.error_share, kResolution * (predicted.value + predicted.error)});
  TermResult result = unscaled(term);
  result.measured = std::sqrt(squares.mean());
  result.interval = root(evidence.observed);
  result.predicted = root(predicted);
  if (term == Term::sampling || at.setting.tables >= kLeastTablesOfLimit) result.verdict = judge(evidence);
  return result;
}

// The same of a term of which `factor` times the mean square is constant along its axis.
TermResult scaled_term(const TermsAtSetting& at, Term term, const Estimate& predicted, double factor) {
  const Moments& squares = squares_of(term, at.measured);
  TermResult result = mean_square_term(at, term, predicted);
  result.scaled = factor * squares.mean();
  result.scaled_interval = times(factor, student(squares, at.error_share));
  result.scaled_predicted =
      times(factor, measured_mean_square(predicted, output_rounding(at.instance, at.centre.largest_value)));
  return result;
}

TermResult bias_term(const TermsAtSetting& at, double total_error) {
  const Estimate claim{at.centre.bias.value,
                       at.centre.bias.error + output_rounding(at.instance, at.centre.largest_value)};
  // Resolved against the whole error: a slip of the bias that changes ||T - y*|| visibly is seen.
  const Evidence evidence = mean({at.instance.name, name_of(Term::bias)}, at.measured.bias,
                                 equals(claim.value, claim.error), {at.error_share, kResolution * total_error});
  TermResult result = unscaled(Term::bias);
  result.measured = at.measured.bias.mean();
  result.interval = evidence.observed;
  result.predicted = claim;
  result.verdict = judge(evidence);
  return result;
}

// output - dense is the mass left out times the difference of two outputs in the hull of the values.
TermResult selection_term(const TermsAtSetting& at) {
  TermResult result = unscaled(Term::selection);
  result.measured = std::sqrt(at.measured.selection.mean());
  result.interval = root(student(at.measured.selection, at.error_share));
  result.predicted = {kUnknown, kUnknown};
  result.bound_drawn = result.bound_sure = 2 * at.centre.largest_value * std::sqrt(at.measured.left_out.mean());
  return result;
}

void set_bounds(TermResult& result, double drawn, double sure) {
  result.bound_drawn = drawn;
  result.bound_sure = sure;
}

void set_repaired_bounds(TermResults& results, const TermsAtSetting& at, const TermBounds& sure) {
  results.bias.bound_repaired =
      repaired_bias_bound(at.measured.occupied_miss.mean(), at.centre.population_mass, at.centre.largest_value);
  results.total.bound_repaired = sure.terms.sampling + sure.terms.finite_table + results.bias.bound_repaired;
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

const TermResult& TermResults::of(Term term) const {
  switch (term) {
    case Term::sampling:
      return sampling;
    case Term::finite_tables:
      return finite_tables;
    case Term::bias:
      return bias;
    case Term::total:
      return total;
    case Term::selection:
      return selection.value();
  }
  throw std::invalid_argument("TermResults: not one of the enumeration");
}

void TermResults::each(const std::function<void(const TermResult&)>& visit) const {
  for (const TermResult* result : {&sampling, &finite_tables, &bias, &total}) visit(*result);
  if (selection) visit(*selection);
}

const Moments& squares_of(Term term, const MeasuredTerms& measured) {
  switch (term) {
    case Term::sampling:
      return measured.sampling;
    case Term::finite_tables:
      return measured.finite_tables;
    case Term::total:
      return measured.total;
    case Term::selection:
      return measured.selection;
    case Term::bias:
      break;
  }
  throw std::invalid_argument("squares_of: the bias is measured along its direction, not as a mean square");
}

TermResults judge_terms(const TermsAtSetting& at, const TermBounds& drawn, const TermBounds& sure) {
  const double tables = real(at.setting.tables), samples = real(at.setting.samples);
  const Estimate sampling =
      sampling_mean_square(at.measured.sampling_expected.mean(), at.instance, at.setting, at.centre.largest_value);
  const Estimate total = total_mean_square(at.centre, at.setting, sampling);
  TermResults results;
  results.sampling = scaled_term(at, Term::sampling, sampling, samples);
  results.finite_tables = scaled_term(at, Term::finite_tables, finite_tables_mean_square(at.centre, tables), tables);
  results.bias = bias_term(at, std::sqrt(total.value));
  results.total = mean_square_term(at, Term::total, total);
  if (at.setting.budget > 0) results.selection = selection_term(at);

  set_bounds(results.sampling, drawn.terms.sampling, sure.terms.sampling);
  set_bounds(results.finite_tables, drawn.terms.finite_table, sure.terms.finite_table);
  set_bounds(results.bias, drawn.terms.bias, sure.terms.bias);
  set_bounds(results.total, drawn.terms.total(), sure.terms.total());
  set_repaired_bounds(results, at, sure);
  return results;
}

}  // namespace skt
