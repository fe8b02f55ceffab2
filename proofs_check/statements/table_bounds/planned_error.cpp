#include "estimators/population/weights.hpp"
#include "estimators/tables/table_sums.hpp"
#include "proofs_check/bounds/a_priori_bounds.hpp"
#include "proofs_check/laws/instances/table_cases.hpp"
#include "proofs_check/statements/measuring.hpp"

namespace skt::planned_error_group {

extern const StatementGroup kGroup = {
    .question =
        "Do the bounds that need no table drawn keep their probability? (Corollary 3, Proposition C, Corollary 4(i))",
    .notes = "OWN-3-variance  the exact variance on which Corollary 3 rests",
    .method =
        "The variance by listing all draws of up to five tables with three outcomes. The bounds by exact binomial "
        "sums over tables with two outcomes (laws/table_cases.hpp), with y_tau and other targets. The longest xi on "
        "drawn tables, and on two opposite keys, where it is attained.",
    .power =
        "Exact; Corollary 3 is attained for one table and a jump of probability delta, Proposition C for two signs at "
        "delta = 1/2."};

namespace {

constexpr const char* kScope = "independent tables, positive normalisers; any keys, values, tau, P and target";

// xi with three outcomes of mean 0 in two coordinates.
struct Outcome {
  double chance;
  Vector at;
};
const std::array<Outcome, 3>& three_outcomes() {
  static const std::array<Outcome, 3> outcomes{
      {{0.5, Vector{{1, 0}}}, {0.25, Vector{{-3, 2}}}, {0.25, Vector{{1, -2}}}}};
  return outcomes;
}

// E f(||mean of `tables` xi||^2) for f = x and x^2, over all 3^tables draws.
std::array<double, 2> moments_of_square(Index tables) {
  std::array<double, 2> moments{};
  const auto add = [&](const auto& self, Index left, double chance, const Vector& sum) -> void {
    if (left == 0) {
      const double square = (sum / real(tables)).squaredNorm();
      moments[0] += chance * square;
      moments[1] += chance * square * square;
      return;
    }
    for (const Outcome& outcome : three_outcomes()) self(self, left - 1, chance * outcome.chance, sum + outcome.at);
  };
  add(add, tables, 1, Vector::Zero(2));
  return moments;
}

using Variance = double (*)(double kurtosis, double t1, double t2, double tables);
auto variance_is(Variance claimed) {
  return [claimed](const Context&) {
    Matrix covariance = Matrix::Zero(2, 2);
    double fourth = 0;
    for (const Outcome& outcome : three_outcomes()) {
      covariance += outcome.chance * outcome.at * outcome.at.transpose();
      fourth += outcome.chance * std::pow(outcome.at.squaredNorm(), 2);
    }
    const double t1 = covariance.trace(), t2 = covariance.squaredNorm();
    std::vector<Evidence> evidence;
    for (const Index tables : {1, 2, 3, 5}) {
      const auto [mean, square] = moments_of_square(tables);
      // 3^5 terms of up to 13^2, all positive.
      evidence.push_back(exact({fmt::format("three outcomes, L={}", tables), "Var ||xibar||^2"}, square - mean * mean,
                               equals(claimed(fourth / (t1 * t1), t1, t2, real(tables)), 1e-12)));
    }
    return evidence;
  };
}

double variance(double kurtosis, double t1, double t2, double l) {
  return ((kurtosis - 1) * t1 * t1 + 2 * (l - 1) * t2) / (l * l * l);
}
double larger_t2(double kurtosis, double t1, double t2, double l) {
  return variance(kurtosis, t1, 1.02 * t2, l);
}
double every_pair_twice(double kurtosis, double t1, double t2, double l) {
  return ((kurtosis - 1) * t1 * t1 + 2 * l * t2) / (l * l * l);
}

auto keeps_delta(const RadiusOfCase& radius) {
  return [radius](const Context&) -> std::vector<Evidence> {
    const std::vector<double> shifts{-3, -1, -0.3, 0.3, 1, 3};
    return {largest_miss("two signs, delta .45 to .55", two_sign_cases(), radius),
            largest_miss("10 to 2000 signs", many_sign_cases(), radius),
            largest_miss("jumps of probability 1e-4 to .06, L = 1, 4, 60", jump_cases(), radius),
            largest_miss("two outcomes of N and D, L = 2 to 60", uneven_cases(), radius),
            largest_miss("jumps, another target", shifted(jump_cases(), shifts), radius),
            largest_miss("two outcomes of N and D, another target", shifted(uneven_cases(), shifts), radius)};
  };
}

// Corollary 3 with its inputs tampered with.
struct Inputs {
  TargetMoments at;
  double kurtosis;
  double delta;
};
using Tampering = void (*)(Inputs& inputs);
RadiusOfCase planned(Tampering tamper) {
  return [tamper](const TableSums&, const TableCase& at, const TargetMoments& moments) {
    Inputs inputs{moments, at.law.kurtosis(), at.delta};
    tamper(inputs);
    return a_priori_bound(inputs.at, inputs.kurtosis, real(at.tables), inputs.delta);
  };
}
void as_it_is(Inputs&) {}
void constant_length(Inputs& inputs) {
  inputs.kurtosis = 1;
}
void k2_times(Inputs& inputs, double factor) {
  inputs.delta = 1 / (1 + factor * (1 - inputs.delta) / inputs.delta);
}
void smaller_factor(Inputs& inputs) {
  k2_times(inputs, 0.98);
}
void pairs_counted_once(Inputs& inputs) {
  inputs.at.trace_of_square /= 2;
}
void fixed_along_the_offset(Inputs& inputs) {
  inputs.at.covariance.setZero();
}
void larger_covariance(Inputs& inputs) {
  inputs.at.with_normaliser *= 1.1;
}
void opposite_covariance(Inputs& inputs) {
  inputs.at.with_normaliser *= -1;
}

// Proposition C with T1 times a factor.
RadiusOfCase chebyshev(double factor) {
  return [factor](const TableSums&, const TableCase& at, TargetMoments moments) {
    moments.trace *= factor;
    return chebyshev_bound(moments, real(at.tables), at.delta);
  };
}

// The largest ||xi||/R over the tables that the estimators under test draw.
double longest_over_bound(const Context& context, const Instance& instance, const PopulationParameters& p,
                          const PopulationParameters& claimed, std::uint32_t trial) {
  constexpr Index kTables = 64;
  const TableMoments moments = table_moments(p, instance);
  const Hyperplanes drawn = context.estimators.draw(context.seed, trial, kTables, p.planes, instance.dim());
  const TableSums sums = table_sums(drawn, context.estimators.hash(drawn, instance.keys), instance.query,
                                    instance.values, {p.temperature, p.scaling});
  const Matrix residuals = sums.numerators - sums.normalisers * moments.output.transpose();
  return residuals.rowwise().norm().maxCoeff() / moments.mass / largest_table_norm(instance, moments, claimed);
}

// The bound for a temperature other than that of the tables.
auto longest(double warmer) {
  return [=](const Context& context) -> std::vector<Evidence> {
    constexpr double kRounding = 1e-10;  // of the population output and of sums over 40 keys
    Largest opposite, random;
    const auto claimed = [&](PopulationParameters p) {
      p.temperature *= warmer;
      return p;
    };
    for (const double temperature : {0.2, 1.0}) {
      const Instance instance =
          make_instance({.family = InstanceFamily::two_sided, .dim = 4, .query_norm = 1e3}, context.seed, 0);
      const PopulationParameters p = population_parameters(instance, 1, temperature, Scaling::none);
      opposite.add(longest_over_bound(context, instance, p, claimed(p), 0));
    }
    for (std::uint32_t trial = 1; trial <= 8; ++trial) {
      const Instance instance = make_instance({.keys = 5 * trial, .dim = 8, .value_dim = 3}, context.seed, trial);
      const PopulationParameters p =
          population_parameters(instance, 1 + trial % 3, 0.1 * trial, Scaling::inverse_sqrt_dim);
      random.add(longest_over_bound(context, instance, p, claimed(p), trial));
    }
    return {supremum({"two opposite keys across the query, |q| = 1e3", "||xi||/R"}, opposite.value, kRounding,
                     opposite.trials, opposite.in_scope),
            supremum({"8 Gaussian instances of 5 to 40 keys", "||xi||/R"}, random.value, kRounding, random.trials,
                     random.in_scope)};
  };
}

}  // namespace

std::vector<Statement> statements() {
  return {{.id = "OWN-3-variance",
           .title = "Var ||xibar||^2 = ((kappa - 1) T1^2 + 2(L - 1) T2)/L^3",
           .source = "docs/bounds/planned_tables.md, Corollary 3",
           .scope = "independent xi_l of mean 0",
           .measure = variance_is(variance),
           .mutants = {{"1.02 T2", variance_is(larger_t2)}, {"2 L T2", variance_is(every_pair_twice)}}},
          {.id = "OWN-3",
           .title = "|y_tauL - y| <= r, the larger root of Corollary 3, except with probability delta",
           .source = "docs/bounds/planned_tables.md, Corollary 3",
           .kind = Kind::high_probability,
           .scope = kScope,
           .measure = keeps_delta(planned(as_it_is)),
           .mutants = {{"k^2 -> .98 k^2", keeps_delta(planned(smaller_factor))},
                       {"kappa - 1 -> 0", keeps_delta(planned(constant_length))},
                       {"2(L-1) -> L-1", keeps_delta(planned(pairs_counted_once))},
                       {"no 4 mu^T Sigma mu/L", keeps_delta(planned(fixed_along_the_offset))},
                       {"Cov(zeta, D') 10% larger", keeps_delta(planned(larger_covariance))},
                       {"-Cov(zeta, D')", keeps_delta(planned(opposite_covariance))}}},
          {.id = "OWN-C",
           .title = "|y_tauL - y| <= sqrt(m)/(sqrt(delta) - c/sqrt(L)) except with probability delta",
           .source = "docs/bounds/planned_tables.md, Proposition C",
           .kind = Kind::high_probability,
           .scope = kScope,
           .measure = keeps_delta(chebyshev(1)),
           .mutants = {{"T1 -> .98 T1", keeps_delta(chebyshev(0.98))}, {"T1 -> T1/2", keeps_delta(chebyshev(0.5))}}},
          {.id = "OWN-4i",
           .title = "|xi_l| <= R for every table that can be drawn",
           .source = "docs/bounds/planned_tables.md, Corollary 4(i)",
           .kind = Kind::inequality,
           .scope = "any table",
           .measure = longest(1),
           .mutants = {{"t = tanh(.97/(tau sqrt(d)))", longest(1 / 0.97)},
                       {"t = tanh(.8/(tau sqrt(d)))", longest(1 / 0.8)}}}};
}

}  // namespace skt::planned_error_group
