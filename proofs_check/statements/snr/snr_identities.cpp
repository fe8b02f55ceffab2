// Does sparse attention err by residual weight times context divergence (document 004, section 1)?
//
// Method: the estimator in double against the printed expression in long double, over random splits; errors are
// compared with the rounding bound of sparse_attention_problems.hpp.
// Power: any deviation above 1e-12 of the largest value norm on one problem. No randomness enters a verdict.
#include <algorithm>
#include <cmath>
#include <functional>

#include "estimators/metrics/snr_decomposition.hpp"
#include "proofs_check/evidence.hpp"
#include "proofs_check/laws/sparse_attention_problems.hpp"
#include "proofs_check/statement.hpp"
#include "sim/number.hpp"

namespace skt {
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

double distance(const LongVector& a, const LongVector& b) {
  return static_cast<double>((a - b).norm());
}
LongVector widened(const Vector& v) {
  return v.cast<Long>();
}

// S004-1.
enum class Maximum { one, own_of_each_sum };

std::vector<Evidence> definitions(const Context& context, Maximum maximum, double shift_factor) {
  const auto sparse = [=](const SparseProblem& problem) {
    const SnrDecomposition d = snr_decomposition(problem.scores, problem.values, problem.active);
    Reference r = reference(problem);
    if (maximum == Maximum::own_of_each_sum) {  // numerator relative to its own largest score, denominator to m
      double own = problem.scores(problem.active.front());
      for (const Index j : problem.active) own = larger(own, problem.scores(j));
      r.active.numerator *= std::exp(Long{problem.scores.maxCoeff() - own});
    }
    return distance(widened(d.sparse), r.sparse());
  };
  const auto full = [](const SparseProblem& problem) {
    const SnrDecomposition d = snr_decomposition(problem.scores, problem.values, problem.active);
    const Sums unshifted = sums(problem, [](Index) { return true; }, 0);
    return distance(widened(d.full), unshifted.numerator / unshifted.denominator);
  };
  const auto shifted = [=](const SparseProblem& problem) {
    const SnrDecomposition d = snr_decomposition(problem.scores, problem.values, problem.active);
    const Vector moved = shift_factor * problem.scores.array() + 64;
    return (snr_decomposition(moved, problem.values, problem.active).full - d.full).norm();
  };
  return {
      no_error_on_sparse_problems(context, kProblems, ActiveChoice::any, "||O_sparse - N(A)/D(A)||", sparse),
      no_error_on_sparse_problems(context, kProblems, ActiveChoice::any,
                                  "||O_full - sum e^s v/sum e^s|| without subtracting m", full),
      no_error_on_sparse_problems(context, kProblems, ActiveChoice::any, "||O_full(s + 64) - O_full(s)||", shifted)};
}

// S004-2: error = weight(reference) * (noise - sparse).
std::vector<Evidence> error_identity(const Context& context, const std::function<Long(const Reference&)>& weight) {
  const auto product_form = [=](const SparseProblem& problem) {
    const SnrDecomposition d = snr_decomposition(problem.scores, problem.values, problem.active);
    return distance(widened(d.error()), weight(reference(problem)) * widened(d.context_divergence()));
  };
  const auto common_denominator = [](const SparseProblem& problem) {
    const SnrDecomposition d = snr_decomposition(problem.scores, problem.values, problem.active);
    const Reference r = reference(problem);
    const Sums &a = r.active, &c = r.pruned;
    const Long below = a.denominator * r.total();
    const LongVector first = ((a.numerator + c.numerator) * a.denominator - a.numerator * r.total()) / below;
    const LongVector third = (c.numerator * a.denominator - a.numerator * c.denominator) / below;
    return larger(distance(widened(d.error()), first), distance(widened(d.error()), third));
  };
  return {no_error_on_sparse_problems(context, kProblems, ActiveChoice::any, "||E - eps (N(A^c)/D(A^c) - N(A)/D(A))||",
                                      product_form),
          no_error_on_sparse_problems(context, kProblems, ActiveChoice::any, "||E - line 1 or 3 of the expansion||",
                                      common_denominator)};
}

// S004-3: the combination with a weight of the noise, and the corollary ||E|| <= factor * eps * max||v||.
std::vector<Evidence> convex_combination(const Context& context, const std::function<double(double)>& noise_weight,
                                         double factor) {
  const auto combination = [=](const SparseProblem& problem) {
    const SnrDecomposition d = snr_decomposition(problem.scores, problem.values, problem.active);
    const double noise = noise_weight(d.residual_weight);
    return (d.full - (1 - noise) * d.sparse - noise * d.noise).norm();
  };
  const auto excess = [=](const SparseProblem& problem) {
    const SnrDecomposition d = snr_decomposition(problem.scores, problem.values, problem.active);
    return larger(0.0, d.error().norm() - factor * d.residual_weight * problem.values.rowwise().norm().maxCoeff());
  };
  Matrix opposite(2, 1);
  opposite << 1, -1;
  const SnrDecomposition tight = snr_decomposition(Vector::Zero(2), opposite, {0});
  const double attained = tight.error().norm() / (factor * tight.residual_weight);
  return {
      no_error_on_sparse_problems(context, kProblems, ActiveChoice::any, "||O_full - (1-eps) O_sparse - eps O_noise||",
                                  combination),
      no_error_on_sparse_problems(context, kProblems, ActiveChoice::any, "excess of ||E|| over 2 eps max||v||", excess),
      supremum({"two equal scores, opposite values", "||E||/(2 eps max||v||)"}, attained, sparse_output_rounding(), 1,
               1)};
}

double itself(double eps) {
  return eps;
}

Statement definitions_statement() {
  return {.id = "S004-1",
          .title = "Full and sparse attention do not depend on the score that is subtracted",
          .source = "document 004, section 1.1",
          .kind = Kind::identity,
          .scope = "finite scores, A and its complement not empty",
          .measure = [](const Context& c) { return definitions(c, Maximum::one, 1); },
          .mutants = {
              {"numerator and denominator subtract different maxima",
               [](const Context& c) { return definitions(c, Maximum::own_of_each_sum, 1); }},
              {"scores scaled instead of shifted", [](const Context& c) { return definitions(c, Maximum::one, 2); }}}};
}

Statement error_statement() {
  return {.id = "S004-2",
          .title = "The error is residual weight times context divergence",
          .source = "document 004, section 1.2",
          .kind = Kind::identity,
          .scope = "finite scores, A and its complement not empty",
          .measure = [](const Context& c) { return error_identity(c, &Reference::residual); },
          .mutants = {
              {"eps = D(A^c)/D(A)",
               [](const Context& c) {
                 return error_identity(c,
                                       [](const Reference& r) { return r.pruned.denominator / r.active.denominator; });
               }},
              {"opposite sign",
               [](const Context& c) { return error_identity(c, [](const Reference& r) { return -r.residual(); }); }},
              {"eps squared", [](const Context& c) {
                 return error_identity(c, [](const Reference& r) { return r.residual() * r.residual(); });
               }}}};
}

Statement combination_statement() {
  return {.id = "S004-3",
          .title = "Full attention is a convex combination of signal and noise, so ||E|| <= 2 eps max||v||",
          .source = "document 004, section 1.3 (the bound is a corollary)",
          .kind = Kind::identity,
          .scope = "finite scores, A and its complement not empty",
          .measure = [](const Context& c) { return convex_combination(c, itself, 2); },
          .mutants = {{"eps and 1 - eps swapped",
                       [](const Context& c) { return convex_combination(c, [](double eps) { return 1 - eps; }, 2); }},
                      {"||E|| <= eps max||v||", [](const Context& c) { return convex_combination(c, itself, 1); }}}};
}

}  // namespace

std::vector<Statement> snr_identities_statements() {
  return {definitions_statement(), error_statement(), combination_statement()};
}

}  // namespace skt
