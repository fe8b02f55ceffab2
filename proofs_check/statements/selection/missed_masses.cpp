#include "estimators/attention.hpp"
#include "estimators/population/weights.hpp"
#include "proofs_check/bounds/selection/missed_mass_bound.hpp"
#include "proofs_check/evidence.hpp"
#include "proofs_check/laws/exact_tails.hpp"
#include "proofs_check/laws/table_scores.hpp"
#include "proofs_check/statements/measuring.hpp"

namespace skt::missed_masses_group {

extern const StatementGroup kGroup = {
    .question = "How much mass does the selection by score times value norm miss? (Theorem 15 of this project)",
    .notes = R"(For any threshold t, any set C of at most M keys and
p = sum_{i not in C} P(|v_i| S_i >= t)/(M + 1 - |C|) < delta, except with probability delta

  m <= sum_j alpha_j min(1, P(|v_j| S_j < t)/(delta - p))

S_j is the mean of L independent tables: P by Bennett's or Hoeffding's inequality.)",
    .method =
        "Exact on a law of the scores that attains it; exact for tables of hard planes, where the sum is binomial; "
        "counted on needles with drawn tables and value norms.",
    .power = "A crowd that is 5% smaller; 2% more tables."};

namespace {

using MissedMass = std::function<double(const Vector& softmax, const ScoreTails& tails, Index budget, double delta)>;

// Key 0 has all the mass. It falls below the threshold with probability `short_of`, and then a filler is selected for it.
// Of `sure` keys all reach the threshold, before key 0; as a disjoint event one more does, with probability `rival`. So it
// is lost with probability short_of + rival of sure + 1 selected keys.
Evidence law_that_attains(const MissedMass& missed) {
  AttainedSupremum worst;
  for (const Index sure : {0, 1, 5})
    for (const double short_of : {0.001, 0.02})
      for (const double rival : {0.0, 0.01, 0.03})
        for (const double share : {0.5, 0.9, 0.98, 0.995, 1 + 1e-9, 1.1}) {
          const double lost = short_of + rival, delta = share * lost;
          ScoreTails tails{Vector::Zero(sure + 3), Vector::Ones(sure + 3)};
          tails.below(0) = short_of, tails.above(0) = 1 - short_of;
          tails.below(sure + 1) = 1 - rival, tails.above(sure + 1) = rival;
          tails.below(sure + 2) = 1, tails.above(sure + 2) = 0;
          const bool exceeded = missed(Vector::Unit(sure + 3, 0), tails, sure + 1, delta) < 1;
          worst.add({exceeded ? lost : 0, delta, 8 * kUnit}, [&] {
            return fmt::format("{} sure keys, short {}, rival {}, delta {:.3g}", sure, short_of, rival, delta);
          });
        }
  return supremum("a law of the scores: P(m above the bound)/delta", worst);
}

// Tables of one hard plane: a key's sum is binomial.
Evidence binomial_tails(double tables_counted) {
  AttainedSupremum worst;
  for (const double mean : {0.1, 0.5, 0.8})
    for (const Index tables : {1, 20, 400}) {
      const ScoreLaw law{.mean = mean, .variance = mean * (1 - mean), .low = 0, .high = 1};
      for (const Index count : {Index{1}, tables / 3, tables / 2}) {
        const double at = (real(std::max<Index>(1, count)) - 0.5) / real(tables);
        const double below = binomial_below(static_cast<std::uint64_t>(tables), mean, at);
        const double bound =
            std::pow(law.below((real(std::max<Index>(1, count)) - 1) / real(tables), tables), tables_counted);
        worst.add({below, bound, 1e-12 * bound}, [&] { return fmt::format("mean {}, L={}, at {}", mean, tables, at); });
      }
    }
  return supremum("hard planes: P(mean of the tables below t)/bound", worst);
}

std::vector<Evidence> drawn_needles(const Context& context) {
  constexpr Index kKeys = 200, kBudget = 20, kTables = 120;
  const Instance instance =
      make_instance({.family = InstanceFamily::needle, .keys = kKeys, .dim = 64, .value_dim = 4, .needle_cosine = 0.7},
                    context.seed, 0);
  const PopulationParameters parameters = population_parameters(instance, 8, 0.5, Scaling::inverse_sqrt_dim);
  const Vector alpha = softmax(scaled_logits(instance.query, instance.keys)).value(),
               norms = row_norms(instance.values);
  constexpr double kDelta = 0.2;
  const double bound = missed_mass_bound(instance, parameters, alpha, norms, kTables, kBudget, kDelta);
  const std::uint64_t trials = context.trials(400);
  const Counts hits = run_trials(
      trials, Counts(1),
      [&](std::uint32_t trial, Counts& counts) {
        const Vector scores = rescaled_weights(context, instance, {kTables, 8, {0.5}}, trial);
        double missed = 1;
        for (const Index key : context.estimators.select(scores.cwiseProduct(norms), {}, {.budget = kBudget}))
          missed -= alpha(key);
        counts.of[0] += missed > bound;
      },
      8);
  return {frequency({fmt::format("needle of cosine .7, 200 keys, d=64 P=8 tau=.5 L={}, M={}", kTables, kBudget),
                     fmt::format("P(m above {:.3f})", bound)},
                    hits.of[0], trials, at_most(kDelta), {context.error_share, 0.4})};
}

auto of_law(MissedMass missed) {
  return [=](const Context&) { return std::vector{law_that_attains(missed)}; };
}

}  // namespace

std::vector<Statement> statements() {
  const auto measure = [](const Context& context) {
    std::vector<Evidence> evidence = drawn_needles(context);
    evidence.push_back(law_that_attains(missed_mass_at));
    evidence.push_back(binomial_tails(1));
    return evidence;
  };
  const auto smaller_crowd = [](const Vector& softmax, ScoreTails tails, Index budget, double delta) {
    for (double& above : tails.above) above *= above < 0.5 ? 0.95 : 1;
    return missed_mass_at(softmax, tails, budget, delta);
  };
  const auto no_crowd = [](const Vector& softmax, const ScoreTails& tails, Index, double delta) {
    return softmax.dot((tails.below / delta).cwiseMin(1));
  };
  const auto one_more = [](const Vector& softmax, const ScoreTails& tails, Index budget, double delta) {
    return missed_mass_at(softmax, tails, budget + 1, delta);
  };
  return {{.id = "OWN-15",
           .title = "The selection by score times value norm misses little mass before its tables are drawn",
           .source = "docs/bounds/selection.md, Theorem 15",
           .kind = Kind::inequality,
           .scope = "independent tables, any factor of a score, any rule for ties",
           .chance = Chance::random,
           .measure = measure,
           .mutants = {{"p -> 0.95 p", of_law(smaller_crowd)},
                       {"delta - p -> delta", of_law(no_crowd)},
                       {"M + 1 - |C| -> M + 2 - |C|", of_law(one_more)},
                       {"L -> 1.02 L", [](const Context&) { return std::vector{binomial_tails(1.02)}; }}}}};
}

}  // namespace skt::missed_masses_group
