#include "proofs_check/inequalities/sampling_summands.hpp"
#include "proofs_check/laws/quad.hpp"
#include "proofs_check/statements/measuring.hpp"

namespace skt::sampling_chain_group {

extern const StatementGroup kGroup = {
    .question =
        "How large are the summands X_m = (a_J/p_J) v_J of the sampling estimator, and what are they compared with?",
    .notes = R"(
S1 = sum a_j |v_j|, p_j = a_j |v_j|/S1, y = sum a_j v_j, |V| the spectral norm; the lines of the proof of Lemma 10:

  S002-E25  |X_m| = S1 for every draw
  S002-E26  |y| <= S1          equal if all values share one direction
  S002-E27  |X_m| + |y| = 2 S1 as printed; corrected, |X_m - y| <= 2 S1, nearly equal for one small weight opposite
            to the rest
  S002-E28  |v_j| <= |V|       equal for orthogonal values
  S002-E29  S1 <= |V|          equal for orthonormal values)",
    .method =
        "The supremum of the ratio of the two sides on random weights and values and on the instance of equality. "
        "(25) is compared with S1 in 113-bit arithmetic, as two inequalities up to rounding.",
    .power = "Any ratio above 1 by more than rounding.",
    .scope = "any weights"};

namespace {

// 1 to 12 keys with log-normal weights and values of log-normal length, in 1 to 6 dimensions.
SamplingSummands random_summands(Seed seed, std::uint32_t trial) {
  const Index keys = 1 + trial % 12, dim = 1 + trial % 6;
  Vector weights(keys), lengths(keys);
  Matrix values(keys, dim);
  fill_normal(seed, {.trial = trial, .row = 0}, std::span(weights.data(), keys));
  fill_normal(seed, {.trial = trial, .row = 1}, std::span(lengths.data(), keys));
  fill_normal(seed, {.trial = trial, .row = 2}, std::span(values.data(), keys * dim));
  if (trial % 5 == 1) values.rowwise() = values.row(0).eval();                                  // one direction
  if (trial % 5 == 2) values = (values + 30 * values.row(0).eval().replicate(keys, 1)).eval();  // one cluster
  if (trial % 5 == 3) lengths(0) += 5;                                                          // a needle
  values.array().colwise() *= lengths.array().exp();
  return {weights.array().exp(), values};
}

SamplingSummands scalar_values(const Vector& weights, const Vector& values) {
  return {weights, Matrix(values)};
}

using SummandSides = std::function<InequalitySides(const SamplingSummands&)>;
SummandSides times(double factor, InequalitySides (*sides)(const SamplingSummands&)) {
  return [=](const SamplingSummands& s) {
    InequalitySides changed = sides(s);
    changed.right *= factor;
    return changed;
  };
}

// Supremum of left over right side over random summands, and the instance of equality in a row of its own.
auto holds(const SummandSides& sides, const std::string& extreme, const SamplingSummands& extreme_case,
           Equality equality = Equality::open) {
  return [=](const Context& context) {
    const AttainedSupremum random =
        run_trials(context.trials(20'000), AttainedSupremum{}, [&](std::uint32_t trial, AttainedSupremum& supremum) {
          supremum.add(sides(random_summands(context.seed, trial)), [&] { return fmt::format("trial {}", trial); });
        });
    return std::vector{supremum("log-normal weights and values, some of them equal or clustered", random),
                       tight(extreme, sides(extreme_case), equality)};
  };
}

Quad total_norm(const SamplingSummands& s) {
  Quad sum = 0;
  for (Index j = 0; j < s.weights.size(); ++j) {
    Quad square = 0;
    for (Index c = 0; c < s.values.cols(); ++c) square += Quad(s.values(j, c)) * s.values(j, c);
    sum += s.weights(j) * sqrt(square);
  }
  return sum;
}

// All terms are positive, so the condition is 1. In half units, with at most 6 coordinates and 12 keys: a norm 4, S1 =
// sum a_j|v_j| another 12, p_j = a_j|v_j|/S1 both and two more, 22; a_j/p_j and its product with the value 24, the norm
// of that 28; and S1 in double one.
constexpr double kSummandNormRounding = 14.5 * std::numeric_limits<double>::epsilon();

using Length = double (*)(const SamplingSummands&, Index key);
double summand_length(const SamplingSummands& s, Index j) {
  return s.draw(j).norm();
}

// The norm of every summand that can be drawn against factor * S1, which is summed in 113-bit arithmetic.
auto of_norm(Length length, double factor) {
  return [=](const Context& context) {
    const AttainedSupremum worst =
        run_trials(context.trials(5'000), AttainedSupremum{}, [&](std::uint32_t trial, AttainedSupremum& supremum) {
          const SamplingSummands s = random_summands(context.seed, trial);
          const double claimed = static_cast<double>(factor * total_norm(s));
          for (Index j = 0; j < s.weights.size(); ++j)
            supremum.add(neither_exceeds_by(kSummandNormRounding, length(s, j), claimed),
                         [&] { return fmt::format("trial {}, key {}", trial, j); });
        });
    return std::vector{supremum("log-normal weights and values, |X_m| and S1, either over the other", worst)};
  };
}

SamplingSummands equal_values() {
  return scalar_values(Vector::Ones(3), Vector::Ones(3));
}
SamplingSummands orthonormal_values() {
  return {Vector::Ones(4), Matrix::Identity(4, 4)};
}

Statement norm_of_the_output() {
  const SamplingSummands balanced = scalar_values(Vector{{0.5, 0.5}}, Vector{{1.0, -1.0}});
  return {.id = "S002-E26",
          .title = "The output is no longer than S1",
          .source = "paper, eq. (26)",
          .quote = "|y_tau,L(q)| = |sum_j a~_j v_j| <= sum_j a~_j |v_j| = S_1",
          .kind = Kind::inequality,
          .measure = holds(output_sides, "three equal values", equal_values(), Equality::attained),
          .mutants = {
              {"0.98 S1", holds(times(0.98, output_sides), "three equal values", equal_values())},
              {"S1/sqrt 2", holds(times(1 / std::sqrt(2.0), output_sides), "three equal values", equal_values())},
              {"|y| >= S1/2", [balanced](const Context&) {
                 return std::vector{exact({"I-RAD", "|y|/S1"}, balanced.output.norm() / balanced.total, at_least(0.5))};
               }}}};
}

// |X_m| + |y| over 2 S1, on values +1 and -1 of equal weight unless they point one way.
auto lengths_add_to(Equality equality, double second) {
  return [=](const Context&) -> std::vector<Evidence> {
    const SamplingSummands s = scalar_values(Vector{{0.5, 0.5}}, Vector{{1.0, second}});
    const double sum = s.draw(0).norm() + s.output.norm();
    return {tight(fmt::format("a = (.5, .5), v = (1, {})", second), {sum, 2 * s.total, kSummandRounding * 2 * s.total},
                  equality)};
  };
}

Statement norm_of_a_centred_summand() {
  const SamplingSummands opposite = scalar_values(Vector{{0.99, 0.01}}, Vector{{1.0, -1.0}});
  const SamplingSummands nearly = scalar_values(Vector{{1 - 1e-9, 1e-9}}, Vector{{1.0, -1.0}});
  return {.id = "S002-E27-corrected",
          .title = "A centred summand is no longer than 2 S1",
          .source = "paper, eq. (27), corrected",
          .kind = Kind::inequality,
          .measure = holds(centred_sides, "a = (1 - 1e-9, 1e-9), v = +-1", nearly),
          .mutants = {{"2 S1 -> S1", holds(times(0.5, centred_sides), "a = (.99, .01), v = +-1", opposite)},
                      {"2 S1 -> 1.96 S1", holds(times(0.98, centred_sides), "a = (1 - 1e-9, 1e-9), v = +-1", nearly)}}};
}

Statement norm_of_a_value() {
  const SummandSides swapped = [](const SamplingSummands& s) {
    const InequalitySides sides = value_sides(s);
    return InequalitySides{sides.right, sides.left, sides.rounding};
  };
  return {.id = "S002-E28",
          .title = "No value is longer than the spectral norm",
          .source = "paper, eq. (28)",
          .quote = "|v_j| = |V^T e_j| <= |e_j| |V| = |V|",
          .kind = Kind::inequality,
          .scope = "any values",
          .measure = holds(value_sides, "I-ORTHV(4)", orthonormal_values(), Equality::attained),
          .mutants = {{"|V|_2/1.01", holds(times(1 / 1.01, value_sides), "I-ORTHV(4)", orthonormal_values())},
                      {"|V|_2 <= max|v_j|", holds(swapped, "three equal values", equal_values())}}};
}

Statement total_of_norms() {
  const SummandSides over_root_of_keys = [](const SamplingSummands& s) {
    InequalitySides sides = total_sides(s);
    sides.right /= std::sqrt(real(s.weights.size()));
    return sides;
  };
  return {.id = "S002-E29",
          .title = "S1 is at most the spectral norm",
          .source = "paper, eq. (29)",
          .quote = "S_1 = sum_j a~_j |v_j| <= |V|",
          .kind = Kind::inequality,
          .measure = holds(total_sides, "I-ORTHV(4)", orthonormal_values(), Equality::attained),
          .mutants = {{"|V|_2/sqrt N", holds(over_root_of_keys, "I-ORTHV(4)", orthonormal_values())},
                      {"|V|_2/1.01", holds(times(1 / 1.01, total_sides), "I-ORTHV(4)", orthonormal_values())}}};
}

}  // namespace

std::vector<Statement> statements() {
  return {{.id = "S002-E25",
           .title = "Every summand of T has norm S1",
           .source = "paper, eq. (25)",
           .quote = "a~_Jm/(a~_Jm |v_Jm|/S_1) |v_Jm| = S_1",
           .scope = "v_J != 0",
           .measure = of_norm(summand_length, 1),
           .mutants = {{"S1/1.01", of_norm(summand_length, 1 / 1.01)},
                       {"S1/M with M = 2", of_norm(summand_length, 0.5)},
                       {"the importance weight forgotten",
                        of_norm([](const SamplingSummands& s, Index j) { return s.norms(j); }, 1)}}},
          norm_of_the_output(),
          {.id = "S002-E27",
           .title = "The lengths of a summand and of the output add to 2 S1",
           .source = "paper, eq. (27)",
           .quote = "|Y_m| <= |X_m| + |y_tau,L(q)| = 2 S_1",
           .measure = lengths_add_to(Equality::attained, -1),
           .controls = {{"they add to at most 2 S1", lengths_add_to(Equality::open, -1)},
                        {"values that point one way", lengths_add_to(Equality::attained, 3)}},
           .expected = Verdict::refuted,
           .severity = Severity::misprint,
           .remark = "The last = is for <=: |y| is at most S1 (26), and 0 for values +1 and -1 of equal weight."},
          norm_of_a_centred_summand(),
          norm_of_a_value(),
          total_of_norms()};
}

}  // namespace skt::sampling_chain_group
