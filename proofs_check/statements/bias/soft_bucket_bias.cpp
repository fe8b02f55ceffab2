#include "proofs_check/inequalities/random_and_tight_table_laws.hpp"
#include "proofs_check/laws/quad.hpp"
#include "proofs_check/statements/measuring.hpp"

namespace skt::soft_bucket_bias_group {

extern const StatementGroup kGroup = {
    .question = "How far is a soft score from the hard collision indicator, in one table? (eqs. (36) to (39))",
    .notes = R"(p = p_tau(b_q|q), I_j the collision indicator, B the keys of the fullest bucket of this table:

  S002-E36  sum_j |s_j - I_j| = sum_{b_j = b_q} (1 - p) + sum_{b_j != b_q} s_j
  S002-E37  the first sum is at most B(1 - p)
  S002-E38  the second sum is at most B(1 - p)
  S002-E39  both together are at most 2B(1 - p)

Equality in all bounds on I-GRID, where every bucket holds B keys.)",
    .method =
        "Suprema over the laws of random_and_tight_table_laws.hpp, tau > 0. The identity is compared with 1 - p and "
        "the sums in 113-bit arithmetic, as two inequalities up to rounding.",
    .power = "Rounding.",
    .scope = "one table, B its fullest bucket"};

namespace {

// A side of (36) in 113-bit arithmetic: 1 - p(b_q) from the signal of the query, the scores as given.
using Split = Quad (*)(const TableLaw& law, Index table);

Quad own_probability(const TableLaw& law, Index l) {
  Quad p = 1;
  for (Index i = 0; i < law.signal.cols(); ++i)
    p /= 1 + exp(-2 * Quad(std::abs(law.signal(l, i))) / Quad(law.temperature));
  return p;
}
Quad inside(const TableLaw& law, Index l) {
  return Quad(law.collisions.row(l).sum()) * (1 - own_probability(law, l));
}
Quad outside(const TableLaw& law, Index l) {
  Quad sum = 0;
  for (Index j = 0; j < law.scores.cols(); ++j)
    if (law.collisions(l, j) == 0) sum += law.scores(l, j);
  return sum;
}
Quad inside_and_outside(const TableLaw& law, Index l) {
  return inside(law, l) + outside(law, l);
}
Quad a_hundredth_more(const TableLaw& law, Index l) {
  return Quad(1.01) * inside_and_outside(law, l);
}

// A score is a product of P logistic functions of logits 2u/tau. Of each factor sigma(x) <= 1 the two roundings of x,
// at most 0.28 |x|-fold in sigma, exp, sum, quotient and product together lose less than 4 units of 1. The sum of the
// N gaps loses N + 2 units of itself.
double split_rounding(const TableLaw& law, double distance) {
  const double n = law.keys(), planes = real(law.signal.cols());
  return std::numeric_limits<double>::epsilon() * (4 * planes * n + (n + 2) * distance);
}

// (36) of the table that breaks it most; the right side in double loses one unit more.
SidesOfLaw split(Split claimed) {
  return [=](const TableLaw& law) {
    InequalitySides worst{0, 1};
    for (Index l = 0; l < law.tables(); ++l) {
      const double distance = (law.scores.row(l) - law.collisions.row(l)).lpNorm<1>();
      const double right = static_cast<double>(claimed(law, l));
      const double rounding = split_rounding(law, distance) + std::numeric_limits<double>::epsilon() * right;
      worst = worse(worst, neither_exceeds(distance, right, rounding));
    }
    return worst;
  };
}

// The sums of (37) to (39), and their bounds with another right side, a function of B, p and 1 - p.
using Sum = double (*)(const TableLaw& law, Index table);

double inside_sum(const TableLaw& law, Index l) {
  return law.collisions.row(l).sum() * law.missed(l);
}
double outside_sum(const TableLaw& law, Index l) {
  return ((1 - law.collisions.row(l).array()) * law.scores.row(l).array()).sum();
}
double both_sums(const TableLaw& law, Index l) {
  return inside_sum(law, l) + outside_sum(law, l);
}

using Right = double (*)(double occupancy, double own, double missed);
SidesOfLaw bounded(Sum left, Right right) {
  return [=](const TableLaw& law) {
    InequalitySides worst{0, 1};
    for (Index l = 0; l < law.tables(); ++l)
      worst = worse(worst, {left(law, l), right(law.fullest(l), law.own(l), law.missed(l)), law.rounding()});
    return worst;
  };
}

std::vector<NamedLaw> grids() {
  return {grid(0.1), grid(0.5), grid(5)};
}
auto holds(SidesOfLaw sides) {
  return step_holds(std::move(sides), grids(), Equality::open);
}
auto is_attained(SidesOfLaw sides) {
  return step_holds(sides, grids(), Equality::attained);
}

}  // namespace

std::vector<Statement> statements() {
  return {
      {.id = "S002-E36",
       .title = "sum|s_j - I_j| splits at the query's bucket",
       .source = "paper, eq. (36)",
       .quote = "sum_j |s_j - I_j| = sum_{b_j=b_q} |p_tau(b_q|q) - 1| + sum_{b_j!=b_q} p_tau(b_j|q)",
       .measure = holds(split(inside_and_outside)),
       .mutants = {{"1.01 times the right side", holds(split(a_hundredth_more))},
                   {"only the query's bucket", holds(split(inside))},
                   {"only the other buckets", holds(split(outside))}}},
      {.id = "S002-E37",
       .title = "The soft scores of the keys in the query's bucket fall short of 1 by at most B(1 - p) in total",
       .source = "paper, eq. (37)",
       .quote = "For the first term, there are at most B indices in bucket b_q",
       .kind = Kind::inequality,
       .measure = is_attained(inside_sides),
       .mutants = {{"0.98 B", holds(times(0.98, inside_sides))},
                   {"B - 1", holds(bounded(inside_sum, [](double b, double, double m) { return (b - 1) * m; }))},
                   {"(1 - p)^2", holds(bounded(inside_sum, [](double b, double, double m) { return b * m * m; }))}}},
      {.id = "S002-E38",
       .title = "The soft scores of the keys in other buckets are at most B(1 - p) in total",
       .source = "paper, eq. (38)",
       .quote = "sum_{r != b_q} B p_tau(r|q) = B (1 - p_tau(b_q|q))",
       .kind = Kind::inequality,
       .measure = is_attained(outside_sides),
       .mutants = {{"0.98 B", holds(times(0.98, outside_sides))},
                   {"B p", holds(bounded(outside_sum, [](double b, double p, double) { return b * p; }))},
                   {"B(1 - p)/2", holds(bounded(outside_sum, [](double b, double, double m) { return b * m / 2; }))}}},
      {.id = "S002-E39",
       .title = "sum|s_j - I_j| <= 2B(1 - p)",
       .source = "paper, eq. (39)",
       .quote = "sum_j |s_j(q) - I_j| <= 2B (1 - p_tau(b_q|q))",
       .kind = Kind::inequality,
       .measure = is_attained(distance_sides),
       .mutants = {{"1.96 for 2", holds(times(0.98, distance_sides))},
                   {"B(1 - p)", holds(bounded(both_sums, [](double b, double, double m) { return b * m; }))},
                   {"2(B - 1)(1 - p)",
                    holds(bounded(both_sums, [](double b, double, double m) { return 2 * (b - 1) * m; }))}}}};
}

}  // namespace skt::soft_bucket_bias_group
