#include "estimators/metrics/snr_decomposition.hpp"
#include "proofs_check/laws/sparse_attention_problems.hpp"
#include "proofs_check/statements/measuring.hpp"

namespace skt::snr_bounds_group {

extern const StatementGroup kGroup = {
    .question = "How small can the signal-to-noise ratio rho of a top-k set be (document 004, section 1.4)?",
    .notes = R"(
Beside the lower bound (S004-5) stands the sentence that its peak term dominates (S004-7), which wants a condition.
Scores are finite and neither set is empty.)",
    .method = "Suprema of the ratio of the two sides over random top-k sets, and instances where they are equal.",
    .power =
        "Exact; a bound 1% too large and a count off by one are refuted where the sides are equal. Nothing is random "
        "in a verdict.",
    .source = "document 004, section 1.4",
    .scope = "A the k largest scores"};

namespace {

constexpr std::uint64_t kProblems = 5000;  // at the standard profile

using Bound = std::function<double(const ActiveSet&)>;

// S004-5.
std::vector<Evidence> top_k_lower_bound(const Context& context, const Bound& bound) {
  const ActiveSet tight = staircase(3, 4, 2, 1, -1);
  const auto ratio = [=](const ActiveSet& a) { return bound(a) / a.snr; };
  return {largest_ratio_of_sets(context, kProblems, ActiveChoice::top_k, "bound/rho", ratio, every_set),
          exact({"peak 2, two scores 1, four scores -1, A the first three", "bound/rho"}, ratio(tight),
                equals(1, sparse_output_rounding()))};
}

// S004-7: `peak` above 31 equal scores kept, the rest 3 below those.
auto peak_dominates(double peak) {
  return [peak](const Context&) -> std::vector<Evidence> {
    const ActiveSet set = staircase(32, 32, peak, 0, -3);
    return {exact({peak > 0 ? "one score 4 above 31, the rest 3 below these" : "32 tied maxima kept, the rest 3 below",
                   "boundary term/peak term"},
                  boundary_term(set) / peak_to_noise_term(set), at_most(1, sparse_output_rounding()))};
  };
}

// Its corrected form: the peak term is the larger one iff m - s_k exceeds a threshold, where the terms are equal.
struct Criterion {
  std::function<double(const ActiveSet&)> gap;
  double (*threshold)(double kept);
};

double peak_over_cut(const ActiveSet& a) {
  return a.peak - a.active_min;
}
double log_of_others(double kept) {
  return kept > 1 ? std::log(kept - 1) : -std::numeric_limits<double>::infinity();
}
double log_of_all(double kept) {
  return std::log(kept);
}
double below_every_gap(double) {
  return -std::numeric_limits<double>::infinity();
}

std::vector<Evidence> dominance_criterion(const Context& context, const Criterion& criterion) {
  double disagreements = 0;
  for (std::uint64_t trial = 0; trial < context.trials(kProblems); ++trial) {
    const SparseProblem problem = random_sparse_problem(context.seed, trial, ActiveChoice::top_k);
    const ActiveSet set = describe_active_set(problem.scores, problem.active);
    const double balance = boundary_term(set) / peak_to_noise_term(set);
    if (std::abs(balance - 1) <= sparse_output_rounding()) continue;  // rounding decides
    disagreements += (balance < 1) != (criterion.gap(set) > criterion.threshold(real(set.active)));
  }
  std::vector<Evidence> evidence{
      exact({"random top-k sets", "sets where criterion and terms disagree"}, disagreements, equals(0))};
  const double threshold = criterion.threshold(33);
  if (!std::isfinite(threshold)) return evidence;
  const ActiveSet balanced = staircase(33, 5, threshold, 0, -1);
  evidence.push_back(exact({"33 scores kept, the peak above 32 equal ones by the threshold", "boundary term/peak term"},
                           boundary_term(balanced) / peak_to_noise_term(balanced),
                           equals(1, sparse_output_rounding())));
  return evidence;
}

}  // namespace

std::vector<Statement> statements() {
  return {
      {.id = "S004-5",
       .title = "rho >= (1 + (|A|-1) e^{s_k - m})/(|A^c| e^{s_{k+1} - m})",
       .quote = R"(\ge \frac{1 + (|\mathcal{A}_i| - 1)e^{s_k - m_i}}{|\mathcal{A}_i^c| \cdot e^{s_{k+1} - m_i}})",
       .kind = Kind::inequality,
       .measure = [](const Context& c) { return top_k_lower_bound(c, top_k_bound); },
       .mutants = {{"|A| for |A| - 1",
                    [](const Context& c) {
                      return top_k_lower_bound(c, [](const ActiveSet& a) {
                        return top_k_bound(a) + std::exp(a.active_min - a.pruned_max) / real(a.pruned);
                      });
                    }},
                   {"1% more",
                    [](const Context& c) {
                      return top_k_lower_bound(c, [](const ActiveSet& a) { return 1.01 * top_k_bound(a); });
                    }},
                   {"|A^c| - 1 for |A^c|",
                    [](const Context& c) {
                      return top_k_lower_bound(c, [](const ActiveSet& a) {
                        return top_k_bound(a) * real(a.pruned) / std::max(0.5, real(a.pruned - 1));
                      });
                    }}}},
      {.id = "S004-7",
       .title = "The peak-to-noise term dominates the bound",
       .quote = "In this lower bound, the **Peak-to-Noise Term** plays the dominant role",
       .kind = Kind::ordering,
       .measure = peak_dominates(0),
       .controls = {{"a peak 4 above 31 others", peak_dominates(4)}},
       .expected = Verdict::refuted,
       .severity = Severity::imprecise,
       .remark =
           "The peak term dominates only where one score stands above the others by more than log(|A| - 1). For 32 "
           "tied maxima 3 above the rest it is e^3 = 20.1, and the boundary term is 31 e^3 = 622.7."},
      {.id = "S004-7-corrected",
       .title = "The peak-to-noise term is the larger one iff m - s_k > log(|A| - 1)",
       .source = "document 004, section 1.4, corrected",
       .kind = Kind::ordering,
       .measure = [](const Context& c) { return dominance_criterion(c, {peak_over_cut, log_of_others}); },
       .mutants = {
           {"always", [](const Context& c) { return dominance_criterion(c, {peak_over_cut, below_every_gap}); }},
           {"m - s_k > log|A|", [](const Context& c) { return dominance_criterion(c, {peak_over_cut, log_of_all}); }},
           {"m - s_{k+1} > log(|A| - 1)", [](const Context& c) {
              return dominance_criterion(c, {[](const ActiveSet& a) { return a.peak - a.pruned_max; }, log_of_others});
            }}}}};
}

}  // namespace skt::snr_bounds_group
