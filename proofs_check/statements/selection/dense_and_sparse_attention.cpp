// Which attention do equations (1) and (2) compute?
//
//   S002-Q1         the weights of eq. (1)
//   S002-Q1-scaled  eq. (1) has no 1/sqrt(d)
//   S002-Q2         eq. (2), whose weights are those of the full softmax, against the softmax over the selected keys
//                   that section 5 and Algorithm 3 compute
//
// Method: random scores, scores of norm-100 vectors, and the problem in use (problem_in_use.hpp), the two sides
// computed apart.
// Power: rounding.
#include <cmath>
#include <limits>

#include "estimators/attention.hpp"
#include "estimators/weighted_output.hpp"
#include "proofs_check/evidence.hpp"
#include "proofs_check/laws/problem_in_use.hpp"
#include "proofs_check/laws/sparse_attention_problems.hpp"
#include "proofs_check/statement.hpp"
#include "sim/families.hpp"
#include "sim/number.hpp"

namespace skt {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();

// sum_j e^(x_j - m) v_j / sum_j e^(x_j - m) in long double.
Vector plain_attention(const Vector& logits, const Matrix& values) {
  using Wide = Eigen::Matrix<long double, Eigen::Dynamic, 1>;
  const Wide powers = (logits.cast<long double>().array() - logits.cast<long double>().maxCoeff()).exp();
  return (values.cast<long double>().transpose() * powers / powers.sum()).cast<double>();
}

// S002-Q1.
using Weights = Vector (*)(const Vector& scores);
using Change = Vector (*)(const Vector& scores);  // claimed to leave the weights as they are

auto attention_weights(Weights weights, Change change) {
  return [=](const Context& context) -> std::vector<Evidence> {
    double sum_error = 0, least = 1, changed = 0;
    const std::uint64_t trials = context.trials(2000);
    for (std::uint64_t trial = 0; trial < trials; ++trial) {
      const Vector scores = random_sparse_problem(context.seed, trial, ActiveChoice::any).scores;
      const Vector w = weights(scores);
      sum_error = larger(sum_error, std::abs(w.sum() - 1));
      least = smaller(least, w.minCoeff());
      changed = larger(changed, (w - weights(change(scores))).lpNorm<Eigen::Infinity>());
    }
    // q = 100 e_1 against 100 e_1, 60 e_1 + 80 e_2, 100 e_2 and -100 e_1.
    const Vector far = weights((Vector(4) << 10000, 6000, 0, -10000).finished());
    const double not_finite = 4 - real(far.array().isFinite().count());
    return {
        exact({"random scores in [-8, 8]", "largest |sum of weights - 1|"}, sum_error,
              equals(0, sparse_output_rounding())),
        exact({"random scores in [-8, 8]", "least weight"}, least, at_least(std::numeric_limits<double>::min())),
        exact({"random scores in [-8, 8]", "largest change of a weight"}, changed, equals(0, sparse_output_rounding())),
        exact({"scores of keys of norm 100 and a query of norm 100", "weights that are not finite"}, not_finite,
              equals(0))};
  };
}

Vector of_softmax(const Vector& scores) {
  return *softmax(scores);
}
Vector without_maximum(const Vector& scores) {
  const Vector powers = scores.array().exp();
  return powers / powers.sum();
}
Vector shifted(const Vector& scores) {
  return scores.array() + 1024;  // exact: the scores are multiples of 2^-20
}

// S002-Q1-scaled: scores q.k/d^exponent.
auto scaled_attention(double exponent) {
  return [exponent](const Context& context) -> std::vector<Evidence> {
    const Instance instance = make_instance({}, context.seed, 0);
    const Vector products = instance.keys * instance.query;
    const Vector logits = products / std::pow(real(instance.dim()), exponent);
    const Vector scaled = *dense_attention(instance.query, instance.keys, instance.values, {});
    const double longest = row_norms(instance.values).maxCoeff();
    // The scores are sums of 128 products and of size 50 at most: 128 units of rounding of 50 in an exponent.
    const double rounding = 128 * 50 * kEps;
    const double top = softmax(scaled_logits(instance.query, instance.keys))->maxCoeff();
    return {exact({"4096 Gaussian keys, d=128", "largest weight (claim: of scaled dot-product attention)"},
                  softmax(logits)->maxCoeff(), equals(top, rounding)),
            exact({"4096 Gaussian keys, d=128", "distance to scaled dot-product attention/max|v|"},
                  (plain_attention(logits, instance.values) - scaled).norm() / longest, equals(0, rounding))};
  };
}

// S002-Q2: eq. (2) is claimed to be factor(mass of the selected keys) times the output over the selection.
auto full_weights(double (*factor)(double mass)) {
  return [factor](const Context& context) -> std::vector<Evidence> {
    const ProblemInUse real = problem_in_use(context);
    const auto gap = [&](const Vector& scores, const Matrix& values, const std::vector<Index>& active) {
      const Vector alpha = *softmax(scores);
      const double mass = alpha(active).sum();
      const Vector printed = values(active, Eigen::all).transpose() * alpha(active);
      return (printed - factor(mass) * *sparse_attention(scores, values, active)).norm();
    };
    const Vector logits = scaled_logits(real.instance.query, real.instance.keys);
    const double mass = (*softmax(logits))(real.selected).sum();
    return {no_error_on_sparse_problems(context, 2000, ActiveChoice::any, "largest |eq. (2) - claim|",
                                        [&](const SparseProblem& s) { return gap(s.scores, s.values, s.active); }),
            exact({kProblemInUse, "eq. (2) over the output of the selection"}, mass, equals(factor(mass))),
            exact({kProblemInUse, "|eq. (2) - claim|/max|v|"},
                  gap(logits, real.instance.values, real.selected) / real.norms.maxCoeff(), equals(0, 4096 * kEps))};
  };
}

constexpr const char* kScope = "finite scores";

Statement weights_of_eq_1() {
  const Change doubled = [](const Vector& scores) { return Vector(2 * scores); };
  return {.id = "S002-Q1",
          .title = "Attention weights are a positive probability vector that no shift of the scores changes",
          .source = "paper, eq. (1)",
          .kind = Kind::identity,
          .scope = kScope,
          .measure = attention_weights(of_softmax, shifted),
          .mutants = {{"without subtracting the largest score", attention_weights(without_maximum, shifted)},
                      {"unchanged when the scores double", attention_weights(of_softmax, doubled)}}};
}

Statement scaling_printed() {
  return {.id = "S002-Q1-scaled",
          .title = "Equation (1) is scaled dot-product attention",
          .source = "paper, eq. (1)",
          .kind = Kind::identity,
          .scope = kScope,
          .measure = scaled_attention(0),
          .expected = Verdict::refuted,
          .remark =
              "The divisor sqrt(d) is missing. On 4096 Gaussian keys in d = 128 one key takes most of the weight "
              "without it, and none more than a hundredth with it."};
}

Statement scaling_corrected() {
  return {.id = "S002-Q1-scaled-corrected",
          .title = "Equation (1) with scores over sqrt(d) is scaled dot-product attention",
          .source = "paper, eq. (1), corrected",
          .kind = Kind::identity,
          .scope = kScope,
          .measure = scaled_attention(0.5),
          .mutants = {{"over d", scaled_attention(1)}, {"over d^(1/4)", scaled_attention(0.25)}}};
}

Statement sparse_printed() {
  return {.id = "S002-Q2",
          .title = "Sparse attention (2) is the softmax over the selected keys",
          .source = "paper, eq. (2) against section 5 and Algorithm 3",
          .kind = Kind::identity,
          .scope = kScope,
          .measure = full_weights([](double) { return 1.0; }),
          .expected = Verdict::refuted,
          .remark =
              "Equation (2) keeps the weights of the full softmax; section 5 and Algorithm 3 renormalise. The two "
              "differ by the factor of the mass that the selection holds."};
}

Statement sparse_corrected() {
  return {.id = "S002-Q2-corrected",
          .title = "Equation (2) is the selected mass times the softmax over the selected keys",
          .source = "paper, eq. (2), corrected",
          .kind = Kind::identity,
          .scope = kScope,
          .measure = full_weights([](double mass) { return mass; }),
          .mutants = {{"the mass left out", full_weights([](double mass) { return 1 - mass; })},
                      {"the square root of the mass", full_weights([](double mass) { return std::sqrt(mass); })}}};
}

}  // namespace

std::vector<Statement> dense_and_sparse_attention_statements() {
  return {weights_of_eq_1(), scaling_printed(), scaling_corrected(), sparse_printed(), sparse_corrected()};
}

}  // namespace skt
