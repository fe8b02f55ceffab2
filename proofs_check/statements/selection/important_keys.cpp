#include <tuple>

#include "estimators/value_sampling.hpp"
#include "proofs_check/statements/measuring.hpp"
#include "sim/require.hpp"

namespace skt::important_keys_group {

extern const StatementGroup kGroup = {
    .question = "Which keys contribute most, and what does sampling by a_j|v_j| give? (sections 1 and 5.1)",
    .notes = R"(With weights a that sum to 1, S1 = sum_j a_j|v_j|, y = sum_j a_j v_j, draws J ~ p of (a_J/p_J) v_J:

  S002-INTRO1-corrected     leaving out key j moves the sum by a_j|v_j|; among all p the variance
                            sum_j a_j^2|v_j|^2/p_j - |y|^2 is least, S1^2 - |y|^2, for p ~ a|v|
  S002-INTRO1-renormalised  where the other weights are divided by 1 - a_j, as attention over a selection does, y moves
                            by a_j|v_j - y|/(1 - a_j): y - (y - a_j v_j)/(1 - a_j)
  S002-Q7                   never a value 0 is drawn, and T is undefined for S1 = 0)",
    .method = "Random weights and values with exact sums; frequencies of draws.",
    .power = "Rounding; a frequency off by 0.06.",
    .scope = "S1 > 0"};

namespace {

struct Weighted {
  Vector weights;  // sums to 1
  Matrix values;
  Vector norms() const { return row_norms(values); }
};

// 2 to 13 keys, log-normal weights and value lengths.
Weighted random_weighted(Seed seed, std::uint32_t trial) {
  const Index keys = 2 + trial % 12, dim = 3;
  Vector weights(keys), lengths(keys);
  Matrix values(keys, dim);
  fill_normal(seed, {.trial = trial, .row = 0}, std::span(weights.data(), keys));
  fill_normal(seed, {.trial = trial, .row = 1}, std::span(lengths.data(), keys));
  fill_normal(seed, {.trial = trial, .row = 2}, std::span(values.data(), keys * dim));
  weights = weights.array().exp();
  values.array().colwise() *= lengths.array().exp();
  return {weights / weights.sum(), values};
}

// How much each key matters, to the law of a draw.
using Importance = Vector (*)(const Vector& weights, const Vector& norms);

Vector of_norm(const Vector& a, const Vector& norms) {
  return a.cwiseProduct(norms);
}
Vector of_squared_norm(const Vector& a, const Vector& norms) {
  return a.cwiseProduct(norms.cwiseAbs2());
}
Vector of_sharper_norm(const Vector& a, const Vector& norms) {
  return (a.array() * norms.array().pow(1.1)).matrix();
}

enum class Rest { as_before, renormalised };

// How far the output moves if a key is left out, and the other weights stay or are divided by their sum.
double moved_by(const Weighted& w, Index key, Rest rest) {
  Vector kept = w.weights;
  kept(key) = 0;
  if (rest == Rest::renormalised) kept /= kept.sum();
  return (w.values.transpose() * (w.weights - kept)).norm();
}

// That cost in closed form, or what is claimed to be it, [keys].
using Cost = Vector (*)(const Weighted&);

Vector distances(const Weighted& w) {
  const Vector output = w.values.transpose() * w.weights;
  return row_norms(w.values.rowwise() - output.transpose());
}
Vector cost_in_the_sum(const Weighted& w) {
  return of_norm(w.weights, w.norms());
}
Vector cost_of_distance(const Weighted& w) {
  return of_norm(w.weights, distances(w));
}
Vector cost_renormalised(const Weighted& w) {
  return cost_of_distance(w).cwiseQuotient(Vector((1 - w.weights.array()).matrix()));
}
Vector cost_squared(const Weighted& w) {
  return of_squared_norm(w.weights, w.norms());
}

// How far leaving out the most important key moves the output; claimed to be no less than for any other key. The two
// keys have a|v| = (.75, .5), a|v - y|/(1 - a) = (1.677, .559) and a|v|^2 = (.75, 1).
std::vector<Evidence> most_missed(Cost in_the_sum, Cost renormalised) {
  const Weighted w{Vector{{0.75, 0.25}}, Matrix{{1.0, 0.0}, {0.0, 2.0}}};
  std::vector<Evidence> evidence;
  for (const auto& [cost, rest, of] : {std::tuple{in_the_sum, Rest::as_before, "the sum"},
                                       std::tuple{renormalised, Rest::renormalised, "the renormalised output"}}) {
    Index most = 0;
    cost(w).maxCoeff(&most);
    evidence.push_back(
        exact({"a = (3/4, 1/4), v = (e_1, 2 e_2)", fmt::format("movement of {} without the most important key", of)},
              moved_by(w, most, rest), at_least(std::max(moved_by(w, 0, rest), moved_by(w, 1, rest)), 4 * kUnit)));
  }
  return evidence;
}

// S002-INTRO1-renormalised: leaving a key out costs `claimed`, on random weights and values and where all values are
// equal.
auto costs_renormalised(Cost claimed) {
  return [claimed](const Context& context) -> std::vector<Evidence> {
    const BothSides random = run_trials(context.trials(4000), BothSides{}, [&](std::uint32_t trial, BothSides& sides) {
      const Weighted w = random_weighted(context.seed, trial);
      const Vector cost = claimed(w);
      const double longest = w.norms().maxCoeff();
      for (Index j = 0; j < cost.size(); ++j) {
        // Sums of at most 13 weights and values in three coordinates, over 1 - a_j: 64 units of the longest value.
        sides.add(moved_by(w, j, Rest::renormalised), cost(j), 64 * kUnit * longest / (1 - w.weights(j)));
      }
    });
    const Weighted equal{Vector{{0.6, 0.4}}, Matrix{{5.0}, {5.0}}};
    const double most = std::max(moved_by(equal, 0, Rest::renormalised), moved_by(equal, 1, Rest::renormalised));
    return {
        random.evidence({"random weights and values, each key", "movement of the renormalised output (over claim)"}),
        exact({"a = (.6, .4), both values 5", "largest movement (claim: the claimed cost)"}, most,
              equals(claimed(equal).maxCoeff(), 64 * kUnit * 5))};
  };
}

double second_moment(const Weighted& w, const Vector& p) {
  return w.weights.cwiseProduct(w.norms()).cwiseAbs2().cwiseQuotient(p).sum();
}

auto least_variance(Importance importance) {
  return [importance](const Context& context) -> std::vector<Evidence> {
    const Largest worst = run_trials(context.trials(4000), Largest{}, [&](std::uint32_t trial, Largest& l) {
      const Weighted w = random_weighted(context.seed, trial);
      Vector p = importance(w.weights, w.norms());
      p /= p.sum();
      const double total = w.weights.dot(w.norms());
      Vector other(p.size());  // any other law
      fill_uniform(context.seed, {.trial = trial, .row = 3}, std::span(other.data(), other.size()));
      other /= other.sum();
      l.add(second_moment(w, p) / second_moment(w, other));
      l.add(second_moment(w, p) / (total * total));
    });
    return {most_missed(cost_in_the_sum, cost_renormalised).front(),
            supremum({"random weights, values and laws p", "second moment over that of another law and over S1^2"},
                     worst.value, 64 * kUnit, worst.trials, worst.in_scope)};
  };
}

// S002-Q7: values (1, -3, 0) with a = (.6, .3, .1): S1 = 1.5 and J ~ a|v| gives (.4, .6, 0).
struct OneDraw {
  double positive = 0.4;  // P(T > 0)
  double norm = 1.5;      // |T| of one draw, of the positive value
};

auto one_draw(OneDraw claimed) {
  return [claimed](const Context& context) -> std::vector<Evidence> {
    const Vector weights = (Vector(3) << 0.6, 0.3, 0.1).finished();
    const Matrix values = (Matrix(3, 1) << 1, -3, 0).finished();
    const ValueSampler sampler(weights, values);
    const std::uint64_t trials = context.trials(40'000);
    const Counts counts = run_trials(trials, Counts(3), [&](std::uint32_t trial, Counts& c) {
      const double t = sampler.draw(context.seed, trial, 1)(0);
      c.of[0] += t > 0;
      c.of[1] += !(std::abs(t - (t > 0 ? claimed.norm : -1.5)) <= 8 * kUnit);
      // Four draws: T/S1 is a multiple of 1/2.
      const double sum = 2 * sampler.draw(context.seed, trial, 4)(0) / 1.5;
      c.of[2] += !(std::abs(sum - std::round(sum)) <= 32 * kUnit);
    });
    double refused = 0;
    try {
      const ValueSampler none(weights, Matrix::Zero(3, 1));
    } catch (const InputError&) {
      refused = 1;
    }
    const char* const what = "values (1, -3, 0), a = (.6, .3, .1), M=1";
    return {frequency({what, "P(the first value is drawn)"}, counts.of[0], trials, equals(claimed.positive),
                      {context.error_share, 0.06}),
            exact({what, "draws of another size than S1"}, real(counts.of[1]), equals(0)),
            exact({"the same, M=4", "T that are no mean of four signs times S1"}, real(counts.of[2]), equals(0)),
            exact({"all values 0", "T refused"}, refused, equals(1))};
  };
}

Vector by_weight(const Vector& a, const Vector&) {
  return a;
}
Vector by_norm(const Vector&, const Vector& norms) {
  return norms;
}

}  // namespace

std::vector<Statement> statements() {
  return {
      {.id = "S002-INTRO1",
       .title = "The dominant contributors are the keys of largest a_j|v_j|^2",
       .source = "paper, section 1 (on earlier work)",
       .wording = Wording::reading,
       .kind = Kind::ordering,
       .measure = [](const Context&) { return most_missed(cost_squared, cost_squared); },
       .controls = {{"a_j|v_j| in the sum, a_j|v_j - y|/(1 - a_j) in attention that renormalises",
                     [](const Context&) { return most_missed(cost_in_the_sum, cost_renormalised); }}},
       .expected = Verdict::refuted,
       .remark =
           "Section 1 reports the square from another paper; that the dominant contributors are those whose absence "
           "costs most is ours. Leaving key j out of the sum (1) costs a_j|v_j|, which eq. (7) samples by. Of "
           "attention as it is run, which renormalises over the selection, it costs a_j|v_j - y|/(1 - a_j) "
           "(S002-INTRO1-renormalised). With the square, sampling is as noisy as without any norm."},
      {.id = "S002-INTRO1-corrected",
       .title = "Leaving key j out of the sum costs a_j|v_j|, and sampling by it has the least variance",
       .source = "paper, section 1, corrected as in eq. (7)",
       .kind = Kind::inequality,
       .measure = least_variance(of_norm),
       .mutants = {{"p ~ a|v|^2", least_variance(of_squared_norm)},
                   {"p ~ a|v|^1.1", least_variance(of_sharper_norm)},
                   {"p ~ a", least_variance(by_weight)},
                   {"p ~ |v|", least_variance(by_norm)}}},
      {.id = "S002-INTRO1-renormalised",
       .title = "Leaving out key j moves attention that renormalises by a_j|v_j - y|/(1 - a_j)",
       .source = "derived; paper, section 1 and Algorithm 3, line 6",
       .scope = "weights that sum to 1, a_j < 1",
       .measure = costs_renormalised(cost_renormalised),
       .mutants = {{"a_j|v_j|", costs_renormalised(cost_in_the_sum)},
                   {"a_j|v_j - y|", costs_renormalised(cost_of_distance)},
                   {"1% more",
                    costs_renormalised([](const Weighted& w) { return Vector(1.01 * cost_renormalised(w)); })}},
       .remark = "With equal values no key costs anything, whatever a_j|v_j|: (3, 2) for a = (.6, .4) and values 5."},
      {.id = "S002-Q7",
       .title = "T is S1/M times a sum of unit vectors v_J/|v_J| with J ~ a|v|",
       .source = "paper, eq. (7)",
       .quote = "consider an estimator formed by drawing",
       .chance = Chance::random,
       .measure = one_draw({}),
       // .6 against .3 * 3^.7 = .647
       .mutants = {{"J ~ a|v|^0.7", one_draw({.positive = 0.6 / (0.6 + 0.3 * std::pow(3, 0.7))})},
                   {"J ~ a", one_draw({.positive = 0.6})},
                   {"plain mean of v_J", one_draw({.norm = 1})}}}};
}

}  // namespace skt::important_keys_group
