#include "estimators/residual/fixed_bet.hpp"
#include "estimators/residual/logit_ceilings.hpp"
#include "estimators/residual/poisson_sample.hpp"
#include "proofs_check/bounds/or_infinite.hpp"
#include "proofs_check/certificate/residual.hpp"
#include "proofs_check/statements/measuring.hpp"
#include "proofs_check/statements/residual/hidden_weight.hpp"

namespace skt::poisson_limits_group {

extern const StatementGroup kGroup = {
    .question =
        "Do keys of the rest that are drawn each by itself estimate its weight and limit it? (Theorem 16 of this "
        "project, part g)",
    .notes = R"(Key j of the rest is drawn with probability pi_j, alone; x_j = f_j/pi_j of the drawn keys is at most b.

  OWN-16g  E sum x_j = D_R, and its variance is sum_R f_j^2 (1 - pi_j)/pi_j
  OWN-16h  P(D_R > U) <= delta, U the least over lambda in {.8/b, .2/b} of (log(2/delta) - sum log(1 - lambda x_j))/lambda

The proofs are in docs/bounds/apart.md.)",
    .method =
        "Query, keys, projections and draws afresh in each trial, what weighs most often barred from the list. Exact for "
        "equal weights, of which a binomial number is drawn.",
    .power = "A mean off by 2%, a variance off by a tenth, a violation rate a third above its level, at standard size.",
    .source = "docs/bounds/apart.md, 16g",
    .chance = Chance::random};

namespace {

constexpr std::array kDeltas{0.05, 0.01};
constexpr Index kSamples = 48;

// What a miscount makes of the sample.
enum class Slip { none, not_divided, listed_drawn, all_squares, weight_lost };

auto has_its_moments(Slip slip) {
  return [slip](const Context& context) {
    std::vector<Evidence> evidence;
    constexpr std::array kSampled{Hidden::nothing, Hidden::cluster, Hidden::needle};
    for (const Hidden hidden : kSampled) {
      const HiddenProblem problem = hidden_problem(hidden, context.seed, 0);
      const double largest = listed_sums(problem.logits, problem.instance.values, problem.list).largest;
      Vector ceilings = problem.logits;
      for (Index j = 0; j < ceilings.size(); ++j) ceilings[j] += real(j % 16) / 16;
      const std::vector<Index> rest = rest_of(problem.logits, problem.list);
      std::vector<Index> drawn_from = rest;
      if (slip == Slip::listed_drawn) drawn_from.insert(drawn_from.begin(), problem.list.front());
      double weight = 0;
      for (const Index j : rest) weight += std::exp(problem.logits[j] - largest);
      double variance = rest_variance(problem.logits, rest, ceilings, largest, kSamples);
      if (slip == Slip::all_squares)
        for (const Index j : rest) variance += std::exp(2 * (problem.logits[j] - largest));
      const MomentsList sums =
          run_trials(context.trials(30000), MomentsList(2), [&](std::uint32_t trial, MomentsList& m) {
            const PoissonDraws draws =
                draw_rest_apart(problem.logits, drawn_from, ceilings, largest, kSamples, {context.seed, 0, trial});
            double estimate = 0;
            for (std::size_t i = 0; i < draws.keys.size(); ++i)
              estimate +=
                  draws.weights[static_cast<Index>(i)] * (slip == Slip::not_divided ? draws.probabilities[i] : 1);
            m.of[0].add(estimate / weight);
            m.of[1].add((estimate - weight) * (estimate - weight) / variance);
          });
      const std::string where = fmt::format("{}, n={}", name_of(hidden), kSamples);
      evidence.push_back(mean({where, "E D^/D_R"}, sums.of[0], equals(1), {context.share(2 * kSampled.size()), 0.4}));
      evidence.push_back(mean({where, "E(D^ - D_R)^2 over the formula"}, sums.of[1], equals(1),
                              {context.share(2 * kSampled.size()), 0.9}));
    }
    return evidence;
  };
}

// Does the rest weigh more than its limit?
bool is_above(const HiddenProblem& problem, const LogitCeilings& signs, Slip slip, double delta,
              const RestAddress& at) {
  const Vector ceilings = signs.of(problem.instance.query, kHiddenScale, kCeilingShare * delta);
  const double largest = listed_sums(problem.logits, problem.instance.values, problem.list).largest;
  const std::vector<Index> rest = rest_of(problem.logits, problem.list);
  std::vector<Index> drawn_from = rest;
  if (slip == Slip::weight_lost)
    drawn_from.erase(std::ranges::max_element(drawn_from, {}, [&](Index j) { return problem.logits[j]; }));
  const PoissonDraws draws = draw_rest_apart(problem.logits, drawn_from, ceilings, largest, kSamples, at);
  double weight = 0;
  for (const Index j : rest) weight += std::exp(problem.logits[j] - largest);
  const double limit = apart_weight_limit(draws, (1 - kCeilingShare) * delta);
  return !(weight <= limit * (1 + 1e-9));
}

auto above(std::vector<Hidden> kinds, Slip slip) {
  return [=](const Context& context) {
    std::vector<Evidence> evidence;
    for (const Hidden hidden : kinds) {
      const std::uint64_t trials = context.trials(2000);
      const Counts violations = run_trials(trials, Counts(kDeltas.size()), [&](std::uint32_t trial, Counts& c) {
        const HiddenProblem problem = hidden_problem(hidden, context.seed, trial);
        const LogitCeilings signs(problem.instance.keys, 64, ProjectionRows::orthogonal_blocks, context.seed, trial);
        for (std::size_t i = 0; i < kDeltas.size(); ++i)
          c.of[i] += is_above(problem, signs, slip, kDeltas[i], {context.seed, 0, trial});
      });
      for (std::size_t i = 0; i < kDeltas.size(); ++i)
        evidence.push_back(frequency({fmt::format("{}, 256 keys, list 32, n={}", name_of(hidden), kSamples),
                                      fmt::format("P(above its limit), delta={}", kDeltas[i])},
                                     violations.of[i], trials, at_most(kDeltas[i]),
                                     {context.share(kinds, kDeltas), std::max(3 * kDeltas[i], 0.06)}));
    }
    return evidence;
  };
}

// The largest probability over r that r keys of weight 1, each drawn with probability `pi`, weigh more than the least
// (level + count * loss)/bet over the bets, of b = 1/pi: the count drawn is binomial. A weight over b is 1, but pi where it
// is not divided by its probability.
double worst_of_equal_keys(std::span<const double> bets, double delta, double pi, Slip slip) {
  const double level = std::log(real(std::ssize(bets)) / delta), share = slip == Slip::not_divided ? pi : 1;
  const auto limit = [&](double count) {
    double least = kInfinity;
    for (const double bet : bets)
      least = std::min(least, (level - (count > 0 ? count * std::log1p(-std::min(bet * share, 1.0)) : 0)) / bet / pi);
    return least;
  };
  double worst = 0;
  for (Index r = 1; r <= 2000; ++r) {
    double missed = 0;
    for (Index count = 0; count <= r && limit(real(count)) < real(r); ++count)
      missed += std::exp(std::lgamma(real(r + 1)) - std::lgamma(real(count + 1)) - std::lgamma(real(r - count + 1)) +
                         real(count) * std::log(pi) + real(r - count) * std::log1p(-pi));
    worst = std::max(worst, missed);
  }
  return worst;
}

auto equal_keys(std::vector<double> bets, Slip slip) {
  return [=](const Context&) {
    std::vector<Evidence> evidence;
    for (const double delta : kDeltas)
      for (const double pi : {0.02, 0.2})
        evidence.push_back(
            exact({fmt::format("1 to 2000 equal keys, pi={}, delta={}", pi, delta), "the largest P(above its limit)"},
                  worst_of_equal_keys(bets, delta, pi, slip), at_most(delta)));
    return evidence;
  };
}

const std::vector<double> kBets{bet_share<double>(0), bet_share<double>(1)};

std::vector<Evidence> weight_is_limited(const Context& context) {
  std::vector<Evidence> evidence = above({kHidden.begin(), kHidden.end()}, Slip::none)(context);
  for (const Evidence& piece : equal_keys(kBets, Slip::none)(context)) evidence.push_back(piece);
  return evidence;
}

}  // namespace

std::vector<Statement> statements() {
  return {
      {.id = "OWN-16g",
       .title = "Keys drawn each by itself estimate the weight of the rest without bias, with the variance stated",
       .scope = "at least one key in the list",
       .measure = has_its_moments(Slip::none),
       .mutants = {{"a weight that is not divided by its probability", has_its_moments(Slip::not_divided)},
                   {"a listed key may be drawn", has_its_moments(Slip::listed_drawn)},
                   {"1 - pi left out of the variance", has_its_moments(Slip::all_squares)}}},
      {.id = "OWN-16h",
       .title = "The weight of the rest is at most its limit by two bets against keys drawn each by itself",
       .kind = Kind::high_probability,
       .scope = "ceilings by signs, at least one key in the list",
       .measure = weight_is_limited,
       .mutants = {{"a bet of 1.3/b, above what every draw can pay", equal_keys({1.3, 0.2}, Slip::none)},
                   {"the key of most weight in the rest cannot be drawn", above({Hidden::needle}, Slip::weight_lost)},
                   {"a weight that is not divided by its probability", equal_keys(kBets, Slip::not_divided)}},
       .no_near_mutant = "Two fixed bets leave room, most where many keys are drawn: a lie must use that room first."}};
}

}  // namespace skt::poisson_limits_group
