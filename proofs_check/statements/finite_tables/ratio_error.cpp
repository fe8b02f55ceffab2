// How far is y_tauL = n~/Z~ from y_tau = n_tau/Z_tau? (Lemma 9, step by step)
//
// S002-E22  equality for scalar values; the paper prints a hat for a tilde
// S002-E23  at most (2/Z_tau,min)|n~ - n_tau| + (2|V| sqrt(B)/Z_tau,min^2)|Z~ - Z_tau|
// S002-E24  putting Lemma 8 into (23) gives C = 4 sqrt(2B)/Z_tau,min + sqrt(2) B^1.5/Z_tau,min^2
//
// Method: small random and structured instances and few tables through the estimators; (21) and (24) against their
//         right sides in 113-bit arithmetic, in units of condition and rounding; for (23) also nineteen keys of value 0
//         against nine, met by one table so that Z~ = Z_tau/2.
// Power: rounding.
#include <fmt/format.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <limits>
#include <numbers>

#include "estimators/weighted_output.hpp"
#include "proofs_check/evidence.hpp"
#include "proofs_check/inequalities/ratio_proof_steps.hpp"
#include "proofs_check/laws/exact_population.hpp"
#include "proofs_check/laws/paper_error_bounds.hpp"
#include "proofs_check/laws/table_scores.hpp"
#include "proofs_check/statement.hpp"
#include "proofs_check/trial_accumulators.hpp"
#include "sim/families.hpp"
#include "sim/number.hpp"
#include "sim/trial_loop.hpp"

namespace skt {
namespace {

constexpr double kUnit = std::numeric_limits<double>::epsilon();

// Four to six keys of five families, one to three value coordinates, one to three tables of one or two planes.
constexpr InstanceFamily kFamilies[] = {InstanceFamily::gaussian, InstanceFamily::clustered, InstanceFamily::needle,
                                        InstanceFamily::rotary_low_rank, InstanceFamily::attention_sink};

Instance random_instance(const Context& context, std::uint32_t trial) {
  const Index keys = 4 + trial % 3;
  const Index turn = trial / std::size(kFamilies) % 5;
  const Index value_dim = turn > 2 ? 1 : 1 + turn;  // three in five are scalar
  const FamilyParameters family{.family = kFamilies[trial % std::size(kFamilies)],
                                .keys = keys,
                                .dim = 4,
                                .value_dim = value_dim,
                                .clusters = 2,
                                .key_rank = 2,
                                .sinks = 1};
  return make_instance(family, context.seed, trial);
}

struct RandomRatio {
  DrawnRatio ratio;
  std::string name;
};
RandomRatio random_ratio(const Context& context, std::uint32_t trial) {
  const Instance instance = random_instance(context, trial);
  const Index tables = 1 + trial % 3;
  const Index planes = 1 + trial % 2;
  const SoftSetting setting{tables, planes, {0.2}};
  const Population population = population_of(instance, setting.planes, 0.2);
  return {{finite_tables(rescaled_weights(context, instance, setting, trial), instance.values),
           finite_tables(population.soft, instance.values), real(instance.num_keys()), spectral_norm(instance.values)},
          fmt::format("{} L={} P={}, trial {}", instance.name, setting.tables, setting.planes, trial)};
}

using Quad = boost::multiprecision::cpp_bin_float_quad;

// One coordinate of (21) in 113-bit arithmetic on the numerators and normalisers as given.
struct QuadRatio {
  Quad n_drawn, n_tau, z_drawn, z_tau;
};
using Terms = Quad (*)(const QuadRatio&);
using RatioSides = std::function<InequalitySides(const DrawnRatio&)>;

auto decomposition(Terms claimed) {
  return [claimed](const Context& context) -> std::vector<Evidence> {
    const Largest worst = run_trials(context.trials(1'000), Largest{}, [&](std::uint32_t trial, Largest& l) {
      const DrawnRatio r = random_ratio(context, trial).ratio;
      const Vector left = r.difference();
      for (Index c = 0; c < left.size(); ++c) {
        const QuadRatio q{r.drawn.numerator(c), r.population.numerator(c), r.drawn.normaliser, r.population.normaliser};
        // Two quotients and a difference, each right to half a unit: the condition is the sum of the quotients.
        const Quad allowed = 2 * kUnit * (abs(q.n_drawn / q.z_drawn) + abs(q.n_tau / q.z_tau));
        l.add(Quad(abs(Quad(left(c)) - claimed(q)) / allowed).convert_to<double>());
      }
    });
    return {supremum(
        {"4 to 6 keys of five families, L = 1 .. 3", "|left - right| of (21) in units of its condition and rounding"},
        worst.value, 0, worst.trials, worst.in_scope)};
  };
}

Evidence largest_ratio(const Context& context, const RatioSides& sides, double least_mass) {
  const AttainedSupremum worst =
      run_trials(context.trials(1'000), AttainedSupremum{}, [&](std::uint32_t trial, AttainedSupremum& s) {
        const RandomRatio r = random_ratio(context, trial);
        if (r.ratio.drawn.normaliser >= least_mass * r.ratio.population.normaliser)
          s.add(sides(r.ratio), [&] { return r.name; });
        else
          s.add_out_of_scope();
      });
  return supremum("4 to 6 keys of five families, L = 1 .. 3", worst);
}

// Two keys with the values +1 and -1, met by one of two tables: both terms of (22) point the same way.
DrawnRatio scalar_values() {
  const Matrix values = (Matrix(2, 1) << 1, -1).finished();
  return {finite_tables(Vector{{0.5, 0.0}}, values), finite_tables(Vector{{0.5, 0.25}}, values), 1, std::sqrt(2.0)};
}

auto triangle(RatioSides sides, Equality equality) {
  return [=](const Context& context) -> std::vector<Evidence> {
    return {largest_ratio(context, sides, 0),
            tight("values +1, -1 with s = (.5, 0), w_tau = (.5, .25)", sides(scalar_values()), equality)};
  };
}

// Nineteen keys of value 0 at 0.1 pi to the query, nine of value 1 opposite to them: Z_tau = 19*0.9 + 9*0.1 = 18 as
// tau -> 0 with one plane. The plane w below separates them with the query on the side of the nine, so Z~ = 9. No
// half-plane holds more than B = 19, |V| = 3, n_tau = 0.9.
DrawnRatio half_of_the_mass(const Context& context) {
  constexpr double kTheta = 0.1 * std::numbers::pi;
  Instance instance{"19 keys against 9", Vector::Unit(2, 0), Matrix(28, 2), Matrix::Zero(28, 1)};
  instance.keys.topRows(19).rowwise() = Eigen::RowVector2d(std::cos(kTheta), std::sin(kTheta));
  instance.keys.bottomRows(9).rowwise() = -Eigen::RowVector2d(std::cos(kTheta), std::sin(kTheta));
  instance.values.bottomRows(9).setOnes();
  const Hyperplanes table{1, 1, 2, (Matrix(1, 2) << 0.2, -1).finished()};  // w.q = 0.2, w.k = 0.2 cos - sin < 0
  const FiniteTables drawn = finite_tables(rescaled_weights(context, instance, table, {1e-12}), instance.values);
  return {drawn, {18, Vector::Constant(1, 0.9), Vector::Constant(1, 0.05)}, 19, 3};
}

auto on_enough_mass(RatioSides sides) {
  return [=](const Context& context) -> std::vector<Evidence> {
    const DrawnRatio r = half_of_the_mass(context);
    return {largest_ratio(context, sides, 0.5),
            tight("19 keys of value 0 against 9 of value 1, Z~ = Z_tau/2", sides(r), Equality::open)};
  };
}

// The same left side with another right side.
RatioSides with(double (*right)(const DrawnRatio&)) {
  return [=](const DrawnRatio& r) { return InequalitySides{r.difference().norm(), right(r), r.rounding()}; };
}

using Constant = Quad (*)(const Quad& b, const Quad& z);

// All terms are positive, so the condition is 1: half a unit for each of at most 16 operations on the way to the sum
// and from there, and less than one unit for each of the three logarithms' roots.
constexpr double kConstantRounding = 12 * kUnit;

auto constant_of_lemma9(Constant claimed) {
  return [claimed](const Context& context) -> std::vector<Evidence> {
    const Largest worst = run_trials(context.trials(1'000), Largest{}, [&](std::uint32_t trial, Largest& l) {
      double u[2];
      fill_uniform(context.seed, {.trial = trial}, u);
      const BoundConstants c{.occupancy = 1 + 100 * u[0], .population_mass = (1 + 100 * u[0]) * u[1]};
      const double put_in =
          2 / c.population_mass * numerator_bound(c, 1, 0.1) +
          2 * std::sqrt(c.occupancy) / (c.population_mass * c.population_mass) * normaliser_bound(c, 1, 0.1);
      const Quad left = put_in / std::sqrt(std::log(4 / 0.1));
      const Quad right = claimed(c.occupancy, c.population_mass);
      l.add(Quad(abs(left - right) / (kConstantRounding * right)).convert_to<double>());
    });
    return {supremum({"B = 1 .. 101, Z_tau,min <= B", "|(23) with Lemma 8 - C| in units of its condition and rounding"},
                     worst.value, 0, worst.trials, worst.in_scope)};
  };
}

Quad eq21(const QuadRatio& q) {
  return (q.n_drawn - q.n_tau) / q.z_drawn + q.n_tau * (1 / q.z_drawn - 1 / q.z_tau);
}
Quad eq24(const Quad& b, const Quad& z) {
  return 4 * sqrt(2 * b) / z + sqrt(2 * b) * b / (z * z);
}

// The right sides of the mutants of (22) and (23).
double population_mass_in_first_term(const DrawnRatio& r) {
  return r.numerator_gap().norm() / r.population.normaliser +
         r.population.numerator.norm() * r.mass_gap() / (r.drawn.normaliser * r.population.normaliser);
}
double first_term_only(const DrawnRatio& r) {
  return r.numerator_gap().norm() / r.drawn.normaliser;
}
double without_twos(const DrawnRatio& r) {
  const double z = r.population.normaliser;
  return r.numerator_gap().norm() / z + r.spectral_norm * std::sqrt(r.occupancy) / (z * z) * r.mass_gap();
}
double first_bound_only(const DrawnRatio& r) {
  return 2 / r.population.normaliser * r.numerator_gap().norm();
}

}  // namespace

std::vector<Statement> ratio_error_statements() {
  return {
      {.id = "S002-E21",
       .title = "y_tauL - y_tau = (n~ - n_tau)/Z~ + n_tau(1/Z~ - 1/Z_tau)",
       .source = "paper, eq. (21)",
       .kind = Kind::identity,
       .scope = "Z~ > 0",
       .measure = decomposition(eq21),
       .mutants = {{"minus n_tau(..)", decomposition([](const QuadRatio& q) -> Quad {
                      return (q.n_drawn - q.n_tau) / q.z_drawn - q.n_tau * (1 / q.z_drawn - 1 / q.z_tau);
                    })},
                   {"1/Z_tau in the first term", decomposition([](const QuadRatio& q) -> Quad {
                      return (q.n_drawn - q.n_tau) / q.z_tau + q.n_tau * (1 / q.z_drawn - 1 / q.z_tau);
                    })}}},
      {.id = "S002-E22",
       .title = "|y_tauL - y_tau| <= |n~ - n_tau|/Z~ + |n_tau||Z~ - Z_tau|/(Z~ Z_tau)",
       .source = "paper, eq. (22)",
       .kind = Kind::inequality,
       .scope = "Z~ > 0",
       .measure = triangle(triangle_sides, Equality::attained),
       .mutants = {{"Z_tau for Z~ in the first term", triangle(with(population_mass_in_first_term), Equality::open)},
                   {"no second term", triangle(with(first_term_only), Equality::open)}}},
      {.id = "S002-E23",
       .title = "The same with Z_tau,min/2 for Z~ and |V| sqrt(B) for |n_tau|",
       .source = "paper, eq. (23)",
       .kind = Kind::inequality,
       .scope = "Z~ >= Z_tau,min/2; B almost sure",
       .measure = on_enough_mass(enough_mass_sides),
       .mutants = {{"without the 2's", on_enough_mass(with(without_twos))},
                   {"no second term", on_enough_mass(with(first_bound_only))}}},
      {.id = "S002-E24",
       .title = "The constant of Lemma 9",
       .source = "paper, eq. (24)",
       .kind = Kind::identity,
       .scope = "B, Z_tau,min > 0",
       .measure = constant_of_lemma9(eq24),
       .mutants = {{"2 sqrt(2B)", constant_of_lemma9([](const Quad& b, const Quad& z) -> Quad {
                      return 2 * sqrt(2 * b) / z + sqrt(2 * b) * b / (z * z);
                    })},
                   {"B for B^1.5", constant_of_lemma9([](const Quad& b, const Quad& z) -> Quad {
                      return 4 * sqrt(2 * b) / z + sqrt(Quad(2)) * b / (z * z);
                    })}}}};
}

}  // namespace skt
