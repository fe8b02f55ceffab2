#include "proofs_check/inequalities/random_and_tight_table_laws.hpp"
#include "proofs_check/laws/quad.hpp"
#include "proofs_check/laws/table_scores.hpp"
#include "proofs_check/statements/measuring.hpp"

namespace skt::table_sums_group {

extern const StatementGroup kGroup = {
    .question =
        "How large are the sums over one table, and do they add up to the estimate? (Appendix B.1, eqs. (9), (11) to "
        "(14))",
    .notes = R"(Z^(l) = sum_j s_j and n^(l) = V^T s of table l, w~ the mean of s over L tables.

S002-E9   equality on I-GRID
S002-E13  equality for scores of 0 and 1
S002-E14  equality for copies of the query with equal values as tau -> 0)",
    .method =
        "Suprema over the laws of random_and_tight_table_laws.hpp. The identities are compared with sums in 113-bit "
        "arithmetic, as two inequalities up to the rounding that their condition number allows.",
    .power = "Rounding.",
    .scope = "any tables, tau > 0; B the fullest bucket of the table"};

namespace {

// L tables on a clustered or Gaussian instance, whose values nearly cancel, so that the condition number matters.
struct Drawn {
  TableLaw law;
  Vector weights;  // w~, from the estimators

  Drawn(const Context& context, std::uint32_t trial) {
    const Index tables = 2 + trial % 5;
    const Index keys = 2 + trial % 20;
    Instance instance = make_instance({.family = trial % 2 == 0 ? InstanceFamily::clustered : InstanceFamily::gaussian,
                                       .keys = keys,
                                       .dim = 6,
                                       .value_dim = 2,
                                       .clusters = 3},
                                      context.seed, trial);
    instance.values.rowwise() -= instance.values.colwise().mean();
    const Hyperplanes drawn = context.estimators.draw(context.seed, trial, tables, 2, 6);
    law = table_law(context, instance, drawn, 0.2);
    weights = rescaled_weights(context, instance, drawn, {0.2});
  }
};

// Sum over the tables and keys of s_j times the factor of the key, over `divisor`, and the sum of absolute values.
struct Sum {
  Quad value = 0, absolute = 0;
};
Sum summed(const Drawn& at, Index first_table, double divisor, const Vector& factors) {
  Sum sum;
  for (Index l = first_table; l < at.law.tables(); ++l)
    for (Index j = 0; j < factors.size(); ++j) {
      const Quad term = Quad(at.law.scores(l, j)) * factors(j) / divisor;
      sum.value += term;
      sum.absolute += abs(term);
    }
  return sum;
}

// A sum of N L terms in double loses (N L + 2) units of the sum of absolute values, the right side in double one.
InequalitySides equal_sums(const Drawn& at, double left, const Sum& right) {
  const double terms = at.law.keys() * real(at.law.tables());
  const Quad allowed = (terms + 3) * std::numeric_limits<double>::epsilon() * right.absolute;
  return neither_exceeds(left, static_cast<double>(right.value), static_cast<double>(allowed));
}

// What is summed of L tables, and over what; true are (L, 0).
struct TablesSummed {
  double divisor;
  Index first;
};
using Summed = TablesSummed (*)(Index tables);
enum class Of { normaliser, numerator };

auto adds_up(Of of, Summed claimed) {
  return [=](const Context& context) -> std::vector<Evidence> {
    const AttainedSupremum worst =
        run_trials(context.trials(2'000), AttainedSupremum{}, [&](std::uint32_t trial, AttainedSupremum& supremum) {
          const Drawn at(context, trial);
          const auto [divisor, first] = claimed(at.law.tables());
          const FiniteTables sums = finite_tables(at.weights, at.law.values);
          const auto add = [&](double left, const Sum& right) {
            supremum.add(equal_sums(at, left, right), [&] { return fmt::format("trial {}", trial); });
          };
          if (of == Of::normaliser) {
            add(sums.normaliser, summed(at, first, divisor, Vector::Ones(at.weights.size())));
          } else {
            for (Index c = 0; c < sums.numerator.size(); ++c)
              add(sums.numerator(c), summed(at, first, divisor, at.law.values.col(c)));
          }
        });
    return {supremum("2 to 6 tables, 2 to 21 keys, either side over the other", worst)};
  };
}

InequalitySides with_bound_of_next_table(const TableLaw& law) {
  InequalitySides worst{0, 1};
  for (Index l = 0; l < law.tables(); ++l)
    worst = worse(worst, {law.scores.row(l).sum(), law.fullest((l + 1) % law.tables()), law.rounding()});
  return worst;
}
InequalitySides square_below_mean_square(const TableLaw& law) {
  InequalitySides sides = square_sides(law);
  sides.right *= sides.right / law.keys();
  return sides;
}
InequalitySides with_longest_value(const TableLaw& law) {
  InequalitySides sides = numerator_sides(law);
  sides.right *= row_norms(law.values).maxCoeff() / law.spectral;
  return sides;
}
InequalitySides without_occupancy(const TableLaw& law) {
  InequalitySides worst = {0, 1};
  for (Index l = 0; l < law.tables(); ++l)
    worst = worse(worst, {law.numerator(l).norm(), law.spectral, law.rounding() * law.spectral});
  return worst;
}

TablesSummed all_over_their_number(Index tables) {
  return {.divisor = real(tables), .first = 0};
}
TablesSummed over_one_in_a_hundred_more(Index tables) {
  return {.divisor = 1.01 * real(tables), .first = 0};
}
TablesSummed undivided(Index) {
  return {.divisor = 1, .first = 0};
}
TablesSummed over_one_less(Index tables) {
  return {.divisor = real(tables - 1), .first = 0};
}
TablesSummed without_the_first(Index tables) {
  return {.divisor = real(tables), .first = 1};
}

}  // namespace

std::vector<Statement> statements() {
  return {
      {.id = "S002-E9",
       .title = "Z^(l) <= B",
       .source = "paper, eq. (9)",
       .quote = "<= B sum_{r=1}^R p_tau(r | q) = B",
       .kind = Kind::inequality,
       .measure = step_holds(normaliser_sides, {grid(0.1), grid(0.5), grid(5), copies(5)}, Equality::attained),
       .mutants = {{"0.98 B", step_holds(times(0.98, normaliser_sides), {grid(0.5)}, Equality::open)},
                   {"B/2", step_holds(times(0.5, normaliser_sides), {grid(0.5)}, Equality::open)},
                   {"the fullest bucket of another table", step_holds(with_bound_of_next_table, {}, Equality::open)}}},
      {.id = "S002-E11",
       .title = "n~ = (1/L) sum n^(l) = V^T w~",
       .source = "paper, eq. (11)",
       .quote = "= (1/L) sum_{l=1}^L n^(l)(q)",
       .measure = adds_up(Of::numerator, all_over_their_number),
       .mutants = {{"1/(1.01 L)", adds_up(Of::numerator, over_one_in_a_hundred_more)},
                   {"no 1/L", adds_up(Of::numerator, undivided)},
                   {"1/(L - 1)", adds_up(Of::numerator, over_one_less)}}},
      {.id = "S002-E12",
       .title = "Z~ = (1/L) sum Z^(l)",
       .source = "paper, eq. (12)",
       .quote = "= (1/L) sum_{l=1}^L Z^(l)(q)",
       .measure = adds_up(Of::normaliser, all_over_their_number),
       .mutants = {{"1/(1.01 L)", adds_up(Of::normaliser, over_one_in_a_hundred_more)},
                   {"no 1/L", adds_up(Of::normaliser, undivided)},
                   {"the first table left out", adds_up(Of::normaliser, without_the_first)}}},
      {.id = "S002-E13",
       .title = "|s^(l)|^2 <= Z^(l)",
       .source = "paper, eq. (13)",
       .quote = "sum_{j=1}^N (s_j(q))^2 <= sum_{j=1}^N s_j(q) = Z(q) <= B",
       .kind = Kind::inequality,
       .measure = step_holds(square_sides, {copies(1), copies(5), two_sided(3, 0.3)}, Equality::attained),
       .mutants = {{"0.98 Z^(l)", step_holds(times(0.98, square_sides), {copies(5)}, Equality::open)},
                   {"(Z^(l))^2/N", step_holds(square_below_mean_square, {two_sided(3, 0.3)}, Equality::open)},
                   {"Z^(l)/2", step_holds(times(0.5, square_sides), {copies(5)}, Equality::open)}}},
      {.id = "S002-E14",
       .title = "|n^(l)| <= |V| sqrt(B)",
       .source = "paper, eq. (14)",
       .quote = "|V^T s(q)| <= |V| |s(q)| <= |V| sqrt(B)",
       .kind = Kind::inequality,
       .measure = step_holds(numerator_sides, {copies(1), copies(100)}, Equality::attained),
       .mutants = {{"0.98 of it", step_holds(times(0.98, numerator_sides), {copies(100)}, Equality::open)},
                   {"max|v_j| for |V|", step_holds(with_longest_value, {copies(100)}, Equality::open)},
                   {"no sqrt(B)", step_holds(without_occupancy, {copies(100)}, Equality::open)}}}};
}

}  // namespace skt::table_sums_group
