#include "estimators/metrics/snr_decomposition.hpp"
#include "proofs_check/laws/sparse_attention_problems.hpp"
#include "proofs_check/statements/measuring.hpp"

namespace skt::residual_weight_group {

extern const StatementGroup kGroup = {
    .question =
        "How large is the residual weight that sparse attention leaves out (document 004, sections 1.3 to 1.5)?",
    .notes = R"(
eps is the share of the softmax weight that the pruned keys hold, rho the weight kept over the weight pruned. Every
key has a finite score; at least one key is kept and one left out.)",
    .method =
        "Random splits, with the rounding bound of sparse_attention_problems.hpp, and closed-form values of two "
        "families.",
    .power = "Any relative deviation above 1e-12 on one of the splits. Nothing is random in a verdict."};

namespace {

constexpr std::uint64_t kProblems = 2000;  // at the standard profile

// D(A^c)/D_total in long double.
double direct_residual_weight(const SparseProblem& problem) {
  long double kept = 0, pruned = 0;
  for (Index j = 0; j < problem.scores.size(); ++j) {
    const bool active = std::count(problem.active.begin(), problem.active.end(), j) > 0;
    const long double score = problem.scores(j), weight = std::exp(score - problem.scores.maxCoeff());
    (active ? kept : pruned) += weight;
  }
  return static_cast<double>(pruned / (kept + pruned));
}

// S004-4: eps as a function of rho.
std::vector<Evidence> residual_weight(const Context& context, const std::function<double(double)>& formula) {
  const auto compare = [=](const SparseProblem& problem, BothSides& sides) {
    const SnrDecomposition d = snr_decomposition(problem.scores, problem.values, problem.active);
    const double direct = direct_residual_weight(problem);
    sides.add(formula(d.snr), direct, sparse_output_rounding() * direct);
  };
  double least_drop = 1;  // of eps where rho doubles
  for (int power = -20; power < 20; ++power) {
    least_drop = smaller(least_drop, 1 - formula(std::exp2(power + 1)) / formula(std::exp2(power)));
  }
  // eps(2 rho)/eps(rho) = (1 + rho)/(1 + 2 rho), nearest to 1 at the smallest rho, 2^-20.
  const double exact_drop = std::exp2(-20) / (1 + std::exp2(-19));
  return {same_on_sparse_problems(context, kProblems, ActiveChoice::any, "1/(1+rho) over D(A^c)/D_total", compare),
          exact({"rho = 2^-20 .. 2^20", "smallest relative fall of eps where rho doubles"}, least_drop,
                equals(exact_drop, sparse_output_rounding()))};
}

// S004-6: the second line of the bound, with its boundary term given as a function of the set.
std::vector<Evidence> rewritten_bound(const Context& context, const std::function<double(const ActiveSet&)>& second) {
  const auto compare = [=](const SparseProblem& problem, BothSides& sides) {
    const ActiveSet set = describe_active_set(problem.scores, problem.active);
    sides.add(second(set), top_k_bound(set), sparse_output_rounding() * top_k_bound(set));
  };
  return {same_on_sparse_problems(context, kProblems, ActiveChoice::top_k, "second line over first line", compare)};
}

// S004-8: bounds on s_max^c, `lower(sorted, k)` <= s_max^c <= `upper(sorted, k)`, scores sorted from the largest.
using Order = std::function<double(const std::vector<double>&, std::size_t)>;

std::vector<Evidence> missed_maximum(const Context& context, const Order& lower, const Order& upper) {
  double below = 0, above = 0, gap_of_top_k = 0;
  for (std::uint64_t trial = 0; trial < context.trials(kProblems); ++trial) {
    for (const ActiveChoice choice : {ActiveChoice::any, ActiveChoice::top_k}) {
      const SparseProblem problem = random_sparse_problem(context.seed, trial, choice);
      const ActiveSet set = describe_active_set(problem.scores, problem.active);
      std::vector<double> sorted(problem.scores.begin(), problem.scores.end());
      std::sort(sorted.begin(), sorted.end(), std::greater<>());
      below = larger(below, lower(sorted, problem.active.size()) - set.pruned_max);
      above = larger(above, set.pruned_max - upper(sorted, problem.active.size()));
      if (choice == ActiveChoice::top_k) {
        gap_of_top_k = larger(gap_of_top_k, set.pruned_max - lower(sorted, problem.active.size()));
      }
    }
  }
  return {exact({"random splits", "largest s_{k+1} - s_max^c"}, below, at_most(0)),
          exact({"random splits", "largest s_max^c - s_1"}, above, at_most(0)),
          exact({"random top-k sets", "largest s_max^c - s_{k+1}"}, gap_of_top_k, equals(0))};
}

double after_cut(const std::vector<double>& sorted, std::size_t k) {
  return sorted[k];
}
double at_cut(const std::vector<double>& sorted, std::size_t k) {
  return sorted[k - 1];
}
double first(const std::vector<double>& sorted, std::size_t) {
  return sorted[0];
}

// S004-11: eps of |A| flat scores out of `keys`, and of one score `gap` above the others, at most e^-gap times `peaked`.
using OfKeys = std::function<double(double kept, double keys)>;

std::vector<Evidence> limits(const OfKeys& flat, const OfKeys& peaked) {
  std::vector<Evidence> evidence;
  for (const Index keys : {2, 31, 1000}) {
    const Matrix values(keys, 0);
    std::vector<Index> active;
    for (Index j = 0; 3 * j < keys; ++j) active.push_back(j);
    const SnrDecomposition uniform = snr_decomposition(Vector::Zero(keys), values, active);
    evidence.push_back(exact({std::to_string(keys) + " equal scores", "eps"}, uniform.residual_weight,
                             equals(flat(real(active.size()), real(keys)), sparse_output_rounding())));
    double ratio = 0;
    for (const double gap : {1.0, 10.0, 30.0}) {
      const SnrDecomposition above = snr_decomposition(gap * Vector::Unit(keys, 0), values, {0});
      ratio = larger(ratio, above.residual_weight / (std::exp(-gap) * peaked(1, real(keys))));
    }
    evidence.push_back(supremum({std::to_string(keys) + " keys, one above by 1, 10, 30", "eps e^gap/|A^c|"}, ratio,
                                sparse_output_rounding(), 3, 3));
  }
  return evidence;
}

double share_pruned(double kept, double keys) {
  return 1 - kept / keys;
}
double number_pruned(double kept, double keys) {
  return keys - kept;
}

}  // namespace

std::vector<Statement> statements() {
  return {
      {.id = "S004-4",
       .title = "eps = 1/(1 + rho), strictly decreasing in rho",
       .source = "document 004, section 1.4",
       .quote = "is strictly decreasing with respect to",
       .scope = "finite scores, A and its complement not empty",
       .measure = [](const Context& c) { return residual_weight(c, [](double rho) { return 1 / (1 + rho); }); },
       .mutants =
           {{"eps = 1/(1 + 1.01 rho)",
             [](const Context& c) { return residual_weight(c, [](double rho) { return 1 / (1 + 1.01 * rho); }); }},
            {"eps = 1/rho", [](const Context& c) { return residual_weight(c, [](double rho) { return 1 / rho; }); }},
            {"eps = rho/(1 + rho)",
             [](const Context& c) { return residual_weight(c, [](double rho) { return rho / (1 + rho); }); }}}},
      {.id = "S004-6",
       .title = "The bound on rho splits into peak-to-noise gap and boundary gap",
       .source = "document 004, section 1.4",
       .quote = "Let's analyze the components of",
       .scope = "A the k largest scores",
       .measure =
           [](const Context& c) {
             return rewritten_bound(
                 c, [](const ActiveSet& a) { return (peak_to_noise_term(a) + boundary_term(a)) / real(a.pruned); });
           },
       .mutants = {{"1% more of the boundary gap",
                    [](const Context& c) {
                      return rewritten_bound(c, [](const ActiveSet& a) {
                        return (peak_to_noise_term(a) + 1.01 * boundary_term(a)) / real(a.pruned);
                      });
                    }},
                   {"second term not divided by e^{s_{k+1} - m}",
                    [](const Context& c) {
                      return rewritten_bound(c, [](const ActiveSet& a) {
                        const double left = real(a.active - 1) * std::exp(a.active_min - a.peak);
                        return (peak_to_noise_term(a) + left) / real(a.pruned);
                      });
                    }},
                   {"boundary gap counted for all of A",
                    [](const Context& c) {
                      return rewritten_bound(c, [](const ActiveSet& a) {
                        const double all = real(a.active) * std::exp(a.active_min - a.pruned_max);
                        return (peak_to_noise_term(a) + all) / real(a.pruned);
                      });
                    }}}},
      {.id = "S004-8",
       .title = "The largest pruned score lies between s_{k+1} (A a top-k set) and the largest of all",
       .source = "document 004, section 1.5",
       .quote = "could be as large as the global maximum",
       .kind = Kind::inequality,
       .scope = "|A| = k, scores counted from s_1 = m",
       .measure = [](const Context& c) { return missed_maximum(c, after_cut, first); },
       .mutants = {{"s_k <= s_max^c", [](const Context& c) { return missed_maximum(c, at_cut, first); }},
                   {"s_max^c <= s_k", [](const Context& c) { return missed_maximum(c, after_cut, at_cut); }}},
       .no_near_mutant = "The claim is an order of scores: the nearest lie takes the next score.",
       .remark = "The document calls the largest score s_0 here and counts s_k from 1 elsewhere; with s_0 for the "
                 "largest, the lower end would be s_k."},
      {.id = "S004-11",
       .title = "A peaked distribution loses at most |A^c| e^{-gap}; a flat one loses exactly |A^c|/N",
       .source = "document 004, section 1.3, made exact",
       .kind = Kind::limit,
       .scope = "one score above equal others; all scores equal",
       .measure = [](const Context&) { return limits(share_pruned, number_pruned); },
       .mutants = {
           {"flat: |A|/N",
            [](const Context&) { return limits([](double kept, double keys) { return kept / keys; }, number_pruned); }},
           {"flat: 1.02 |A^c|/N",
            [](const Context&) {
              return limits([](double a, double n) { return 1.02 * share_pruned(a, n); }, number_pruned);
            }},
           {"peaked: 0.98 |A^c| e^{-gap}",
            [](const Context&) {
              return limits(share_pruned, [](double a, double n) { return 0.98 * number_pruned(a, n); });
            }},
           {"peaked: e^{-gap} whatever the number of pruned keys",
            [](const Context&) { return limits(share_pruned, [](double, double) { return 1.0; }); }}}}};
}

}  // namespace skt::residual_weight_group
