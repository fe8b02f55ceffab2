// Does each measured error term agree with its exact centre, and how far above it lies the paper's bound?
//
// A root mean square, judged as its mean square against the prediction (estimators/error_terms/predictions.hpp). A
// wrong oracle or estimator shows as a verdict `refuted`.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "estimators/error_terms/measured_terms.hpp"
#include "proofs_check/error_curves/bound_thresholds.hpp"
#include "proofs_check/statement.hpp"

namespace skt {

enum class Term { sampling, finite_tables, bias, total, selection };
std::string name_of(Term term);

// Of which the exact value is known; the selection has none.
inline constexpr int kJudgedTerms = 4;

// An error term at one setting, in the unit of the values v_j. NaN: not known.
struct TermResult {
  Term term = Term::total;
  double measured = 0;  // root mean square; of the bias its length
  Interval interval{};  // of `measured`
  Estimate predicted{};
  double bound_drawn = 0;     // the paper's bound with B the fullest bucket of any table drawn
  double bound_sure = 0;      // with a certified lower bound of every B that holds almost surely
  double bound_repaired = 0;  // of bias and total: Lemma 11 mended (repaired_bias_bound), the rest with the sure B
  // Mean square times L (finite tables) or M (sampling), which the theory makes a constant.
  double scaled = 0;
  Interval scaled_interval{};
  Estimate scaled_predicted{};
  std::optional<Verdict> verdict{};  // none without a centre, or with too few tables to judge a limit in L
};

struct TermResults {
  TermResult sampling, finite_tables, bias, total;
  std::optional<TermResult> selection;  // where a budget is set

  // std::bad_optional_access for a selection that was not measured.
  const TermResult& of(Term term) const;

  // Each term there is, in the order of the enumeration.
  void each(const std::function<void(const TermResult&)>& visit) const;
};

struct TermsAtSetting {
  const Instance& instance;
  const Setting& setting;
  const Centre& centre;  // with its limits in L
  const MeasuredTerms& measured;
  double error_share;  // of the interval of one term
};
// `sure` holds almost surely; the repaired bound is made from it and from the measured E[B_l (1 - p_l)].
TermResults judge_terms(const TermsAtSetting& at, const TermBounds& drawn, const TermBounds& sure);

// The delta-method constant is a limit in L: it is judged from this many tables on, and its claim is widened by the
// leading correction (limit_correction).
inline constexpr Index kLeastTablesOfLimit = 16;

// The squares of a term that is a mean square, which all are but the bias (std::invalid_argument).
const Moments& squares_of(Term term, const MeasuredTerms& measured);

}  // namespace skt
