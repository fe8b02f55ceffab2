#include "estimators/attention.hpp"
#include "estimators/peers/linearised_softmax.hpp"
#include "proofs_check/laws/sparse_attention_problems.hpp"
#include "proofs_check/statements/measuring.hpp"

namespace skt::low_pass_group {

extern const StatementGroup kGroup = {
    .question = "Is the linearised softmax smoother than softmax (document 004, review)?",
    .notes = "S004-16 is false of the expansion that the document gives, around the largest score.",
    .method =
        "Where weights are smoothed, that of the largest score lies between the mean weight and that of softmax. The "
        "ratio of the top weights over random finite scores and on named ones.",
    .power = "Exact; a factor 1% off is planted and seen. Nothing is random in a verdict.",
    .kind = Kind::ordering};

namespace {

constexpr std::uint64_t kScores = 4000;  // at the standard profile

// One score 0 and `others` scores -range.
Vector one_above(Index others, double range) {
  Vector scores = Vector::Constant(1 + others, -range);
  scores(0) = 0;
  return scores;
}

// S004-16: the weight of the largest score, expanded around `centre`.
double top_weight(const Vector& scores, double centre) {
  const Vector linear = scores.array() - centre + 1;
  return linear.maxCoeff() / linear.sum();
}

// `others` scores one `gap` below the first, expanded around their largest or their mean.
enum class Centre { largest, mean };

auto low_pass(Index others, double gap, Centre centre) {
  return [=](const Context&) -> std::vector<Evidence> {
    const Vector scores = one_above(others, gap);
    const double top = top_weight(scores, centre == Centre::largest ? scores.maxCoeff() : scores.mean());
    const std::string where = fmt::format("one score {} above {}", gap, others);
    return {exact({where, "linearised weight of the largest score (claim: the mean weight)"}, top,
                  at_least(1 / real(1 + others), 8 * kUnit)),
            exact({where, "linearised weight of the largest score (claim: its softmax weight)"}, top,
                  at_most((*softmax(scores))(0), 8 * kUnit))};
  };
}

std::vector<Evidence> sharper(const Context& context, const std::function<double(const Vector&)>& linear_top,
                              double factor) {
  double ratio = 0;
  std::uint64_t in_scope = 0;
  for (std::uint64_t trial = 0; trial < context.trials(kScores); ++trial) {
    const Vector scores = scores_within(context, trial, 16);
    if (linearised_softmax(scores).state == LinearisedState::non_positive_denominator) continue;
    ++in_scope;
    ratio = larger(ratio, factor * softmax(scores)->maxCoeff() / linear_top(scores));
  }
  const Vector two = one_above(1, 0.5);
  return {supremum({"random scores", "top softmax weight/top linearised weight"}, ratio, 64 * 33 * kUnit,
                   context.trials(kScores), in_scope),
          supremum({"scores (0, -0.5)", "top softmax weight/top linearised weight"},
                   factor * (*softmax(two))(0) / linear_top(two), 8 * kUnit, 1, 1)};
}

double around_maximum(const Vector& scores) {
  return top_weight(scores, scores.maxCoeff());
}
double around_mean(const Vector& scores) {
  return top_weight(scores, scores.mean());
}

}  // namespace

std::vector<Statement> statements() {
  return {
      {.id = "S004-16",
       .title = "Linear attention is a low-pass filter: it smooths what softmax sharpens",
       .source = "document 004, review",
       .quote = "Linear Attention effectively acts as a low-pass filter",
       .scope = "expansion around the largest score, as printed; a large range of the scores",
       .measure = low_pass(1, 3, Centre::largest),
       .controls = {{"one score 3 above nine, expanded around the mean", low_pass(9, 3, Centre::mean)}},
       .expected = Verdict::refuted,
       .severity = Severity::imprecise,
       .remark =
           "The document says it of a large range, around the largest score. With scores (0, -3) the weights are "
           "then (-1, 2): the order is inverted. At a small range, (0, -0.5), they are (.667, .333) and sharper than "
           "softmax's (.622, .378), as wherever their sum is positive. An expansion around the mean does smooth a "
           "score that stands far above many others."},
      {.id = "S004-16-corrected",
       .title = "Around the maximum, the linearised softmax gives the top key at least its softmax weight",
       .source = "document 004, review, corrected: 1 + x <= e^x",
       .scope = "positive denominator",
       .measure = [](const Context& c) { return sharper(c, around_maximum, 1); },
       .mutants = {{"expansion around the mean", [](const Context& c) { return sharper(c, around_mean, 1); }},
                   {"by at least a hundredth", [](const Context& c) { return sharper(c, around_maximum, 1.01); }}}}};
}

}  // namespace skt::low_pass_group
