#include "estimators/population/population.hpp"
#include "proofs_check/statements/measuring.hpp"

namespace skt::bounded_variance_group {

extern const StatementGroup kGroup = {
    .question = "How large can the variance of a variable in [0,1] be, given its mean?",
    .notes = R"(S002-L5    equality for Bernoulli variables
S002-L5eq  mu (1 - mu) - Var X = E[X (1 - X)], which is zero exactly for X in {0, 1})",
    .method = "Exact moments of random laws on up to 8 atoms; the soft score by quadrature.",
    .power = "The rounding of a sum of at most 8 products.",
    .scope = "all laws on [0,1]"};

namespace {

constexpr Index kMostAtoms = 8;

// Sums of at most 8 products of numbers of at most 1.02: each of the moments rounds less than 16 units.
constexpr double kRounding = 64 * std::numeric_limits<double>::epsilon();

struct Law {
  Vector atoms;
  Vector weights;  // sum to 1 up to rounding

  double mean() const { return weights.dot(atoms); }
  double variance() const { return weights.dot((atoms.array() - mean()).square().matrix()); }
  double spread() const { return weights.dot((atoms.array() * (1 - atoms.array())).matrix()); }  // E[X(1-X)]
};

// One to eight atoms in [0, largest]; every third law has its atoms at the two ends only.
Law random_law(Seed seed, std::uint32_t trial, double largest) {
  const Index atoms = 1 + trial % kMostAtoms;
  Law law{Vector(atoms), Vector(atoms)};
  fill_uniform(seed, {.trial = trial}, std::span(law.atoms.data(), atoms));
  if (trial % 3 == 0) law.atoms = law.atoms.array().round();
  law.atoms *= largest;
  fill_uniform(seed, {.trial = trial, .row = 1}, std::span(law.weights.data(), atoms));
  law.weights /= law.weights.sum();
  return law;
}

using Bound = double (*)(double mean);

auto variance_bound(Bound bound, double largest, Equality equality) {
  return [=](const Context& context) {
    const auto sides = [=](const Law& law) { return InequalitySides{law.variance(), bound(law.mean()), kRounding}; };
    const AttainedSupremum worst =
        run_trials(context.trials(20'000), AttainedSupremum{}, [&](std::uint32_t trial, AttainedSupremum& s) {
          const Law law = random_law(context.seed, trial, largest);
          // A single atom has no variance, and its bound may be rounding.
          if (law.atoms.size() == 1) return s.add_out_of_scope();
          s.add(sides(law), [&] {
            return fmt::format("{} atoms{}, trial {}", law.atoms.size(), trial % 3 == 0 ? " at the ends" : "", trial);
          });
        });
    Law fair{Vector(2), Vector(2)};
    fair.atoms << 0, largest;
    fair.weights << 0.5, 0.5;
    std::vector<Evidence> evidence = {supremum("random laws of 2 to 8 atoms", worst),
                                      tight(fmt::format("X = 0 or {}, evenly", largest), sides(fair), equality)};
    for (const double rho : {-0.9, 0.0, 0.5, 1.0}) {
      const PopulationParameters p{1, 0.03, 16, 4};
      const Estimate weight = population_weight(p, Cosine::of(rho));
      const Estimate variance = population_weight_variance(p, Cosine::of(rho));
      const double allowed = bound(weight.value);
      evidence.push_back(exact({fmt::format("soft score, |q|=1 d=16 P=4 tau=0.03 cosine={}", rho), "Var s_j / bound"},
                               variance.value / allowed, at_most(1, (variance.error + weight.error) / allowed)));
    }
    return evidence;
  };
}

using Slack = double (*)(const Law&);

auto slack_identity(Slack claimed) {
  return [claimed](const Context& context) {
    const auto slack = [](const Law& law) { return law.mean() * (1 - law.mean()) - law.variance(); };
    const BothSides sides = run_trials(context.trials(20'000), BothSides{}, [&](std::uint32_t trial, BothSides& s) {
      const Law law = random_law(context.seed, trial, 1);
      s.add(slack(law), claimed(law), kRounding);
    });
    const Largest at_the_ends = run_trials(context.trials(20'000), Largest{}, [&](std::uint32_t trial, Largest& l) {
      if (trial % 3 == 0) l.add(std::abs(slack(random_law(context.seed, trial, 1))));
    });
    Law three{Vector(3), Vector(3)};
    three.atoms << 0, 0.5, 1;
    three.weights << 0.25, 0.5, 0.25;
    return std::vector<Evidence>{
        sides.evidence({"random laws", "mu(1-mu) - Var X over the claimed slack"}),
        exact({"random laws on {0, 1}", "largest |mu(1-mu) - Var X|"}, at_the_ends.value, equals(0, kRounding)),
        exact({"X = 0, 1/2, 1 with probability 1/4, 1/2, 1/4", "mu(1-mu) - Var X"}, slack(three),
              equals(claimed(three), kRounding))};
  };
}

}  // namespace

std::vector<Statement> statements() {
  return {
      {.id = "S002-L5",
       .title = "Var X <= mu(1 - mu) for X in [0,1]",
       .source = "paper, Lemma 5 and after",
       .quote = "Bernoulli indicators are extremal among all",
       .kind = Kind::inequality,
       .measure = variance_bound([](double m) { return m * (1 - m); }, 1, Equality::attained),
       .mutants = {{"0.98 mu(1 - mu)", variance_bound([](double m) { return 0.98 * m * (1 - m); }, 1, Equality::open)},
                   {"mu(1 - mu)/2", variance_bound([](double m) { return m * (1 - m) / 2; }, 1, Equality::open)},
                   {"X in [0, 1.01]", variance_bound([](double m) { return m * (1 - m); }, 1.01, Equality::open)}}},
      {.id = "S002-L5eq",
       .title = "Lemma 5 is an equality exactly for X in {0, 1}",
       .source = "paper, Lemma 5",
       .quote = "with equality if and only if",
       .measure = slack_identity([](const Law& law) { return law.spread(); }),
       .mutants = {{"slack 1.02 E[X(1-X)]", slack_identity([](const Law& law) { return 1.02 * law.spread(); })},
                   {"slack E[X(1-X)]/2", slack_identity([](const Law& law) { return law.spread() / 2; })},
                   {"equality with an atom at 1/2", slack_identity([](const Law& law) {
                      const auto x = law.atoms.array();
                      return law.weights.dot((x * (1 - x) * (x - 0.5).square() * 4).matrix());
                    })}}}};
}

}  // namespace skt::bounded_variance_group
