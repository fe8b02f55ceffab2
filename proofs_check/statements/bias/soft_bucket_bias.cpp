// How far is a soft score from the hard collision indicator, in one table? (eqs. (36) to (39))
//
// With p = p_tau(b_q|q), n_r the keys of bucket r and B = max_r n_r in this table, I_j the collision indicator:
//
// S002-E36  Claim (identity): sum_j |s_j - I_j| = sum_{b_j = b_q} (1 - p) + sum_{b_j != b_q} s_j.
//           Mutants: only the first sum; only the second.
//
// S002-E37  Claim (upper bound): the first sum is at most B(1 - p). Mutants: B - 1; B(1 - p)^2.
//
// S002-E38  Claim (upper bound): the second sum is at most B(1 - p). Mutants: B p; B(1 - p)/2.
//
// S002-E39  Claim (upper bound): both together are at most 2B(1 - p). Mutants: B(1 - p); 2(B - 1)(1 - p).
//
// Equality in all bounds on I-GRID, where every bucket holds B keys. Source: paper, proof of Lemma 11. Scope: any
// table, tau > 0. Method: suprema over the laws of random_and_tight_table_laws.hpp; the identity against 1 - p and the sums in 113-bit
// arithmetic, in units of condition and rounding. Power: rounding.
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <limits>

#include "proofs_check/inequalities/random_and_tight_table_laws.hpp"
#include "proofs_check/statement.hpp"
#include "sim/number.hpp"

namespace skt {
namespace {

using Quad = boost::multiprecision::cpp_bin_float_quad;

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

// A score is a product of P logistic functions of logits 2u/tau. Of each factor sigma(x) <= 1 the two roundings of x,
// at most 0.28 |x|-fold in sigma, exp, sum, quotient and product together lose less than 4 units of 1. The sum of the
// N gaps loses N + 2 units of itself.
double split_rounding(const TableLaw& law, double distance) {
  const double n = law.keys(), planes = real(law.signal.cols());
  return std::numeric_limits<double>::epsilon() * (4 * planes * n + (n + 2) * distance);
}

// |left - right| of (36) in units of its condition and rounding: at most 1 if it is an identity.
SidesOfLaw split(Split claimed) {
  return [=](const TableLaw& law) {
    InequalitySides worst{0, 1};
    for (Index l = 0; l < law.tables(); ++l) {
      const double distance = (law.scores.row(l) - law.collisions.row(l)).lpNorm<1>();
      const Quad gap = abs(Quad(distance) - claimed(law, l));
      worst = worse(worst, {static_cast<double>(gap), split_rounding(law, distance)});
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

}  // namespace

std::vector<Statement> soft_bucket_bias_statements() {
  const auto step = [](std::string id, std::string title, Kind kind,
                       std::function<std::vector<Evidence>(const Context&)> measure, std::vector<Mutant> mutants) {
    return Statement{.id = std::move(id),
                     .title = std::move(title),
                     .source = "paper, proof of Lemma 11",
                     .kind = kind,
                     .scope = "one table, B its fullest bucket",
                     .measure = std::move(measure),
                     .mutants = std::move(mutants)};
  };
  const std::vector<NamedLaw> grids = {grid(0.1), grid(0.5), grid(5)};
  const auto open = [=](SidesOfLaw sides) { return step_holds(std::move(sides), grids, Equality::open); };
  const auto attained = [=](SidesOfLaw sides) { return step_holds(sides, grids, Equality::attained); };
  const Split both = [](const TableLaw& law, Index l) -> Quad { return inside(law, l) + outside(law, l); };
  return {step("S002-E36", "sum|s_j - I_j| splits at the query's bucket", Kind::identity, open(split(both)),
               {{"only the query's bucket", open(split(inside))}, {"only the other buckets", open(split(outside))}}),
          step("S002-E37", "Keys of the query's bucket miss at most B(1 - p)", Kind::inequality, attained(inside_sides),
               {{"B - 1", open(bounded(inside_sum, [](double b, double, double m) { return (b - 1) * m; }))},
                {"(1 - p)^2", open(bounded(inside_sum, [](double b, double, double m) { return b * m * m; }))}}),
          step("S002-E38", "Keys of other buckets gain at most B(1 - p)", Kind::inequality, attained(outside_sides),
               {{"B p", open(bounded(outside_sum, [](double b, double p, double) { return b * p; }))},
                {"B(1 - p)/2", open(bounded(outside_sum, [](double b, double, double m) { return b * m / 2; }))}}),
          step("S002-E39", "sum|s_j - I_j| <= 2B(1 - p)", Kind::inequality, attained(distance_sides),
               {{"B(1 - p)", open(bounded(both_sums, [](double b, double, double m) { return b * m; }))},
                {"2(B - 1)(1 - p)",
                 open(bounded(both_sums, [](double b, double, double m) { return 2 * (b - 1) * m; }))}})};
}

}  // namespace skt
