// How large are the summands X_m = (a_J/p_J) v_J of the sampling estimator and what they are compared with?
//
// Source: paper, proof of Lemma 10, eqs. (25) to (29). S1 = sum a_j ||v_j||, p_j = a_j ||v_j||/S1, y = sum
// a_j v_j. S002-E25  ||X_m|| = S1 for every draw.                Mutants: S1/M; ||v_J|| (the weight
// forgotten). S002-E26  ||y|| <= S1, equal if all values share one direction.   Mutants: S1/sqrt 2; ||y|| >=
// S1/2. S002-E27  ||X_m - y|| <= 2 S1, nearly equal for one small weight opposite to the rest.   Mutants:
// S1; 1.9 S1. S002-E28  ||v_j|| <= ||V||_2, equal for orthogonal values.  Mutants: ||V||_2/1.01; ||V||_2 <=
// max ||v_j||. S002-E29  S1 <= ||V||_2, equal for orthonormal values.      Mutants: ||V||_2/sqrt N;
// ||V||_2/1.01. Method: the supremum of left over right side on random weights and values and on the instance
// of equality. Power: any ratio above one by more than rounding.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "estimators/weighted_output.hpp"
#include "proofs_check/accumulators.hpp"
#include "proofs_check/evidence.hpp"
#include "proofs_check/summands.hpp"
#include "sim/trial_loop.hpp"

namespace skt {
namespace {

// 1 to 12 keys with log-normal weights and values of log-normal length, in 1 to 6 dimensions.
Summands random_summands(Seed seed, std::uint64_t trial) {
  const Index keys = 1 + static_cast<Index>(trial % 12), dim = 1 + static_cast<Index>(trial % 6);
  const auto at = static_cast<std::uint32_t>(trial);
  Vector weights(keys), lengths(keys);
  Matrix values(keys, dim);
  fill_normal(seed, {.trial = at, .row = 0}, {weights.data(), static_cast<std::size_t>(keys)});
  fill_normal(seed, {.trial = at, .row = 1}, {lengths.data(), static_cast<std::size_t>(keys)});
  fill_normal(seed, {.trial = at, .row = 2}, {values.data(), static_cast<std::size_t>(keys * dim)});
  if (trial % 5 == 1) values.rowwise() = values.row(0).eval();  // one direction
  if (trial % 5 == 2) values = (values + 30 * values.row(0).eval().replicate(keys, 1)).eval();  // one cluster
  if (trial % 5 == 3) lengths(0) += 5;                                                          // a needle
  values.array().colwise() *= lengths.array().exp();
  return {weights.array().exp(), values};
}

Summands aligned(const Vector& weights, const Vector& values) {
  return {weights, Matrix(values)};
}

using Ratio = double (*)(const Summands&);

using SummandSides = std::function<Sides(const Summands&)>;
SummandSides times(double factor, Sides (*sides)(const Summands&)) {
  return [=](const Summands& s) {
    Sides changed = sides(s);
    changed.right *= factor;
    return changed;
  };
}

// Supremum of left over right side over random summands, and the instance of equality in a row of its own.
auto holds(const SummandSides& sides, const std::string& extreme, const Summands& extreme_case,
           Equality equality = Equality::open) {
  return [=](const Context& context) {
    const AttainedSupremum random = run_trials(context.trials(20'000), AttainedSupremum{},
                                               [&](std::uint64_t trial, AttainedSupremum& supremum) {
                                                 supremum.add(sides(random_summands(context.seed, trial)),
                                                              [&] { return fmt::format("trial {}", trial); });
                                               });
    return std::vector{supremum("log-normal weights and values, some of them equal or clustered", random),
                       tight(extreme, sides(extreme_case), equality)};
  };
}

double largest_over_draws(const Summands& s, double (*length)(const Summands&, Index)) {
  double largest = 0;
  for (Index j = 0; j < s.weights.size(); ++j) largest = std::max(largest, length(s, j));
  return largest;
}

double summand_to_total(const Summands& s) {
  return largest_over_draws(s, [](const Summands& t, Index j) { return t.draw(j).norm() / t.total; });
}
// |ratio - 1| over random instances must stay within rounding.
auto equal_to_one(Ratio ratio) {
  return [=](const Context& context) {
    const Largest gap =
        run_trials(context.trials(20'000), Largest{}, [&](std::uint64_t trial, Largest& largest) {
          largest.add(std::abs(ratio(random_summands(context.seed, trial)) - 1) / kSummandRounding);
        });
    return std::vector{supremum({"log-normal weights and values", "|left/right - 1| in rounding bounds"},
                                gap.value, 0, gap.trials, gap.in_scope)};
  };
}

Statement line(const std::string& equation, const std::string& title, Kind kind, const std::string& scope,
               std::function<std::vector<Evidence>(const Context&)> measure, std::vector<Mutant> mutants) {
  return {.id = "S002-E" + equation,
          .title = title,
          .source = "paper, eq. (" + equation + ")",
          .kind = kind,
          .scope = scope,
          .measure = std::move(measure),
          .mutants = std::move(mutants)};
}

}  // namespace

std::vector<Statement> sampling_chain_statements() {
  const Summands equal_values = aligned(Vector::Ones(3), Vector::Ones(3));
  const Summands opposite = aligned(Vector{{0.99, 0.01}}, Vector{{1.0, -1.0}});
  const Summands nearly = aligned(Vector{{1 - 1e-9, 1e-9}}, Vector{{1.0, -1.0}});
  const Summands balanced = aligned(Vector{{0.5, 0.5}}, Vector{{1.0, -1.0}});
  const Summands orthonormal{Vector::Ones(4), Matrix::Identity(4, 4)};

  return {
      line("25", "Every summand of T has norm S1", Kind::identity, "v_J != 0", equal_to_one(summand_to_total),
           {{"S1/M with M = 2", equal_to_one([](const Summands& s) { return 2 * summand_to_total(s); })},
            {"the importance weight forgotten",
             equal_to_one([](const Summands& s) { return s.norms.maxCoeff() / s.total; })}}),
      line("26", "The output is no longer than S1", Kind::inequality, "any weights",
           holds(output_sides, "three equal values", equal_values, Equality::attained),
           {{"S1/sqrt 2", holds(times(1 / std::sqrt(2.0), output_sides), "three equal values", equal_values)},
            {"|y| >= S1/2",
             [balanced](const Context&) {
               return std::vector{
                   exact({"I-RAD", "|y|/S1"}, balanced.output.norm() / balanced.total, at_least(0.5))};
             }}}),
      line("27", "A centred summand is no longer than 2 S1", Kind::inequality, "any weights",
           holds(centred_sides, "a = (1 - 1e-9, 1e-9), v = +-1", nearly),
           {{"2 S1 -> S1", holds(times(0.5, centred_sides), "a = (.99, .01), v = +-1", opposite)},
            {"2 S1 -> 1.9 S1", holds(times(0.95, centred_sides), "a = (.99, .01), v = +-1", opposite)}}),
      line("28", "No value is longer than the spectral norm", Kind::inequality, "any values",
           holds(value_sides, "I-ORTHV(4)", orthonormal, Equality::attained),
           {{"|V|_2/1.01", holds(times(1 / 1.01, value_sides), "I-ORTHV(4)", orthonormal)},
            {"|V|_2 <= max|v_j|", holds(
                                      [](const Summands& s) {
                                        const Sides sides = value_sides(s);
                                        return Sides{sides.right, sides.left, sides.rounding};
                                      },
                                      "three equal values", equal_values)}}),
      line("29", "S1 is at most the spectral norm", Kind::inequality, "any weights",
           holds(total_sides, "I-ORTHV(4)", orthonormal, Equality::attained),
           {{"|V|_2/sqrt N", holds(
                                 [](const Summands& s) {
                                   Sides sides = total_sides(s);
                                   sides.right /= std::sqrt(static_cast<double>(s.weights.size()));
                                   return sides;
                                 },
                                 "I-ORTHV(4)", orthonormal)},
            {"|V|_2/1.01", holds(times(1 / 1.01, total_sides), "I-ORTHV(4)", orthonormal)}})};
}

}  // namespace skt
