#include "proofs_check/laws/angle_instance.hpp"
#include "proofs_check/laws/exact_population.hpp"
#include "proofs_check/laws/table_scores.hpp"
#include "proofs_check/statements/measuring.hpp"

namespace skt::normaliser_moments_group {

extern const StatementGroup kGroup = {
    .question = "What are mean and variance of the normaliser Z~ = sum_j w~_j?",
    .notes = R"(S002-E15        holds for every L
S002-A1-tables  Var Z~ = (sum_ij h_ij^P - Z_tau^2)/L: tables are independent of each other, keys are not; without 1/L
                it is that of one table used L times

Both hold in every dimension d >= 2.)",
    .method =
        "Means over independent draws of L = 4 tables, in empirical Bernstein intervals with the known range of Z~, "
        "against quadrature.",
    .power = "The mean to a twentieth, the variance to a third.",
    .kind = Kind::expectation,
    .chance = Chance::random};

namespace {

constexpr Index kKeys = 12;
constexpr Index kDim = 4;
constexpr Index kTables = 4;
constexpr Index kPlanes = 2;
constexpr double kTemperature = 0.3;
constexpr const char* kInstance = "12 keys at 0 .. 1.1 rad, |q|=1 L=4 P=2 d=4";

struct Setup {
  Instance instance;
  Population population;
  double lowest;  // of Z~
  double highest;
};

// Every score lies in [sigma(-x)^P, sigma(x)^P], x = 2/(tau sqrt d).
Setup set_up(const Context& context) {
  std::vector<double> angles(kKeys);
  for (int j = 0; j < kKeys; ++j) angles[j] = 0.1 * j;
  const Instance instance = angle_instance(angles, kDim, 1, context.seed);
  const double x = 2 / (kTemperature * std::sqrt(real(kDim)));
  return {instance, population_of(instance, kPlanes, kTemperature), kKeys * std::pow(1 / (1 + std::exp(x)), kPlanes),
          kKeys * std::pow(1 / (1 + std::exp(-x)), kPlanes)};
}

double normaliser(const Context& context, const Instance& instance, std::uint32_t trial) {
  return rescaled_weights(context, instance, {kTables, kPlanes, {kTemperature}}, trial).sum();
}

using ClaimedMean = double (*)(const Population&);

auto normaliser_mean(ClaimedMean claimed) {
  return [claimed](const Context& context) -> std::vector<Evidence> {
    const Setup setup = set_up(context);
    const Moments z = run_trials(context.trials(40'000), Moments{}, [&](std::uint32_t trial, Moments& m) {
      m.add(normaliser(context, setup.instance, trial));
    });
    return {mean_of_bounded({kInstance, "E Z~"}, z, setup.highest - setup.lowest,
                            equals(claimed(setup.population), kKeys * setup.population.error),
                            {context.error_share, 0.05 * setup.population.soft_mass})};
  };
}

using ClaimedVariance = double (*)(const Matrix& pair_moments, const Population&);

// E (Z~ - Z_tau)^2 with the exact Z_tau: a mean of bounded numbers.
auto normaliser_variance(ClaimedVariance claimed) {
  return [claimed](const Context& context) -> std::vector<Evidence> {
    const Setup setup = set_up(context);
    const double centre = setup.population.soft_mass;
    const Moments squares = run_trials(context.trials(90'000), Moments{}, [&](std::uint32_t trial, Moments& m) {
      const double deviation = normaliser(context, setup.instance, trial) - centre;
      m.add(deviation * deviation);
    });
    const double reach = std::max(centre - setup.lowest, setup.highest - centre);
    const Matrix pairs = pair_moments(setup.instance, setup.population.parameters);
    const double exact_variance = (pairs.sum() - centre * centre) / kTables;
    return {mean_of_bounded({kInstance, "Var Z~"}, squares, reach * reach, equals(claimed(pairs, setup.population)),
                            {context.error_share, exact_variance / 3})};
  };
}

}  // namespace

std::vector<Statement> statements() {
  return {
      {.id = "S002-E15",
       .title = "The normaliser is unbiased for Z_tau",
       .source = "paper, eq. (15)",
       .quote = R"(\mathbb{E}(\widetilde{Z})=)",
       .scope = "any keys, tau > 0",
       .measure = normaliser_mean([](const Population& p) { return p.soft_mass; }),
       .mutants = {{"5% more", normaliser_mean([](const Population& p) { return 1.05 * p.soft_mass; })},
                   {"E Z~ is the angular mass Z", normaliser_mean([](const Population& p) { return p.angular_mass; })},
                   {"E Z~ = N/R", normaliser_mean([](const Population&) { return kKeys * 0.25; })}}},
      {.id = "S002-A1-tables",
       .title = "Tables are independent: Var Z~ is that of one table over L",
       .source = "derived from paper, eqs. (12) and (15)",
       .scope = "independent tables",
       .measure = normaliser_variance([](const Matrix& pairs, const Population& p) {
         return (pairs.sum() - p.soft_mass * p.soft_mass) / kTables;
       }),
       .mutants = {{"no 1/L", normaliser_variance([](const Matrix& pairs, const Population& p) {
                      return pairs.sum() - p.soft_mass * p.soft_mass;
                    })},
                   {"1/(L - 1)", normaliser_variance([](const Matrix& pairs, const Population& p) {
                      return (pairs.sum() - p.soft_mass * p.soft_mass) / (kTables - 1);
                    })},
                   {"keys independent", normaliser_variance([](const Matrix& pairs, const Population& p) {
                      return (pairs.trace() - p.soft.squaredNorm()) / kTables;
                    })}}}};
}

}  // namespace skt::normaliser_moments_group
