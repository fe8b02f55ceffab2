#include "estimators/population/weights.hpp"
#include "proofs_check/bounds/selection/lost_key_bound.hpp"
#include "proofs_check/laws/exact_tails.hpp"
#include "proofs_check/laws/table_scores.hpp"
#include "proofs_check/statements/measuring.hpp"

namespace skt::lost_keys_group {

extern const StatementGroup kGroup = {
    .question = "How probable is it that a key is not among the M of highest score? (Theorem 11 of this project)",
    .notes = "P(j lost) <= (1/M) sum_{i != j} min_{x >= 0} (E e^{x(s_i - s_j)})^L",
    .method =
        "Exact for two keys on opposite sides of the query with hard planes: one table contributes 1, 0 or -1 to the "
        "difference, and L tables a trinomial sum. Exact on I-COPY, where the last of N keys is always lost. Counted "
        "on needles with drawn tables.",
    .power = "Exact on copies, where both sides are 1; a factor of 13 at 400 tables of three-valued steps."};

namespace {

using Lost = std::function<double(const Instance&, const PopulationParameters&, Index tables, Index budget, Index key)>;

// Key 0 at the angle pi `up` on one side of the query, its competitor at pi `down` on the other. A hard plane separates
// key 0 alone from the query with probability `up`, the competitor alone with `down`.
struct OppositeKeys {
  double up, down;

  Instance instance() const {
    const double a = std::numbers::pi * up, b = -std::numbers::pi * down;
    return {"opposite keys", Vector{{1.0, 0.0}}, Matrix{{std::cos(a), std::sin(a)}, {std::cos(b), std::sin(b)}},
            Matrix::Ones(2, 1)};
  }
  static constexpr double kTemperature = 1e-12;  // of that order is the share of planes that are not hard
  PopulationParameters hard() const { return {.query_norm = 1, .temperature = kTemperature, .dim = 1, .planes = 1}; }
};

constexpr OppositeKeys kThreeValued{0.1, 0.3};

Evidence three_valued_steps(const Lost& lost) {
  AttainedSupremum worst;
  for (const OppositeKeys& keys : {kThreeValued, OppositeKeys{0.01, 0.02}, OppositeKeys{0.2, 0.21}}) {
    for (const Index tables : {1, 4, 60, 400}) {
      const double bound = lost(keys.instance(), keys.hard(), tables, 1, 0);
      const double left = three_valued_sum_not_negative(keys.up, keys.down, tables);
      // Relative error of the moment, `tables` times, and of the sum over the steps.
      worst.add({left, bound, (100 * OppositeKeys::kTemperature + 1e-14) * real(tables) * left},
                [&] { return fmt::format("up {}, down {}, L={}", keys.up, keys.down, tables); });
    }
  }
  return supremum("two keys, one hard plane: P(no lower score)/bound", worst);
}

// The last of N copies, M = N - 1: the rule for ties leaves it out.
Evidence last_of_copies(const Context& context, const Lost& lost) {
  constexpr Index kCopies = 12, kLast = kCopies - 1;
  const Instance copies =
      make_instance({.family = InstanceFamily::copies, .dim = 16, .copies = kCopies, .angle = 0.8}, context.seed, 0);
  const PopulationParameters parameters = population_parameters(copies, 4, 0.5, Scaling::inverse_sqrt_dim);
  const std::uint64_t trials = context.trials(200);
  const Counts hits = run_trials(trials, Counts(1), [&](std::uint32_t trial, Counts& counts) {
    const Vector scores = rescaled_weights(context, copies, {8, 4, {0.5}}, trial);
    const std::vector<Index> selected = context.estimators.select(scores, {}, {.budget = kLast});
    counts.of[0] += std::find(selected.begin(), selected.end(), kLast) == selected.end();
  });
  // Ties are decided by the index, so chance plays no part.
  return exact({"I-COPY(12), the last key, M=11", "share of draws in which it is lost"},
               real(hits.of[0]) / real(trials), at_most(lost(copies, parameters, 8, kLast, kLast)));
}

struct Hidden {  // neither surely nor rarely lost
  double cosine;
  Index tables;
};
constexpr std::array kHidden{Hidden{0.5, 20}, Hidden{0.8, 4}};

std::vector<Evidence> drawn_needles(const Context& context) {
  std::vector<Evidence> evidence;
  constexpr Index kKeys = 200, kBudget = 20, kNeedle = kKeys / 2;
  std::uint32_t number = 0;
  for (const Hidden& hidden : kHidden) {
    const Instance instance = make_instance(
        {.family = InstanceFamily::needle, .keys = kKeys, .dim = 128, .value_dim = 1, .needle_cosine = hidden.cosine},
        context.seed, number++);
    const PopulationParameters parameters = population_parameters(instance, 8, 0.5, Scaling::inverse_sqrt_dim);
    const double bound = lost_key_bound(instance, parameters, hidden.tables, kBudget, kNeedle);
    const std::uint64_t trials = context.trials(400);
    const Counts hits = run_trials(
        trials, Counts(1),
        [&](std::uint32_t trial, Counts& counts) {
          const Vector scores = rescaled_weights(context, instance, {hidden.tables, 8, {0.5}}, trial);
          const std::vector<Index> selected = context.estimators.select(scores, {}, {.budget = kBudget});
          counts.of[0] += std::find(selected.begin(), selected.end(), kNeedle) == selected.end();
        },
        8);
    evidence.push_back(frequency({fmt::format("needle of cosine {}, 200 keys, d=128 P=8 tau=.5 L={}, M={}",
                                              hidden.cosine, hidden.tables, kBudget),
                                  "P(lost)"},
                                 hits.of[0], trials, at_most(bound), {context.share(kHidden), 0.4}));
  }
  return evidence;
}

Lost times(double factor, double exponent) {
  return [=](const Instance& instance, const PopulationParameters& parameters, Index tables, Index budget, Index key) {
    return factor * lost_key_bound(instance, parameters, std::lround(exponent * real(tables)), budget, key);
  };
}

}  // namespace

std::vector<Statement> statements() {
  const auto measure = [](const Context& context) {
    std::vector<Evidence> evidence = drawn_needles(context);
    evidence.push_back(three_valued_steps(lost_key_bound));
    evidence.push_back(last_of_copies(context, lost_key_bound));
    return evidence;
  };
  const auto at_400_tables = [](const Context&) {
    return std::vector{exact({"up .1, down .3, one hard plane, L=400", "P(no lower score)"},
                             three_valued_sum_not_negative(0.1, 0.3, 400),
                             at_most(times(1, 1.2)(kThreeValued.instance(), kThreeValued.hard(), 400, 1, 0)))};
  };
  const auto on_copies = [](double factor) {
    return [=](const Context& context) { return std::vector{last_of_copies(context, times(factor, 1))}; };
  };
  return {{.id = "OWN-11",
           .title = "A key is lost with exponentially small probability",
           .source = "docs/bounds/selection.md, Theorem 11",
           .kind = Kind::inequality,
           .scope = "independent tables, any rule for ties; scores without the value's norm",
           .chance = Chance::random,
           .measure = measure,
           .mutants = {{"L -> 1.2 L", at_400_tables},
                       {"1/M -> 1/(2 M)", on_copies(0.5)},
                       {"1/M -> 1/(1.02 M)", on_copies(1 / 1.02)}}}};
}

}  // namespace skt::lost_keys_group
