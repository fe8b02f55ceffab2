#include "estimators/metrics/snr_decomposition.hpp"
#include "proofs_check/laws/sparse_attention_problems.hpp"
#include "proofs_check/statements/measuring.hpp"

namespace skt::missed_maximum_group {

extern const StatementGroup kGroup = {
    .question = "What does a selection lose that misses a high score (document 004, section 1.5)?",
    .notes = R"(
Two sentences with their corrected forms: the relaxed bound on rho holds for any set (S004-9, false where the largest
score is pruned), a missed maximum makes rho collapse (S004-10). Scores are finite and neither set is empty.)",
    .method = "Suprema of the ratio of the two sides over random splits, and instances where they are equal.",
    .power = "Exact; a bound 2% off is refuted where the sides are equal. Nothing is random in a verdict."};

namespace {

constexpr std::uint64_t kProblems = 5000;  // at the standard profile

using Bound = std::function<double(const ActiveSet&)>;

// Scores (-5, 0), of which the first is kept.
ActiveSet better_one_pruned() {
  return describe_active_set((Vector(2) << -5, 0).finished(), {0});
}

// S004-9.
auto relaxed_for_any_set(double (*bound)(const ActiveSet&)) {
  return [bound](const Context& context) -> std::vector<Evidence> {
    const ActiveSet missed = better_one_pruned();
    return {exact({"scores (-5, 0), A = {first}", "rho"}, missed.snr,
                  at_least(bound(missed), sparse_output_rounding() * bound(missed))),
            largest_ratio_of_sets(
                context, kProblems, ActiveChoice::any, "bound/rho, largest score pruned",
                [bound](const ActiveSet& a) { return bound(a) / a.snr; },
                [](const ActiveSet& a) { return a.peak > a.active_max; })};
  };
}

std::vector<Evidence> corrected_pair(const Context& context, const Bound& lower, const Bound& upper) {
  const ActiveSet tied_kept = staircase(8, 1, 1, 1, 0);
  const ActiveSet tied_pruned = staircase(1, 5, 1, 1, 0);
  const ActiveSet missed = better_one_pruned();
  const auto over_lower = [=](const ActiveSet& a) { return lower(a) / a.snr; };
  const auto over_upper = [=](const ActiveSet& a) { return a.snr / upper(a); };
  return {largest_ratio_of_sets(context, kProblems, ActiveChoice::any, "lower/rho", over_lower, every_set),
          largest_ratio_of_sets(context, kProblems, ActiveChoice::any, "rho/upper", over_upper, every_set),
          largest_ratio_of_sets(
              context, kProblems, ActiveChoice::any, "printed bound/rho, largest score kept",
              [](const ActiveSet& a) { return printed_relaxed_bound(a) / a.snr; },
              [](const ActiveSet& a) { return a.peak == a.active_max; }),
          exact({"eight scores 1 kept, one score 0", "rho/upper"}, over_upper(tied_kept),
                equals(1, sparse_output_rounding())),
          exact({"one score 1 kept, five scores 0", "lower/rho"}, over_lower(tied_pruned),
                equals(1, sparse_output_rounding())),
          exact({"scores (-5, 0), A = {first}", "lower/rho"}, over_lower(missed), equals(1, sparse_output_rounding()))};
}

// S004-10: `kept` maxima and one missed, with the values all equal. "Collapses" and "spike" are read as mildly as
// possible: half the weight is lost.
auto collapse(Index kept) {
  return [kept](const Context&) -> std::vector<Evidence> {
    std::vector<Index> active;
    for (Index j = 0; j < kept; ++j) active.push_back(j);
    const SnrDecomposition d = snr_decomposition(Vector::Zero(kept + 1), Matrix::Ones(kept + 1, 1), active);
    const std::string instance = std::to_string(kept + 1) + " tied maxima, one missed";
    return {exact({instance, "eps"}, d.residual_weight, at_least(0.5)), exact({instance, "rho"}, d.snr, at_most(1))};
  };
}

std::vector<Evidence> least_loss(const Context& context, const Bound& least_eps) {
  const auto ratio = [=](const ActiveSet& a) { return least_eps(a) * (1 + a.snr); };
  std::vector<Evidence> evidence{
      largest_ratio_of_sets(context, kProblems, ActiveChoice::any, "bound/eps", ratio, every_set)};
  for (const Index tied : {2, 3, 10, 100, 1000}) {
    evidence.push_back(exact({std::to_string(tied) + " tied maxima, one missed", "bound/eps"},
                             ratio(staircase(tied - 1, 1, 0, 0, 0)), equals(1, sparse_output_rounding())));
  }
  return evidence;
}

Statement relaxed_corrected() {
  const Bound lower = relaxed_lower_bound;
  const Bound upper = relaxed_upper_bound;
  return {
      .id = "S004-9-corrected",
      .title = "e^{max_A s - max_{A^c} s}/|A^c| <= rho <= |A| e^{max_A s - max_{A^c} s}",
      .source = "document 004, section 1.5, corrected",
      .kind = Kind::inequality,
      .scope = "any set; the printed bound too where the largest score is kept",
      .measure = [=](const Context& c) { return corrected_pair(c, lower, upper); },
      .mutants = {{"lower bound with m for max_A s",
                   [=](const Context& c) { return corrected_pair(c, printed_relaxed_bound, upper); }},
                  {"upper bound without |A|",
                   [=](const Context& c) {
                     return corrected_pair(c, lower,
                                           [](const ActiveSet& a) { return relaxed_upper_bound(a) / real(a.active); });
                   }},
                  {"lower bound 2% larger",
                   [=](const Context& c) {
                     return corrected_pair(c, [](const ActiveSet& a) { return 1.02 * relaxed_lower_bound(a); }, upper);
                   }},
                  {"upper bound 2% smaller",
                   [=](const Context& c) {
                     return corrected_pair(c, lower, [](const ActiveSet& a) { return 0.98 * relaxed_upper_bound(a); });
                   }},
                  {"lower bound without |A^c|", [=](const Context& c) {
                     return corrected_pair(
                         c, [](const ActiveSet& a) { return relaxed_lower_bound(a) * real(a.pruned); }, upper);
                   }}}};
}

Statement collapse_corrected() {
  const auto least = [](double factor, double others, double sign) {
    return [=](const ActiveSet& a) {
      return factor / (1 + std::pow(real(a.active), others) * std::exp(sign * (a.active_max - a.pruned_max)));
    };
  };
  return {.id = "S004-10-corrected",
          .title = "eps >= 1/(1 + |A| e^{max_A s - max_{A^c} s})",
          .source = "document 004, section 1.5, corrected",
          .kind = Kind::inequality,
          .scope = "any set",
          .measure = [=](const Context& c) { return least_loss(c, least(1, 1, 1)); },
          .mutants = {{"without |A|: one missed maximum costs half",
                       [=](const Context& c) { return least_loss(c, least(1, 0, 1)); }},
                      {"2% more", [=](const Context& c) { return least_loss(c, least(1.02, 1, 1)); }},
                      {"opposite gap", [=](const Context& c) { return least_loss(c, least(1, 1, -1)); }}}};
}

}  // namespace

std::vector<Statement> statements() {
  return {
      {.id = "S004-9",
       .title = "rho >= e^{m - s_max^c}/|A^c| for any selection",
       .source = "document 004, section 1.5",
       .quote = R"(\rho_i \ge \frac{1}{|\mathcal{A}_i^c|} \cdot e^{\Delta})",
       .kind = Kind::inequality,
       .scope = "any set",
       .measure = relaxed_for_any_set(printed_relaxed_bound),
       .controls = {{"the largest kept score for m", relaxed_for_any_set(relaxed_lower_bound)}},
       .expected = Verdict::refuted,
       .severity = Severity::wrong_result,
       .remark = "With scores (-5, 0) and the second pruned, rho is e^-5 = 0.0067 and the bound is 1. The bound fails "
                 "where the largest score is pruned, the very case that section 1.5 applies it to; it holds where the "
                 "largest score is kept."},
      relaxed_corrected(),
      {.id = "S004-10",
       .title = "Missing one score near the maximum makes rho collapse and the error spike",
       .source = "document 004, section 1.5 and summary",
       .wording = Wording::reading,
       .kind = Kind::ordering,
       .scope = "s_max^c = m; collapse read as rho <= 1, eps >= 1/2",
       .measure = collapse(99),
       .controls = {{"one of two maxima missed", collapse(1)}},
       .expected = Verdict::refuted,
       .remark =
           "The document says that it \"causes the SNR to collapse and the error to spike\"; the thresholds, eps >= "
           "0.5 and rho <= 1, are ours. With 100 tied maxima, one missed, rho = 99 and eps = 0.01, and there is no "
           "error at all where the values agree. The claim is true of a peaked distribution, its subject, and not "
           "of a flat one: a lower bound on rho that becomes small says nothing about rho."},
      collapse_corrected()};
}

}  // namespace skt::missed_maximum_group
