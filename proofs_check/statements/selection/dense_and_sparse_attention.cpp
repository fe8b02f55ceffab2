#include "estimators/attention.hpp"
#include "proofs_check/laws/problem_in_use.hpp"
#include "proofs_check/laws/sparse_attention_problems.hpp"
#include "proofs_check/statements/measuring.hpp"
#include "sim/stop.hpp"

namespace skt::dense_and_sparse_attention_group {

extern const StatementGroup kGroup = {
    .question = "Which attention do equations (1) and (2) compute?",
    .notes = R"(S002-Q1         the weights of eq. (1)
S002-Q1-scaled  eq. (1) has no 1/sqrt(d)
S002-Q2         eq. (2), whose weights are those of the full softmax, against the softmax over the selected keys
                that section 5 and Algorithm 3 compute)",
    .method =
        "Random scores, scores of norm-100 vectors, and the problem in use (problem_in_use.hpp), with the two sides "
        "computed separately; the ratio of each weight to its claimed value.",
    .power = "Rounding; a hundredth of a weight is planted and seen.",
    .scope = "finite scores"};

namespace {

// e^(x_j - m) / sum_i e^(x_i - m) in long double.
Vector plain_weights(const Vector& logits) {
  using Wide = Eigen::Matrix<long double, Eigen::Dynamic, 1>;
  const Wide powers = (logits.cast<long double>().array() - logits.cast<long double>().maxCoeff()).exp();
  return (powers / powers.sum()).cast<double>();
}

// S002-Q1.
using Weights = Vector (*)(const Vector& scores);
using Change = Vector (*)(const Vector& scores);  // claimed to leave the weights as they are

auto attention_weights(Weights weights, Change change) {
  return [=](const Context& context) -> std::vector<Evidence> {
    BothSides sum, changed;
    double least = 1;
    const std::uint64_t trials = context.trials(2000);
    for (std::uint64_t trial = 0; trial < trials; ++trial) {
      look_for_stop();
      const Vector scores = random_sparse_problem(context.seed, trial, ActiveChoice::any).scores;
      const Vector w = weights(scores), after = weights(change(scores));
      sum.add(w.sum(), 1, sparse_output_rounding());
      least = smaller(least, w.minCoeff());
      for (Index j = 0; j < w.size(); ++j) changed.add(after(j), w(j), sparse_output_rounding() * w(j));
    }
    // q = 100 e_1 against 100 e_1, 60 e_1 + 80 e_2, 100 e_2 and -100 e_1.
    const Vector far = weights((Vector(4) << 10000, 6000, 0, -10000).finished());
    const double not_finite = 4 - real(far.array().isFinite().count());
    const char* const what = "random scores in [-8, 8]";
    return {sum.evidence({what, "sum of the weights, furthest from 1"}),
            exact({what, "least weight"}, least, at_least(std::numeric_limits<double>::min())),
            changed.evidence({what, "weight after the change over the weight before"}),
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
Vector over_too_much(const Vector& scores) {
  return *softmax(scores) / 1.01;
}
Vector shifted(const Vector& scores) {
  return scores.array() + 1024;  // exact: the scores are multiples of 2^-20
}

// S002-Q1-scaled: scores q.k/divisor(d).
auto scaled_attention(double (*divisor)(double dim)) {
  return [divisor](const Context& context) -> std::vector<Evidence> {
    const Instance instance = make_instance({}, context.seed, 0);
    const Vector products = instance.keys * instance.query;
    const Vector printed = plain_weights(products / divisor(real(instance.dim())));
    const Vector scaled = *softmax(scaled_logits(instance.query, instance.keys));
    const Vector output = *dense_attention(instance.query, instance.keys, instance.values, {});
    // The scores are sums of 128 products and of size 50 at most: 128 units of rounding of 50 in an exponent.
    const double rounding = 128 * 50 * kUnit;
    BothSides each;
    for (Index j = 0; j < scaled.size(); ++j) each.add(printed(j), scaled(j), 2 * rounding * scaled(j));
    const char* const what = "4096 Gaussian keys, d=128";
    return {exact({what, "largest weight (claim: of scaled dot-product attention)"}, printed.maxCoeff(),
                  equals(scaled.maxCoeff(), rounding)),
            each.evidence({what, "weight over that of scaled dot-product attention"}),
            exact({what, "distance to scaled dot-product attention/max|v|"},
                  (instance.values.transpose() * printed - output).norm() / row_norms(instance.values).maxCoeff(),
                  equals(0, rounding))};
  };
}

double nothing(double) {
  return 1;
}
double root(double dim) {
  return std::sqrt(dim);
}

// S002-Q2: eq. (2) is claimed to be factor(mass of the selected keys) times the softmax over the selection.
auto full_weights(double (*factor)(double mass)) {
  return [factor](const Context& context) -> std::vector<Evidence> {
    const auto weights = [&](const SparseProblem& problem, BothSides& sides) {
      const Vector alpha = *softmax(problem.scores), kept = *softmax(problem.scores(problem.active));
      const double claimed = factor(alpha(problem.active).sum());
      for (Index i = 0; i < kept.size(); ++i)
        sides.add(alpha(problem.active[i]), claimed * kept(i), sparse_output_rounding() * claimed * kept(i));
    };
    const auto outputs = [&](const SparseProblem& problem, BothSides& sides) {
      const Vector alpha = *softmax(problem.scores);
      const Vector printed = problem.values(problem.active, Eigen::all).transpose() * alpha(problem.active);
      const double claimed = factor(alpha(problem.active).sum());
      sides.add(printed, claimed * *sparse_attention(problem.scores, problem.values, problem.active),
                sparse_output_rounding());
    };
    const ProblemInUse in_use = problem_in_use(context);
    const Vector logits = scaled_logits(in_use.instance.query, in_use.instance.keys);
    const Vector alpha = *softmax(logits), kept = *softmax(logits(in_use.selected));
    const double claimed = factor(alpha(in_use.selected).sum());
    BothSides used;
    for (Index i = 0; i < kept.size(); ++i)
      used.add(alpha(in_use.selected[i]), claimed * kept(i), 4096 * kUnit * claimed * kept(i));
    return {same_on_sparse_problems(context, 2000, ActiveChoice::any, "weight of eq. (2) over claim", weights),
            same_on_sparse_problems(context, 2000, ActiveChoice::any, "output of eq. (2) over claim, a coordinate",
                                    outputs),
            used.evidence({kProblemInUse, "weight of eq. (2) over claim"})};
  };
}

Statement weights_of_eq_1() {
  const Change doubled = [](const Vector& scores) { return Vector(2 * scores); };
  return {.id = "S002-Q1",
          .title = "Attention weights are a positive probability vector that no shift of the scores changes",
          .source = "paper, eq. (1)",
          .quote = "represents its attention weight",
          .measure = attention_weights(of_softmax, shifted),
          .mutants = {{"without subtracting the largest score", attention_weights(without_maximum, shifted)},
                      {"a normaliser 1% too large", attention_weights(over_too_much, shifted)},
                      {"unchanged when the scores double", attention_weights(of_softmax, doubled)}}};
}

}  // namespace

std::vector<Statement> statements() {
  return {
      weights_of_eq_1(),
      {.id = "S002-Q1-scaled",
       .title = "Equation (1) is scaled dot-product attention",
       .source = "paper, section 1 and eq. (1)",
       .quote = "under scaled dot-product attention (SDPA) is given by",
       .measure = scaled_attention(nothing),
       .controls = {{"scores over sqrt(d)", scaled_attention(root)}},
       .expected = Verdict::refuted,
       .severity = Severity::misprint,
       .remark =
           "The divisor sqrt(d), which the name implies, is missing. For 4096 Gaussian keys in d = 128 the median "
           "of the largest weight over 400 draws is .86 without it (90% of draws: .38 to .9998) and .0053 with it "
           "(.0033 to .011)."},
      {.id = "S002-Q1-scaled-corrected",
       .title = "Equation (1) with scores over sqrt(d) is scaled dot-product attention",
       .source = "paper, eq. (1), corrected",
       .measure = scaled_attention(root),
       .mutants = {{"over d", scaled_attention([](double d) { return d; })},
                   {"over d^(1/4)", scaled_attention([](double d) { return std::pow(d, 0.25); })},
                   {"over sqrt(d - 2)", scaled_attention([](double d) { return std::sqrt(d - 2); })}}},
      {.id = "S002-Q2",
       .title = "Sparse attention (2) is the softmax over the selected keys",
       .source = "paper, section 3.2, eq. (2)",
       .quote = "The sparse attention computation based on this index set is given by",
       .measure = full_weights([](double) { return 1.0; }),
       .controls = {{"times the mass of the selection", full_weights([](double mass) { return mass; })}},
       .expected = Verdict::refuted,
       .severity = Severity::imprecise,
       .remark =
           "Equation (2) modifies (1) and takes alpha from there, the softmax over all keys. What is computed is "
           "another: Algorithm 3 uses the same letter for the softmax over the selection, section 5 speaks of \"the "
           "standard softmax normalization over the selected subset\", and with that alpha (2) is right. The two "
           "outputs differ by a factor, the mass that the selection holds: .26 in the median of 400 draws of the "
           "problem in use, .24 to .29 in nine of ten."},
      {.id = "S002-Q2-corrected",
       .title = "Equation (2) is the selected mass times the softmax over the selected keys",
       .source = "paper, eq. (2), corrected",
       .measure = full_weights([](double mass) { return mass; }),
       .mutants = {{"the mass left out", full_weights([](double mass) { return 1 - mass; })},
                   {"the square root of the mass", full_weights([](double mass) { return std::sqrt(mass); })},
                   {"1% more than the mass", full_weights([](double mass) { return 1.01 * mass; })}}}};
}

}  // namespace skt::dense_and_sparse_attention_group
