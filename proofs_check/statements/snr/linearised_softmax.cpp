// How far is the linearised softmax from softmax (document 004, review)?
//
// The expansion e^x ~ 1 + x is taken around the largest score m: weights (1 + s - m)/(N (1 + mean(s - m))), Delta the
// dynamic range of the scores. S004-16 is false for the expansion that the document gives, around the largest score.
//
// Method: suprema of left over right side over random finite scores and two families, exact two-score values.
// Power: exact; mutants differ by a factor on a named instance. No randomness enters a verdict.
#include "estimators/peers/linearised_softmax.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "estimators/attention.hpp"
#include "proofs_check/evidence.hpp"
#include "proofs_check/laws/sparse_attention_problems.hpp"
#include "proofs_check/statement.hpp"
#include "sim/number.hpp"

namespace skt {
namespace {

constexpr std::uint64_t kScores = 4000;  // at the standard profile
constexpr double kEps = std::numeric_limits<double>::epsilon();

// Random scores of sparse_attention_problems.hpp, mapped linearly to a dynamic range of at most `most`.
Vector random_scores(const Context& context, std::uint64_t trial, double most) {
  Vector scores = random_sparse_problem(context.seed, trial, ActiveChoice::any).scores;
  const double range = dynamic_range(scores);
  if (range > most) scores *= most / range;
  return scores;
}

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
    const Vector scores = random_scores(context, trial, 16);
    const double range = dynamic_range(scores);
    if (range == 0) continue;
    centred = larger(centred, exponential_remainder(-range) / (constant * range * range));
  }
  return {supremum({"|x| = 2^-20 .. 2^6", "R_1(x)/(x^2/2)"}, ratio, 16 * kEps, 79, 79),
          exact({"|x| = 2^-20 .. 2^6", "least R_1(x)"}, least, at_least(0)),
          supremum({"random scores", "largest R_1(s - m)/(Delta^2/2)"}, centred, 16 * kEps, context.trials(kScores),
                   context.trials(kScores))};
}

// S004-13, with the claim that weights are a probability vector up to a dynamic range of `most`.
std::vector<Evidence> weights(const Context& context, double most) {
  double sum_error = 0, formula_error = 0, least_weight = 0, least_denominator = 1;
  std::vector<Vector> cases{(Vector(2) << 0, -std::min(most, 1.5)).finished(), one_above(1, std::min(most, 3.0))};
  for (std::uint64_t trial = 0; trial < context.trials(kScores); ++trial) {
    cases.push_back(random_scores(context, trial, most));
  }
  for (const Vector& scores : cases) {
    const LinearisedSoftmax linear = linearised_softmax(scores);
    least_denominator = smaller(least_denominator, linear.denominator);
    if (linear.state == LinearisedState::non_positive_denominator) continue;
    sum_error = larger(sum_error, std::abs(linear.weights.sum() - 1));
    least_weight = smaller(least_weight, linear.weights.minCoeff());
    const double smallest =
        (1 - dynamic_range(scores)) / (real(scores.size()) * (1 + scores.mean() - scores.maxCoeff()));
    formula_error = larger(formula_error, std::abs(linear.weights.minCoeff() - smallest));
  }
  // Up to 33 weights of size at most 1 and a denominator of at least 1 (the top weight), each right to a few units.
  const double rounding = 8 * 33 * kEps;
  const LinearisedSoftmax zero = linearised_softmax(one_above(1, 2));
  return {
      exact({"random scores", "largest |sum of weights - 1|"}, sum_error, equals(0, rounding)),
      exact({"random scores", "largest |weight - (1 + s - m)/(N (1 + mean(s - m)))|"}, formula_error,
            equals(0, rounding)),
      exact({"random scores, (0,-1.5), (0,-3) within the range", "least weight"}, least_weight, at_least(0, rounding)),
      exact({"random scores, (0,-1.5), (0,-3) within the range", "least denominator"}, least_denominator,
            at_least(1, rounding)),
      exact({"scores (0, -2)", "denominator"}, zero.denominator, equals(0))};
}

// Relative rounding of a distance near `bound` between two weight vectors of `keys` entries that each sum to 1.
double distance_rounding(double keys, double bound) {
  return 4 * keys * kEps / bound;
}

// S004-14: ||softmax - linearised||_1 <= bound(Delta) for Delta <= 1.
std::vector<Evidence> distance_bound(const Context& context, const std::function<double(double)>& bound) {
  double ratio = 0, least_rise = 1;
  for (std::uint64_t trial = 0; trial < context.trials(kScores); ++trial) {
    const Vector scores = random_scores(context, trial, 1);
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

// S004-16: the weight of the largest score, expanded around `centre`.
double top_weight(const Vector& scores, double centre) {
  const Vector linear = scores.array() - centre + 1;
  return linear.maxCoeff() / linear.sum();
}

std::vector<Evidence> low_pass(const Context&) {
  const Vector scores = one_above(1, 0.5);
  return {exact({"scores (0, -0.5)", "top linearised weight"}, linearised_softmax(scores).weights(0),
                at_most((*softmax(scores))(0), 8 * kEps))};
}

std::vector<Evidence> sharper(const Context& context, const std::function<double(const Vector&)>& linear_top,
                              double factor) {
  double ratio = 0;
  std::uint64_t in_scope = 0;
  for (std::uint64_t trial = 0; trial < context.trials(kScores); ++trial) {
    const Vector scores = random_scores(context, trial, 16);
    if (linearised_softmax(scores).state == LinearisedState::non_positive_denominator) continue;
    ++in_scope;
    ratio = larger(ratio, factor * softmax(scores)->maxCoeff() / linear_top(scores));
  }
  const Vector two = one_above(1, 0.5);
  return {supremum({"random scores", "top softmax weight/top linearised weight"}, ratio, 64 * 33 * kEps,
                   context.trials(kScores), in_scope),
          supremum({"scores (0, -0.5)", "top softmax weight/top linearised weight"},
                   factor * (*softmax(two))(0) / linear_top(two), 8 * kEps, 1, 1)};
}

double around_maximum(const Vector& scores) {
  return top_weight(scores, scores.maxCoeff());
}
double around_mean(const Vector& scores) {
  return top_weight(scores, scores.mean());
}

Statement remainder_statement() {
  return {.id = "S004-12",
          .title = "0 <= e^x - 1 - x <= x^2/2 for x <= 0",
          .source = "document 004, review (Lagrange remainder)",
          .kind = Kind::inequality,
          .scope = "x <= 0, as for scores centred at their maximum",
          .measure = [](const Context& c) { return remainder(c, 0.5, -1); },
          .mutants = {{"for x > 0 too", [](const Context& c) { return remainder(c, 0.5, 1); }},
                      {"x^2/4", [](const Context& c) { return remainder(c, 0.25, -1); }}}};
}

Statement weights_statement() {
  return {.id = "S004-13",
          .title = "Linearised weights sum to 1 and are a probability vector while Delta <= 1",
          .source = "document 004, review (the condition is not printed)",
          .kind = Kind::identity,
          .scope = "Delta <= 1",
          .measure = [](const Context& c) { return weights(c, 1); },
          .mutants = {{"for every Delta", [](const Context& c) { return weights(c, 16); }},
                      {"for Delta <= 1.5", [](const Context& c) { return weights(c, 1.5); }}},
          .remark = "Scores (0, -1.5) give the weights (2, -1); scores (0, -2) a denominator of 0."};
}

Statement distance_statement() {
  return {
      .id = "S004-14",
      .title = "||softmax - linearised||_1 <= Delta^2 e^Delta",
      .source = "document 004, review (\"fidelity depends inversely on the dynamic range\", made exact)",
      .kind = Kind::inequality,
      .scope = "Delta <= 1",
      .measure = [](const Context& c) { return distance_bound(c, linearisation_bound); },
      .mutants = {{"Delta^3", [](const Context& c) { return distance_bound(c, [](double r) { return r * r * r; }); }},
                  {"half the bound",
                   [](const Context& c) {
                     return distance_bound(c, [](double r) { return linearisation_bound(r) / 2; });
                   }}},
      .remark = "One score 1 above N - 1 others gives 2/(1 + e/(N-1)): the supremum of the ratio tends to 2/e."};
}

Statement low_pass_printed() {
  return {.id = "S004-16",
          .title = "Linear attention is a low-pass filter: it smooths what softmax sharpens",
          .source = "document 004, summary and review",
          .kind = Kind::ordering,
          .scope = "expansion around the largest score, as printed",
          .measure = low_pass,
          .expected = Verdict::refuted,
          .remark = "Scores (0, -0.5): the linearised weights are (.667, .333), those of softmax (.622, .378)."};
}

Statement low_pass_corrected() {
  return {.id = "S004-16-corrected",
          .title = "Around the maximum, the linearised softmax gives the top key at least its softmax weight",
          .source = "document 004, review, corrected: 1 + x <= e^x",
          .kind = Kind::ordering,
          .scope = "positive denominator",
          .measure = [](const Context& c) { return sharper(c, around_maximum, 1); },
          .mutants = {{"expansion around the mean", [](const Context& c) { return sharper(c, around_mean, 1); }},
                      {"by at least a tenth", [](const Context& c) { return sharper(c, around_maximum, 1.1); }}}};
}

}  // namespace

std::vector<Statement> linearised_softmax_statements() {
  return {remainder_statement(), weights_statement(), distance_statement(), low_pass_printed(), low_pass_corrected()};
}

}  // namespace skt
