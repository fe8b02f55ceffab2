#include "estimators/metrics/snr_decomposition.hpp"
#include "proofs_check/laws/sparse_attention_problems.hpp"
#include "proofs_check/statements/measuring.hpp"

namespace skt::snr_identities_group {

extern const StatementGroup kGroup = {
    .question = "Does sparse attention err by residual weight times context divergence (document 004, section 1)?",
    .method =
        "The estimator in double against the printed expression in long double, over random splits, coordinate by "
        "coordinate, up to the rounding bound of sparse_attention_problems.hpp.",
    .power = "Any deviation above 1e-12 of the largest value norm on one problem. Nothing is random in a verdict.",
    .scope = "finite scores, A and its complement not empty"};

namespace {

constexpr std::uint64_t kProblems = 2000;  // at the standard profile

using Long = long double;
using LongVector = Eigen::Matrix<Long, Eigen::Dynamic, 1>;

// N and D of a set in long double, relative to `shift`.
struct Sums {
  LongVector numerator;
  Long denominator = 0;
};

Sums sums(const SparseProblem& problem, const std::function<bool(Index)>& in, double shift) {
  Sums sum{LongVector::Zero(problem.values.cols())};
  for (Index j = 0; j < problem.scores.size(); ++j) {
    if (!in(j)) continue;
    const Long weight = std::exp(Long{problem.scores(j)} - Long{shift});
    sum.denominator += weight;
    sum.numerator += weight * problem.values.row(j).transpose().cast<Long>();
  }
  return sum;
}

struct Reference {
  Sums active, pruned;
  LongVector full() const { return (active.numerator + pruned.numerator) / total(); }
  LongVector sparse() const { return active.numerator / active.denominator; }
  Long total() const { return active.denominator + pruned.denominator; }
  Long residual() const { return pruned.denominator / total(); }
};

Reference reference(const SparseProblem& problem) {
  const double peak = problem.scores.maxCoeff();
  const auto active = [&](Index j) { return std::count(problem.active.begin(), problem.active.end(), j) > 0; };
  return {sums(problem, active, peak), sums(problem, [&](Index j) { return !active(j); }, peak)};
}

Vector narrowed(const LongVector& v) {
  return v.cast<double>();
}

// S004-1: the denominator is relative to the largest score, the numerator to one that lies so far below it.
using Apart = double (*)(const SparseProblem&);

std::vector<Evidence> definitions(const Context& context, Apart apart, double shift_factor) {
  const auto sparse = [=](const SparseProblem& problem, BothSides& sides) {
    const SnrDecomposition d = snr_decomposition(problem.scores, problem.values, problem.active);
    Reference r = reference(problem);
    r.active.numerator *= std::exp(Long{apart(problem)});
    sides.add(d.sparse, narrowed(r.sparse()), sparse_output_rounding());
  };
  const auto full = [](const SparseProblem& problem, BothSides& sides) {
    const SnrDecomposition d = snr_decomposition(problem.scores, problem.values, problem.active);
    const Sums unshifted = sums(problem, [](Index) { return true; }, 0);
    sides.add(d.full, narrowed(unshifted.numerator / unshifted.denominator), sparse_output_rounding());
  };
  const auto shifted = [=](const SparseProblem& problem, BothSides& sides) {
    const SnrDecomposition d = snr_decomposition(problem.scores, problem.values, problem.active);
    const Vector moved = shift_factor * problem.scores.array() + 64;
    sides.add(snr_decomposition(moved, problem.values, problem.active).full, d.full, sparse_output_rounding());
  };
  return {same_on_sparse_problems(context, kProblems, ActiveChoice::any, "O_sparse over N(A)/D(A)", sparse),
          same_on_sparse_problems(context, kProblems, ActiveChoice::any,
                                  "O_full over sum e^s v/sum e^s without subtracting m", full),
          same_on_sparse_problems(context, kProblems, ActiveChoice::any, "O_full(s + 64) over O_full(s)", shifted)};
}

// S004-2: error = weight(reference) * (noise - sparse).
std::vector<Evidence> error_identity(const Context& context, const std::function<Long(const Reference&)>& weight) {
  const auto product_form = [=](const SparseProblem& problem, BothSides& sides) {
    const SnrDecomposition d = snr_decomposition(problem.scores, problem.values, problem.active);
    const LongVector divergence = d.context_divergence().cast<Long>();
    sides.add(d.error(), narrowed(weight(reference(problem)) * divergence), sparse_output_rounding());
  };
  const auto common_denominator = [](const SparseProblem& problem, BothSides& sides) {
    const SnrDecomposition d = snr_decomposition(problem.scores, problem.values, problem.active);
    const Reference r = reference(problem);
    const Sums &a = r.active, &c = r.pruned;
    const Long below = a.denominator * r.total();
    const LongVector first = ((a.numerator + c.numerator) * a.denominator - a.numerator * r.total()) / below;
    const LongVector third = (c.numerator * a.denominator - a.numerator * c.denominator) / below;
    sides.add(d.error(), narrowed(first), sparse_output_rounding());
    sides.add(d.error(), narrowed(third), sparse_output_rounding());
  };
  return {same_on_sparse_problems(context, kProblems, ActiveChoice::any, "E over eps (N(A^c)/D(A^c) - N(A)/D(A))",
                                  product_form),
          same_on_sparse_problems(context, kProblems, ActiveChoice::any, "E over lines 1 and 3 of the expansion",
                                  common_denominator)};
}

// S004-3: the combination with a weight of the noise, and the corollary ||E|| <= factor * eps * max||v||.
std::vector<Evidence> convex_combination(const Context& context, const std::function<double(double)>& noise_weight,
                                         double factor) {
  const auto combination = [=](const SparseProblem& problem, BothSides& sides) {
    const SnrDecomposition d = snr_decomposition(problem.scores, problem.values, problem.active);
    const double noise = noise_weight(d.residual_weight);
    sides.add(d.full, (1 - noise) * d.sparse + noise * d.noise, sparse_output_rounding());
  };
  // What rounding can add to the error is taken off before the ratio.
  double worst = 0;
  for (std::uint64_t trial = 0; trial < context.trials(kProblems); ++trial) {
    const SparseProblem problem = random_sparse_problem(context.seed, trial, ActiveChoice::any);
    const SnrDecomposition d = snr_decomposition(problem.scores, problem.values, problem.active);
    const double allowed = factor * d.residual_weight * problem.values.rowwise().norm().maxCoeff();
    worst = larger(worst, (d.error().norm() - sparse_output_rounding()) / allowed);
  }
  Matrix opposite(2, 1);
  opposite << 1, -1;
  const SnrDecomposition tight = snr_decomposition(Vector::Zero(2), opposite, {0});
  const double attained = tight.error().norm() / (factor * tight.residual_weight);
  return {same_on_sparse_problems(context, kProblems, ActiveChoice::any, "O_full over (1-eps) O_sparse + eps O_noise",
                                  combination),
          supremum({"random splits", "||E||/(2 eps max||v||)"}, worst, 0, context.trials(kProblems),
                   context.trials(kProblems)),
          supremum({"two equal scores, opposite values", "||E||/(2 eps max||v||)"}, attained, sparse_output_rounding(),
                   1, 1)};
}

double one_maximum(const SparseProblem&) {
  return 0;
}
double own_maximum(const SparseProblem& problem) {
  return problem.scores.maxCoeff() - problem.scores(problem.active).maxCoeff();
}
double near_maximum(const SparseProblem&) {
  return 0.01;
}
double itself(double eps) {
  return eps;
}

}  // namespace

std::vector<Statement> statements() {
  return {
      {.id = "S004-1",
       .title = "Full and sparse attention do not depend on the score that is subtracted",
       .source = "document 004, section 1.1",
       .quote = "For numerical stability, we subtract the maximum score",
       .measure = [](const Context& c) { return definitions(c, one_maximum, 1); },
       .mutants = {{"numerator and denominator subtract different maxima",
                    [](const Context& c) { return definitions(c, own_maximum, 1); }},
                   {"numerator and denominator subtract maxima .01 apart",
                    [](const Context& c) { return definitions(c, near_maximum, 1); }},
                   {"scores scaled instead of shifted",
                    [](const Context& c) { return definitions(c, one_maximum, 2); }}}},
      {.id = "S004-2",
       .title = "The error is residual weight times context divergence",
       .source = "document 004, section 1.2",
       .quote = "the error is the product of two factors",
       .measure = [](const Context& c) { return error_identity(c, &Reference::residual); },
       .mutants = {{"eps = D(A^c)/D(A)",
                    [](const Context& c) {
                      return error_identity(
                          c, [](const Reference& r) { return r.pruned.denominator / r.active.denominator; });
                    }},
                   {"opposite sign",
                    [](const Context& c) {
                      return error_identity(c, [](const Reference& r) { return -r.residual(); });
                    }},
                   {"1% more than eps",
                    [](const Context& c) {
                      return error_identity(c, [](const Reference& r) { return Long{1.01} * r.residual(); });
                    }},
                   {"eps squared",
                    [](const Context& c) {
                      return error_identity(c, [](const Reference& r) { return r.residual() * r.residual(); });
                    }}}},
      {.id = "S004-3",
       .title = "Full attention is a convex combination of signal and noise, so ||E|| <= 2 eps max||v||",
       .source = "document 004, section 1.3 (the bound is a corollary)",
       .quote = "The full attention output is a convex combination of the signal and the noise",
       .measure = [](const Context& c) { return convex_combination(c, itself, 2); },
       .mutants = {{"eps and 1 - eps swapped",
                    [](const Context& c) { return convex_combination(c, [](double eps) { return 1 - eps; }, 2); }},
                   {"||E|| <= 1.98 eps max||v||", [](const Context& c) { return convex_combination(c, itself, 1.98); }},
                   {"||E|| <= eps max||v||", [](const Context& c) { return convex_combination(c, itself, 1); }}}}};
}

}  // namespace skt::snr_identities_group
