#include "estimators/peers/linearised_softmax.hpp"

#include "estimators/attention.hpp"
#include "proofs_check/laws/sparse_attention_problems.hpp"
#include "proofs_check/statements/measuring.hpp"

namespace skt::linearised_softmax_group {

extern const StatementGroup kGroup = {
    .question = "How far is the linearised softmax from softmax (document 004, review)?",
    .notes = R"(
The expansion e^x ~ 1 + x is taken around the largest score m: weights (1 + s - m)/(N (1 + mean(s - m))), Delta the
dynamic range of the scores.)",
    .method =
        "Suprema of the ratio of the two sides over random finite scores and two families; exact values for two "
        "scores.",
    .power = "Exact; a factor 2% off is planted on a named instance and seen. Nothing is random in a verdict."};

namespace {

constexpr std::uint64_t kScores = 4000;  // at the standard profile

double l1_to_softmax(const Vector& scores) {
  return (*softmax(scores) - linearised_softmax(scores).weights).lpNorm<1>();
}

// One score 0 and `others` scores -range.
Vector one_above(Index others, double range) {
  Vector scores = Vector::Constant(1 + others, -range);
  scores(0) = 0;
  return scores;
}

// S004-12: R_1(x) <= constant x^2 for x of the given sign.
std::vector<Evidence> remainder(const Context& context, double constant, double sign) {
  double ratio = 0, least = 0;
  for (int power = -60; power <= 18; ++power) {  // |x| = 2^-20 .. 2^6, three to an octave
    const double x = sign * std::exp2(power / 3.0);
    ratio = larger(ratio, exponential_remainder(x) / (constant * x * x));
    least = smaller(least, exponential_remainder(x));
  }
  double centred = 0;
  for (std::uint64_t trial = 0; trial < context.trials(kScores); ++trial) {
    const Vector scores = scores_within(context, trial, 16);
    const double range = dynamic_range(scores);
    if (range == 0) continue;
    centred = larger(centred, exponential_remainder(-range) / (constant * range * range));
  }
  return {supremum({"|x| = 2^-20 .. 2^6", "R_1(x)/(x^2/2)"}, ratio, 16 * kUnit, 79, 79),
          exact({"|x| = 2^-20 .. 2^6", "least R_1(x)"}, least, at_least(0)),
          supremum({"random scores", "largest R_1(s - m)/(Delta^2/2)"}, centred, 16 * kUnit, context.trials(kScores),
                   context.trials(kScores))};
}

// S004-13, with the claim that weights are a probability vector up to a dynamic range of `most`.
std::vector<Evidence> weights(const Context& context, double most) {
  BothSides sums, formula;
  double least_weight = 0, largest_weight = 0, least_denominator = 1;
  std::vector<Vector> cases{(Vector(2) << 0, -std::min(most, 1.5)).finished(), one_above(1, std::min(most, 3.0))};
  for (std::uint64_t trial = 0; trial < context.trials(kScores); ++trial) {
    cases.push_back(scores_within(context, trial, most));
  }
  for (const Vector& scores : cases) {
    const LinearisedSoftmax linear = linearised_softmax(scores);
    least_denominator = smaller(least_denominator, linear.denominator);
    if (linear.state == LinearisedState::non_positive_denominator) continue;
    // Up to 33 weights and their denominator, each right to a few units of the largest.
    const double rounding = 8 * 33 * kUnit * linear.weights.lpNorm<Eigen::Infinity>();
    sums.add(linear.weights.sum(), 1, rounding);
    least_weight = smaller(least_weight, linear.weights.minCoeff());
    largest_weight = larger(largest_weight, linear.weights.maxCoeff());
    const double smallest =
        (1 - dynamic_range(scores)) / (real(scores.size()) * (1 + scores.mean() - scores.maxCoeff()));
    formula.add(linear.weights.minCoeff(), smallest, rounding / std::min(1.0, linear.denominator));
  }
  const double rounding = 8 * 33 * kUnit;
  const LinearisedSoftmax zero = linearised_softmax(one_above(1, 2));
  const char* const within = "random scores, (0,-1.5), (0,-3) within the range";
  return {sums.evidence({"random scores", "sum of the weights, furthest from 1"}),
          formula.evidence({"random scores", "smallest weight over (1 - Delta)/(N (1 + mean(s - m)))"}),
          exact({within, "least weight"}, least_weight, at_least(0, rounding)),
          exact({within, "largest weight"}, largest_weight, at_most(1, rounding)),
          exact({within, "least denominator"}, least_denominator, at_least(1, rounding)),
          exact({"scores (0, -2)", "denominator"}, zero.denominator, equals(0))};
}

// Relative rounding of a distance near `bound` between two weight vectors of `keys` entries that each sum to 1.
double distance_rounding(double keys, double bound) {
  return 4 * keys * kUnit / bound;
}

// S004-14: ||softmax - linearised||_1 <= bound(Delta) for Delta <= 1.
std::vector<Evidence> distance_bound(const Context& context, const std::function<double(double)>& bound) {
  double ratio = 0, least_rise = 1;
  for (std::uint64_t trial = 0; trial < context.trials(kScores); ++trial) {
    const Vector scores = scores_within(context, trial, 1);
    const double range = dynamic_range(scores);
    if (range < 0.01) continue;  // below, the distance is of the size of its rounding
    ratio = larger(ratio, l1_to_softmax(scores) / bound(range));
  }
  double previous = 0;
  for (const double range : {0.1, 0.25, 0.5, 0.75, 1.0}) {
    const double distance = l1_to_softmax(one_above(1, range));
    least_rise = smaller(least_rise, distance - previous);
    previous = distance;
  }
  // ||.||_1 = 2/(1 + e/(N-1)) at Delta = 1 for one score above N - 1 others.
  return {supremum({"random scores, 0.01 <= Delta <= 1", "||softmax - linear||_1/bound"}, ratio,
                   distance_rounding(33, bound(0.01)), context.trials(kScores), context.trials(kScores)),
          supremum({"one score 1 above 1000 others", "||softmax - linear||_1/bound"},
                   l1_to_softmax(one_above(1000, 1)) / bound(1), distance_rounding(1001, bound(1)), 1, 1),
          supremum({"two scores 0.1 apart", "||softmax - linear||_1/bound"},
                   l1_to_softmax(one_above(1, 0.1)) / bound(0.1), distance_rounding(2, bound(0.1)), 1, 1),
          exact({"two scores .1, .25, .5, .75, 1 apart", "least rise of the distance"}, least_rise, at_least(0))};
}

// S004-15: centred scores fill [-Delta, 0], whatever constant is added to all of them.
std::vector<Evidence> range(const Context& context, const std::function<double(const Vector&)>& delta) {
  const auto change = [=](const SparseProblem& problem, BothSides& sides) {
    sides.add(delta(problem.scores.array() + 64), delta(problem.scores), sparse_output_rounding());
  };
  const auto reach = [=](const SparseProblem& problem, BothSides& sides) {
    sides.add(-(problem.scores.array() - problem.scores.maxCoeff()).minCoeff(), delta(problem.scores),
              sparse_output_rounding());
  };
  return {same_on_sparse_problems(context, kScores, ActiveChoice::any, "Delta(s + 64) over Delta(s)", change),
          same_on_sparse_problems(context, kScores, ActiveChoice::any, "max(m - s) over Delta", reach)};
}

auto times_bound(double factor) {
  return [factor](const Context& c) {
    return distance_bound(c, [factor](double r) { return factor * linearisation_bound(r); });
  };
}

}  // namespace

std::vector<Statement> statements() {
  return {
      {.id = "S004-12",
       .title = "0 <= e^x - 1 - x <= x^2/2 for x <= 0",
       .source = "document 004, review",
       .quote = "The approximation error is governed by the Lagrange remainder term",
       .kind = Kind::inequality,
       .scope = "x <= 0, as for scores centred at their maximum",
       .measure = [](const Context& c) { return remainder(c, 0.5, -1); },
       .mutants = {{"for x > 0 too", [](const Context& c) { return remainder(c, 0.5, 1); }},
                   {"0.49 x^2", [](const Context& c) { return remainder(c, 0.49, -1); }},
                   {"x^2/4", [](const Context& c) { return remainder(c, 0.25, -1); }}}},
      {.id = "S004-13",
       .title = "Linearised weights sum to 1 and are a probability vector while Delta <= 1",
       .source = "document 004, review (the condition is not printed)",
       .scope = "Delta <= 1",
       .measure = [](const Context& c) { return weights(c, 1); },
       .mutants = {{"for every Delta", [](const Context& c) { return weights(c, 16); }},
                   {"for Delta <= 1.02", [](const Context& c) { return weights(c, 1.02); }},
                   {"for Delta <= 1.5", [](const Context& c) { return weights(c, 1.5); }}},
       .remark = "Scores (0, -1.5) give the weights (2, -1); scores (0, -2) give a denominator of 0."},
      {.id = "S004-14",
       .title = "||softmax - linearised||_1 <= Delta^2 e^Delta",
       .source = "document 004, review (\"fidelity depends inversely on the dynamic range\", made exact)",
       .kind = Kind::inequality,
       .scope = "Delta <= 1",
       .measure = times_bound(1),
       .mutants = {{"Delta^3", [](const Context& c) { return distance_bound(c, [](double r) { return r * r * r; }); }},
                   {"0.72 of the bound", times_bound(0.72)},
                   {"half the bound", times_bound(0.5)}},
       .remark =
           "One score 1 above N - 1 others gives 2/(1 + e/(N-1)): the supremum of the ratio tends to 2/e = .736."},
      {.id = "S004-15",
       .title = "The dynamic range max s - min s is shift invariant and is the reach of the centred scores",
       .source = "document 004, review",
       .quote = "**dynamic range** of the scores for a given query",
       .scope = "finite scores",
       .measure = [](const Context& c) { return range(c, dynamic_range); },
       .mutants = {{"max |s|",
                    [](const Context& c) { return range(c, [](const Vector& s) { return s.cwiseAbs().maxCoeff(); }); }},
                   {"1% more",
                    [](const Context& c) { return range(c, [](const Vector& s) { return 1.01 * dynamic_range(s); }); }},
                   {"max s - mean s", [](const Context& c) {
                      return range(c, [](const Vector& s) { return s.maxCoeff() - s.mean(); });
                    }}}}};
}

}  // namespace skt::linearised_softmax_group
