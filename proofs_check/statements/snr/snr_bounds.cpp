// How small can the signal-to-noise ratio rho of a selection be (document 004, sections 1.4 and 1.5)?
//
// Beside the lower bound for a top-k set (S004-5) stand three sentences that are false as printed, each with its
// corrected form: the peak term dominates (S004-7), the relaxed bound holds for any set (S004-9), a missed maximum
// makes the ratio collapse (S004-10). Scores are finite and neither set is empty.
//
// Method: suprema of left over right side over random splits, and instances where the two sides are equal.
// Power: exact; a wrong count or exponent is refuted where the sides are equal. No randomness enters a verdict.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "estimators/metrics/snr_decomposition.hpp"
#include "proofs_check/evidence.hpp"
#include "proofs_check/laws/sparse_attention_problems.hpp"
#include "proofs_check/statement.hpp"
#include "sim/number.hpp"

namespace skt {
namespace {

constexpr std::uint64_t kProblems = 5000;  // at the standard profile

using Bound = std::function<double(const ActiveSet&)>;

// One score `peak`, kept - 1 scores `cut`, the rest `floor`; the first `kept` are active.
ActiveSet staircase(Index kept, Index pruned, double peak, double cut, double floor) {
  Vector scores = Vector::Constant(kept + pruned, floor);
  std::vector<Index> active;
  for (Index j = 0; j < kept; ++j) {
    scores(j) = j == 0 ? peak : cut;
    active.push_back(j);
  }
  return describe_active_set(scores, active);
}

// The largest lower/rho and rho/upper over random problems of one choice.
Evidence largest_ratio(const Context& context, ActiveChoice choice, const std::string& quantity,
                       const std::function<double(const ActiveSet&)>& ratio,
                       const std::function<bool(const ActiveSet&)>& in_scope) {
  double largest = 0;
  std::uint64_t tried = 0;
  for (std::uint64_t trial = 0; trial < context.trials(kProblems); ++trial) {
    const SparseProblem problem = random_sparse_problem(context.seed, trial, choice);
    const ActiveSet set = describe_active_set(problem.scores, problem.active);
    if (!in_scope(set)) continue;
    ++tried;
    largest = larger(largest, ratio(set));
  }
  return supremum({choice == ActiveChoice::top_k ? "random top-k sets" : "random sets", quantity}, largest,
                  sparse_output_rounding(), context.trials(kProblems), tried);
}

bool always(const ActiveSet&) {
  return true;
}

// S004-5.
std::vector<Evidence> top_k_lower_bound(const Context& context, const Bound& bound) {
  const ActiveSet tight = staircase(3, 4, 2, 1, -1);
  return {largest_ratio(
              context, ActiveChoice::top_k, "bound/rho", [=](const ActiveSet& a) { return bound(a) / a.snr; }, always),
          exact({"peak 2, two scores 1, four scores -1, A the first three", "bound/rho"}, bound(tight) / tight.snr,
                equals(1, sparse_output_rounding()))};
}

// S004-7: 32 tied maxima and a floor 3 below.
std::vector<Evidence> peak_dominates(const Context&) {
  const ActiveSet tied = staircase(32, 32, 0, 0, -3);
  return {exact({"32 tied maxima kept, the rest 3 below", "boundary term/peak term"},
                boundary_term(tied) / peak_to_noise_term(tied), at_most(1, sparse_output_rounding()))};
}

// Its corrected form: the peak term is the larger one iff m - s_k > log(|A| - 1); counts disagreements.
std::vector<Evidence> dominance_criterion(const Context& context,
                                          const std::function<bool(const ActiveSet&)>& criterion) {
  double disagreements = 0;
  for (std::uint64_t trial = 0; trial < context.trials(kProblems); ++trial) {
    const SparseProblem problem = random_sparse_problem(context.seed, trial, ActiveChoice::top_k);
    const ActiveSet set = describe_active_set(problem.scores, problem.active);
    const double balance = boundary_term(set) / peak_to_noise_term(set);
    if (std::abs(balance - 1) <= sparse_output_rounding()) continue;  // rounding decides
    if ((balance < 1) != criterion(set)) ++disagreements;
  }
  return {exact({"random top-k sets", "sets where criterion and terms disagree"}, disagreements, equals(0))};
}

double log_of_others(const ActiveSet& a) {
  return a.active > 1 ? std::log(real(a.active - 1)) : -std::numeric_limits<double>::infinity();
}

// S004-9.
std::vector<Evidence> relaxed_for_any_set(const Context& context) {
  const ActiveSet missed = describe_active_set((Vector(2) << -5, 0).finished(), {0});
  const auto ratio = [](const ActiveSet& a) { return printed_relaxed_bound(a) / a.snr; };
  return {exact({"scores (-5, 0), A = {first}", "rho"}, missed.snr, at_least(printed_relaxed_bound(missed))),
          largest_ratio(context, ActiveChoice::any, "bound/rho, largest score pruned", ratio,
                        [](const ActiveSet& a) { return a.peak > a.active_max; })};
}

std::vector<Evidence> corrected_pair(const Context& context, const Bound& lower, const Bound& upper) {
  const ActiveSet tied_kept = staircase(8, 1, 1, 1, 0);
  const ActiveSet tied_pruned = staircase(1, 5, 1, 1, 0);
  const ActiveSet missed = describe_active_set((Vector(2) << -5, 0).finished(), {0});
  return {largest_ratio(
              context, ActiveChoice::any, "lower/rho", [=](const ActiveSet& a) { return lower(a) / a.snr; }, always),
          largest_ratio(
              context, ActiveChoice::any, "rho/upper", [=](const ActiveSet& a) { return a.snr / upper(a); }, always),
          largest_ratio(
              context, ActiveChoice::any, "printed bound/rho, largest score kept",
              [](const ActiveSet& a) { return printed_relaxed_bound(a) / a.snr; },
              [](const ActiveSet& a) { return a.peak == a.active_max; }),
          exact({"eight scores 1 kept, one score 0", "rho/upper"}, tied_kept.snr / upper(tied_kept),
                equals(1, sparse_output_rounding())),
          exact({"one score 1 kept, five scores 0", "lower/rho"}, lower(tied_pruned) / tied_pruned.snr,
                equals(1, sparse_output_rounding())),
          exact({"scores (-5, 0), A = {first}", "lower/rho"}, lower(missed) / missed.snr,
                equals(1, sparse_output_rounding()))};
}

// S004-10: n tied maxima of which one is missed.
ActiveSet one_missed(Index tied) {
  return staircase(tied - 1, 1, 0, 0, 0);
}

std::vector<Evidence> collapse(const Context&) {
  // "Collapses" and "significant" are read as mildly as possible: half the weight is lost.
  const Matrix equal_values = Matrix::Ones(100, 1);
  std::vector<Index> kept;
  for (Index j = 0; j < 99; ++j) kept.push_back(j);
  const SnrDecomposition d = snr_decomposition(Vector::Zero(100), equal_values, kept);
  return {exact({"100 tied maxima, one missed", "eps"}, d.residual_weight, at_least(0.5)),
          exact({"100 tied maxima, one missed", "rho"}, d.snr, at_most(1))};
}

std::vector<Evidence> least_loss(const Context& context, const Bound& least_eps) {
  double worst = 0;
  for (const Index tied : {2, 3, 10, 100, 1000}) {
    const ActiveSet set = one_missed(tied);
    worst = larger(worst, std::abs(least_eps(set) * (1 + set.snr) - 1));
  }
  const auto ratio = [=](const ActiveSet& a) { return least_eps(a) * (1 + a.snr); };
  return {largest_ratio(context, ActiveChoice::any, "bound/eps", ratio, always),
          exact({"2 to 1000 tied maxima, one missed", "largest |bound/eps - 1|"}, worst,
                equals(0, sparse_output_rounding()))};
}

Statement top_k_statement() {
  return {.id = "S004-5",
          .title = "rho >= (1 + (|A|-1) e^{s_k - m})/(|A^c| e^{s_{k+1} - m})",
          .source = "document 004, section 1.4",
          .kind = Kind::inequality,
          .scope = "A the k largest scores",
          .measure = [](const Context& c) { return top_k_lower_bound(c, top_k_bound); },
          .mutants = {{"|A| for |A| - 1",
                       [](const Context& c) {
                         return top_k_lower_bound(c, [](const ActiveSet& a) {
                           return top_k_bound(a) + std::exp(a.active_min - a.pruned_max) / real(a.pruned);
                         });
                       }},
                      {"|A^c| - 1 for |A^c|", [](const Context& c) {
                         return top_k_lower_bound(c, [](const ActiveSet& a) {
                           return top_k_bound(a) * real(a.pruned) / std::max(0.5, real(a.pruned - 1));
                         });
                       }}}};
}

Statement dominance_printed() {
  return {.id = "S004-7",
          .title = "The peak-to-noise term dominates the bound",
          .source = "document 004, section 1.4",
          .kind = Kind::ordering,
          .scope = "A the k largest scores",
          .measure = peak_dominates,
          .expected = Verdict::refuted,
          .remark = "32 tied maxima 3 above the rest: peak term e^3 = 20.1, boundary term 31 e^3 = 622.7."};
}

Statement dominance_corrected() {
  return {.id = "S004-7-corrected",
          .title = "The peak-to-noise term is the larger one iff m - s_k > log(|A| - 1)",
          .source = "document 004, section 1.4, corrected",
          .kind = Kind::ordering,
          .scope = "A the k largest scores",
          .measure =
              [](const Context& c) {
                return dominance_criterion(c,
                                           [](const ActiveSet& a) { return a.peak - a.active_min > log_of_others(a); });
              },
          .mutants = {{"always", [](const Context& c) { return dominance_criterion(c, always); }},
                      {"m - s_{k+1} > log(|A| - 1)", [](const Context& c) {
                         return dominance_criterion(
                             c, [](const ActiveSet& a) { return a.peak - a.pruned_max > log_of_others(a); });
                       }}}};
}

Statement relaxed_printed() {
  return {.id = "S004-9",
          .title = "rho >= e^{m - s_max^c}/|A^c| for any selection",
          .source = "document 004, section 1.5",
          .kind = Kind::inequality,
          .scope = "any set",
          .measure = relaxed_for_any_set,
          .expected = Verdict::refuted,
          .remark =
              "Scores (-5, 0) with the second pruned: rho = e^-5 = 0.0067, bound 1. It fails exactly where the "
              "largest score is missed, the case it is used for."};
}

Statement relaxed_corrected() {
  const Bound lower = relaxed_lower_bound;
  const Bound upper = relaxed_upper_bound;
  return {.id = "S004-9-corrected",
          .title = "e^{max_A s - max_{A^c} s}/|A^c| <= rho <= |A| e^{max_A s - max_{A^c} s}",
          .source = "document 004, section 1.5, corrected",
          .kind = Kind::inequality,
          .scope = "any set; the printed bound too where the largest score is kept",
          .measure = [=](const Context& c) { return corrected_pair(c, lower, upper); },
          .mutants = {{"lower bound with m for max_A s",
                       [=](const Context& c) { return corrected_pair(c, printed_relaxed_bound, upper); }},
                      {"upper bound without |A|",
                       [=](const Context& c) {
                         return corrected_pair(
                             c, lower, [](const ActiveSet& a) { return relaxed_upper_bound(a) / real(a.active); });
                       }},
                      {"lower bound without |A^c|", [=](const Context& c) {
                         return corrected_pair(
                             c, [](const ActiveSet& a) { return relaxed_lower_bound(a) * real(a.pruned); }, upper);
                       }}}};
}

Statement collapse_printed() {
  return {.id = "S004-10",
          .title = "Missing one score near the maximum makes rho collapse and the error spike",
          .source = "document 004, section 1.5 and summary",
          .kind = Kind::ordering,
          .scope = "s_max^c = m; collapse read as rho <= 1, eps >= 1/2",
          .measure = collapse,
          .expected = Verdict::refuted,
          .remark =
              "100 tied maxima, one missed: rho = 99, eps = 0.01, and no error at all where the values agree. A "
              "lower bound on rho that becomes small says nothing about rho."};
}

Statement collapse_corrected() {
  const auto least = [](double others, double sign) {
    return [=](const ActiveSet& a) {
      return 1 / (1 + std::pow(real(a.active), others) * std::exp(sign * (a.active_max - a.pruned_max)));
    };
  };
  return {.id = "S004-10-corrected",
          .title = "eps >= 1/(1 + |A| e^{max_A s - max_{A^c} s})",
          .source = "document 004, section 1.5, corrected",
          .kind = Kind::inequality,
          .scope = "any set",
          .measure = [=](const Context& c) { return least_loss(c, least(1, 1)); },
          .mutants = {{"without |A|: one missed maximum costs half",
                       [=](const Context& c) { return least_loss(c, least(0, 1)); }},
                      {"opposite gap", [=](const Context& c) { return least_loss(c, least(1, -1)); }}}};
}

}  // namespace

std::vector<Statement> snr_bounds_statements() {
  return {top_k_statement(),   dominance_printed(), dominance_corrected(), relaxed_printed(),
          relaxed_corrected(), collapse_printed(),  collapse_corrected()};
}

}  // namespace skt
