#include "estimators/attention.hpp"
#include "proofs_check/laws/problem_in_use.hpp"
#include "proofs_check/statements/measuring.hpp"
#include "sim/stop.hpp"

namespace skt::selection_algorithms_group {

extern const StatementGroup kGroup = {
    .question = "What do the lines of Algorithms 3 and 4 rank, select and return?",
    .notes = R"(S002-A3            line 6, exp(w^), against the exact attention over S_k of sections 4.1 and 4.2
S002-A3-corrected  the weights of line 6 have the ratio exp(max w^ - min w^))",
    .method =
        "Rescaled and reversed random problems, twelve keys with masks and zero values, the problem in use "
        "(problem_in_use.hpp).",
    .power =
        "One selection that differs; rounding; a hundredth of a score or of a ratio of weights is planted and seen.",
    .scope = "finite scores"};

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// S002-A3: e^x/sum e^x of `exponents` of the selected keys, claimed to be the exact attention over them.
using Exponents = Vector (*)(const ProblemInUse&);

Vector collision_counts(const ProblemInUse& in_use) {
  return in_use.scores;
}
Vector scaled_products(const ProblemInUse& in_use) {
  return in_use.instance.keys * in_use.instance.query / std::sqrt(real(in_use.instance.dim()));
}

auto line_six(Exponents exponents) {
  return [exponents](const Context& context) -> std::vector<Evidence> {
    const ProblemInUse in_use = problem_in_use(context);
    const Vector logits = scaled_logits(in_use.instance.query, in_use.instance.keys);
    const Vector attention = *sparse_attention(logits, in_use.instance.values, in_use.selected);
    const Vector powers = exponents(in_use)(in_use.selected).array().exp();
    const Vector alpha = powers / powers.sum();
    const Vector line = in_use.instance.values(in_use.selected, Eigen::all).transpose() * alpha;
    const double keys = real(in_use.selected.size()), largest = keys * softmax(logits(in_use.selected))->maxCoeff();
    // 410 terms; an exponent is a sum of 128 products, at most 50 before the division by sqrt(d).
    const double rounding = (410 + 128 * 50) * kUnit;
    return {exact({kProblemInUse, "|line 6 - exact attention over S_k|/max|v|"},
                  (line - attention).norm() / in_use.norms.maxCoeff(), equals(0, rounding)),
            exact({kProblemInUse, "k times the largest weight of line 6 (claim: of exact attention)"},
                  keys * alpha.maxCoeff(), equals(largest, rounding * largest))};
  };
}

using Rank = Vector (*)(const Vector& scores, const Instance& instance);

// Line 5 with another ranking, line 6 with e^(power w^).
auto line_five(Rank rank, double power) {
  return [rank, power](const Context& context) -> std::vector<Evidence> {
    constexpr Index kKeys = 200, kDim = 16;
    const Hyperplanes planes = context.estimators.draw(context.seed, 0, 10, 4, kDim);
    const auto select = [&](const Instance& instance, Index budget) {
      const Vector scores =
          context.estimators.soft(planes, context.estimators.hash(planes, instance.keys), instance.query, {});
      std::vector<Index> chosen = select_keys(rank(scores, instance), {}, {.budget = budget});
      std::sort(chosen.begin(), chosen.end());
      return chosen;
    };
    double norms = 0, unit = 0, order = 0, all = 0;
    const auto trials = static_cast<std::uint32_t>(context.trials(40));
    for (std::uint32_t trial = 0; trial < trials; ++trial) {
      look_for_stop();
      const Instance drawn = make_instance({.keys = kKeys, .dim = kDim}, context.seed, trial);
      Instance rescaled = drawn, louder = drawn, reversed = drawn;
      for (Index j = 0; j < kKeys; ++j) rescaled.keys.row(j) *= std::exp2(j % 5);
      louder.values *= 1024;
      reversed.keys = drawn.keys.colwise().reverse();
      reversed.values = drawn.values.colwise().reverse();
      const std::vector<Index> chosen = select(drawn, 20);
      norms += select(rescaled, 20) != chosen;
      unit += select(louder, 20) != chosen;
      std::vector<Index> back = select(reversed, 20);
      for (Index& j : back) j = kKeys - 1 - j;
      std::sort(back.begin(), back.end());
      order += back != chosen;
      all += select(drawn, kKeys).size() != kKeys;
    }
    const ProblemInUse real = problem_in_use(context);
    const Vector kept = real.scores(real.selected), alpha = *softmax(power * kept);
    const char* const small = "200 Gaussian keys, d=16 P=4 L=10, 20 selected";
    return {exact({small, "selections that change with the norms of the keys"}, norms, equals(0)),
            exact({small, "selections that change with the unit of the values"}, unit, equals(0)),
            exact({small, "selections that change with the order of the keys"}, order, equals(0)),
            exact({small, "selections of k = N that leave a key out"}, all, equals(0)),
            exact({kProblemInUse, "largest over smallest weight of line 6"}, alpha.maxCoeff() / alpha.minCoeff(),
                  equals(std::exp(kept.maxCoeff() - kept.minCoeff()), 8 * kUnit))};
  };
}

Vector value_aware(const Vector& scores, const Instance& instance) {
  return scores.cwiseProduct(row_norms(instance.values));
}

// S002-A4: twelve keys, of which the even ones are masked and the last three have values 0.
using MaskedScores = Vector (*)(const Vector& scores, const Vector& norms, const std::vector<Allowed>& mask);

auto collision_scores(MaskedScores algorithm) {
  return [algorithm](const Context& context) -> std::vector<Evidence> {
    constexpr Index kKeys = 12;
    Instance instance = make_instance({.keys = kKeys, .dim = 8}, context.seed, 0);
    instance.values.bottomRows(3).setZero();
    std::vector<Allowed> mask(kKeys);
    for (Index j = 0; j < kKeys; ++j) mask[j] = j % 2 == 0 ? Allowed::no : Allowed::yes;
    const Hyperplanes planes = context.estimators.draw(context.seed, 0, 6, 3, 8);
    const Vector scores =
        context.estimators.soft(planes, context.estimators.hash(planes, instance.keys), instance.query, {});
    const Vector norms = row_norms(instance.values), masked = algorithm(scores, norms, mask);
    BothSides valid;
    double nan = 0, from_nothing = 0;
    for (Index j = 0; j < kKeys; ++j) {
      nan += std::isnan(masked(j));
      if (mask[j] == Allowed::no) continue;
      const double claimed = scores(j) * norms(j);
      if (claimed > 0) valid.add(masked(j), claimed, kUnit * claimed);
      from_nothing += claimed == 0 && masked(j) != 0;
    }
    std::vector<Index> order(kKeys);
    std::iota(order.begin(), order.end(), Index{0});
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return masked(a) > masked(b); });
    const double forbidden =
        real(std::count_if(order.begin(), order.begin() + kKeys / 2, [](Index j) { return j % 2 == 0; }));
    const char* const what = "12 keys, 6 of them masked, 3 of value 0";
    return {valid.evidence({what, "score of a valid key over |v| w^"}),
            exact({what, "valid keys of value 0 with another score than 0"}, from_nothing, equals(0)),
            exact({what, "scores that are NaN"}, nan, equals(0)),
            exact({what, "masked keys among the best 6"}, forbidden, equals(0))};
  };
}

// Line 5 of Algorithm 3 given Algorithm 4's w^, which has the value norm in it: `read` is what it ranks.
using Read = Vector (*)(const Vector& algorithm4, const Vector& norms);

auto composed(Read read) {
  return [read](const Context&) -> std::vector<Evidence> {
    const Vector soft = (Vector(2) << 3, 1).finished(), norms = (Vector(2) << 1, 2).finished();
    const Index of_algorithm_3 = select_keys(soft.cwiseProduct(norms), {}, {.budget = 1}).front();
    const Vector algorithm4 = masked_scores(norms.cwiseProduct(soft), {});
    const Index found = select_keys(read(algorithm4, norms), {}, {.budget = 1}).front();
    return {exact({"w^ = (3, 1), |v| = (1, 2), k = 1", "key selected from Algorithm 4's w^ (claim: from w^)"},
                  real(found), equals(real(of_algorithm_3)))};
  };
}

Vector by_product(const Vector&, const Instance& instance) {
  return (instance.keys * instance.query).cwiseProduct(row_norms(instance.values));
}
Vector by_sum(const Vector& scores, const Instance& instance) {
  return scores + row_norms(instance.values);
}

Vector masked_last(const Vector& scores, const Vector& norms, const std::vector<Allowed>& mask) {
  return masked_scores(scores.cwiseProduct(norms), mask);
}
Vector masked_first(const Vector& scores, const Vector& norms, const std::vector<Allowed>& mask) {
  return masked_scores(scores, mask).cwiseProduct(norms);
}
Vector norms_sharpened(const Vector& scores, const Vector& norms, const std::vector<Allowed>& mask) {
  return masked_last(scores, norms.array().pow(1.01), mask);
}
Vector masked_by_zero(const Vector& scores, const Vector& norms, const std::vector<Allowed>& mask) {
  const Vector masked = masked_last(scores, norms, mask);
  return (masked.array() == -kInfinity).select(0, masked);
}

}  // namespace

std::vector<Statement> statements() {
  return {{.id = "S002-A3",
           .title = "Line 6 of Algorithm 3 is exact attention over the selected keys",
           .source = "paper, section 4.2, of Algorithm 3, line 6",
           .quote = "compute exact attention using only this subset. Algorithm 3 clearly explains this procedure",
           .measure = line_six(collision_counts),
           .controls = {{"exp(q.k/sqrt(d)) in line 6", line_six(scaled_products)}},
           .expected = Verdict::refuted,
           .severity = Severity::misprint,
           .remark =
               "Line 6 exponentiates the collision scores, which are nearly equal at the settings in use. Over 400 "
               "draws the median of its largest weight is 1.06/k, against 8.0/k for exact attention (90% of draws: 5.3 "
               "to 15.9). The outputs differ by .038 of the longest value (.030 to .051)."},
          {.id = "S002-A3-corrected",
           .title = "Line 5 depends on neither the key norms nor the unit of the values; line 6 is e^w^",
           .source = "paper, Algorithm 3, as printed",
           .measure = line_five(value_aware, 1),
           .mutants = {{"rank by q.k|v|", line_five(by_product, 1)},
                       {"rank by w^ + |v|", line_five(by_sum, 1)},
                       {"e^(1.1 w^) in line 6", line_five(value_aware, 1.1)}}},
          {.id = "S002-A4",
           .title = "A valid key scores |v| w^; a masked key is never among the best valid ones",
           .source = "paper, Algorithm 4",
           .quote = "SoftHashCollisionScores (query-side)",
           .measure = collision_scores(masked_last),
           .mutants = {{"norms multiplied after masking", collision_scores(masked_first)},
                       {"|v|^1.01", collision_scores(norms_sharpened)},
                       {"0 for a masked score", collision_scores(masked_by_zero)}}},
          {.id = "S002-A4-composed",
           .title = "The w^ of Algorithm 4 is the w^ that line 5 of Algorithm 3 ranks",
           .source = "paper, Algorithms 3 and 4, which name both w^",
           .wording = Wording::reading,
           .measure = composed(
               [](const Vector& algorithm4, const Vector& norms) { return Vector(algorithm4.cwiseProduct(norms)); }),
           .controls = {{"line 5 ranks Algorithm 4's w^ as it is",
                         composed([](const Vector& algorithm4, const Vector&) { return algorithm4; })}},
           .expected = Verdict::refuted,
           .remark =
               "The paper does not say that one is fed to the other; both are called w^, and that of Algorithm 4 has "
               "the value norm in it. Composed as printed, they count the norm twice and rank (w^, |v|) = (1, 2) above "
               "(3, 1). S002-A4 is the score as defined."}};
}

}  // namespace skt::selection_algorithms_group
