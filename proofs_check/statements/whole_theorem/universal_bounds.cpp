#include "proofs_check/laws/least_bounds.hpp"
#include "proofs_check/statements/measuring.hpp"

namespace skt::universal_bounds_group {

extern const StatementGroup kGroup = {
    .question = "How small can the bound of Theorem 3 be at the settings of Table 6, whatever q, K and V?",
    .notes = R"(g = sigma(2/(tau sqrt d)): no plane tells the query's side with a higher probability.

  S002-T3-universal-bias    every B that holds for all tables is at least Z_tau/(g^P + (1-g)^P), and eps > 1 - g^P
  S002-T3-universal-any-B   if all that is known of B is that it is no less than Z_tau, as eqs. (9) and (15) have it
  S002-T3-universal-tables  L >= 2 B^2 log(8/delta)/Z_tau^2, with the B of the first

No error exceeds 2 max|v_j|, since T and y* are no longer than the longest value. The proof is in
docs/bounds/universal.md.)",
    .method =
        "The bound of Lemma 11 by quadrature, where it approaches the infimum: half of the keys are copies of a query of "
        "norm 1e12, half are opposite, and one value is not 0. And on keys of random directions in a plane, where B is "
        "exact.",
    .power = "1e-9 of the infimum; any instance below it.",
    .source = "docs/bounds/universal.md; paper, Theorem 3 with the settings of Table 6",
    .kind = Kind::inequality,
    .scope = "q and keys not 0, B almost sure; d from 64 to 256, P and tau of Table 6"};

namespace {

constexpr double kDelta = 0.1;

template <class Visit>
void for_each_setting(Visit visit) {
  for (const Index dim : {64, 128, 256})
    for (const Index planes : {8, 10, 12})
      for (const double temperature : {0.3, 0.5, 0.7})
        visit(PopulationParameters{.query_norm = 1e12, .temperature = temperature, .dim = dim, .planes = planes});
}
constexpr PopulationParameters kSmallest{.query_norm = 1e12, .temperature = 0.3, .dim = 64, .planes = 8};

BoundConstants at_the_infimum(const PopulationParameters& at) {
  return best_constants(at, {{0, std::numbers::pi}, {1e24, 1e24}});
}

// Of an instance: the bias term and the required number of tables, with the smallest B that is allowed.
struct Least {
  double (*observed)(const BoundConstants& c);
  const char* quantity;
};

double bias_term(const BoundConstants& c) {
  return bias_bound(c);
}
double bias_term_of_any_occupancy(BoundConstants c) {
  c.occupancy = c.population_mass;
  return bias_bound(c);
}
double tables(const BoundConstants& c) {
  return required_tables(c, kDelta / 2);
}

constexpr Least kBias{bias_term, "bias term of Theorem 3/max|v_j|"};
constexpr Least kBiasOfAny{[](const BoundConstants& c) { return bias_term_of_any_occupancy(c); },
                           "bias term of Theorem 3 with B = Z_tau/max|v_j|"};
constexpr Least kTables{tables, "required number of tables"};

// Up to six directions with up to a million keys each, a query of any length and any setting.
struct RandomProblem {
  PopulationParameters at;
  KeyDirections keys;

  RandomProblem(Seed seed, std::uint32_t trial) {
    Vector x(16);
    fill_normal(seed, {.trial = trial}, std::span(x.data(), x.size()));
    at = {.query_norm = std::pow(10, 2 * x[0]),
          .temperature = std::pow(10, x[1] - 0.5),
          .dim = 1 + trial % 256,
          .planes = 2 + trial % 11};
    for (Index j = 0; j < 2 + trial % 5; ++j) {
      keys.angles.push_back(trial % 3 == 0 ? real(j % 2) * std::numbers::pi + 0.1 * x[2 + j] : 2 * x[2 + j]);
      keys.counts.push_back(std::round(std::pow(10, 3 + std::fmin(3, std::abs(x[9 + j])))));
    }
  }
};

using Claimed = double (*)(const PopulationParameters&);

// Nothing is below the claim, and at the settings of Table 6 it is approached.
auto is_infimum(const Least& least, Claimed claimed) {
  return [=](const Context& context) {
    std::vector<Evidence> evidence;
    for_each_setting([&](const PopulationParameters& at) {
      const double claim = claimed(at);
      // |q|, N and the quadratures leave 1e-11 of it, times P.
      evidence.push_back(exact({fmt::format("d={} P={} tau={}", at.dim, at.planes, at.temperature), least.quantity},
                               least.observed(at_the_infimum(at)), equals(claim, 1e-9 * claim)));
    });
    const AttainedSupremum worst = run_trials(400, AttainedSupremum{}, [&](std::uint32_t trial, AttainedSupremum& s) {
      const RandomProblem problem(context.seed, trial);
      const double bound = least.observed(best_constants(problem.at, problem.keys));
      s.add({claimed(problem.at), bound, 1e-9 * bound}, [&] { return fmt::format("problem {}", trial); });
    });
    evidence.push_back(supremum("400 random problems of 2 to 6 directions", worst));
    return evidence;
  };
}

// A number for the setting where the infimum is smallest.
auto is_below_all(const Least& least, double claimed) {
  return [=](const Context&) -> std::vector<Evidence> {
    return {exact({"d=64 P=8 tau=0.3", least.quantity}, least.observed(at_the_infimum(kSmallest)), at_least(claimed))};
  };
}

double with_planes(Claimed claimed, PopulationParameters at, Index more) {
  at.planes += more;
  return claimed(at);
}
double own(const PopulationParameters& at) {
  return std::pow(most_agreement(at), real(at.planes));
}
double log_tables(const PopulationParameters& at) {
  return least_required_tables(at, kDelta);
}

}  // namespace

std::vector<Statement> statements() {
  return {
      {.id = "S002-T3-universal-bias",
       .title = "Over all q, K and V, the bias term of Theorem 3 has the infimum "
                "2(1 - g^P)/(g^P + (1-g)^P) max|v_j|",
       .measure = is_infimum(kBias, least_bias_term),
       .mutants = {{"(1-g)^P left out",
                    is_infimum(kBias, [](const PopulationParameters& at) { return 2 * (1 - own(at)) / own(at); })},
                   {"34 at d = 64, P = 8, tau = .3", is_below_all(kBias, 34)},
                   {"P - 1",
                    is_infimum(kBias,
                               [](const PopulationParameters& at) { return with_planes(least_bias_term, at, -1); })}},
       .remark =
           "33.8 at d = 64 and 65.7 at d = 128, where P = 8 and tau = .3; larger at every other setting. An error "
           "cannot exceed 2 max|v_j|, so the theorem says nothing of any input. The term can be below max|v_j| only "
           "where tau sqrt(d) is below .68 (P = 8) or .59 (P = 12)."},
      {.id = "S002-T3-universal-any-B",
       .title = "If B need only be at least Z_tau, the bias term of Theorem 3 has the infimum 2(1 - g^P) max|v_j|",
       .scope = "the weakest reading of B with which eq. (9) holds on average; d, P and tau as above",
       .measure = is_infimum(kBiasOfAny, least_bias_term_of_any_occupancy),
       .mutants = {{"1.89 at d = 64, P = 8, tau = .3", is_below_all(kBiasOfAny, 1.89)},
                   {"1.95 at d = 64, P = 8, tau = .3", is_below_all(kBiasOfAny, 1.95)},
                   {"P - 1", is_infimum(kBiasOfAny,
                                        [](const PopulationParameters& at) {
                                          return with_planes(least_bias_term_of_any_occupancy, at, -1);
                                        })},
                   {"P + 1", is_infimum(kBiasOfAny,
                                        [](const PopulationParameters& at) {
                                          return with_planes(least_bias_term_of_any_occupancy, at, 1);
                                        })}},
       .remark = "1.8885 at d = 64 and 1.9414 at d = 128 (P = 8, tau = .3), larger at every other setting."},
      {.id = "S002-T3-universal-tables",
       .title = "Over all q, K and V, the number of tables that Theorem 3 requires has the infimum "
                "2 log(8/delta)/(g^P + (1-g)^P)^2",
       .measure = is_infimum(kTables, log_tables),
       .mutants = {{"1.02 times as many",
                    is_infimum(kTables, [](const PopulationParameters& at) { return 1.02 * log_tables(at); })},
                   {"(1-g)^P left out", is_infimum(kTables,
                                                   [](const PopulationParameters& at) {
                                                     return 2 * std::log(8 / kDelta) / (own(at) * own(at));
                                                   })},
                   {"log(4/delta)", is_infimum(kTables,
                                               [](const PopulationParameters& at) {
                                                 return log_tables(at) * std::log(4 / kDelta) / std::log(8 / kDelta);
                                               })}},
       .remark = "2,814 tables at d = 64, P = 8, tau = .3 and delta = .1, and more than 1,335 for any delta below 1: "
                 "with the 60 tables of Table 6 the theorem never applies."}};
}

}  // namespace skt::universal_bounds_group
