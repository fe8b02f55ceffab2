#include "proofs_check/inequalities/bias_proof_steps.hpp"
#include "proofs_check/inequalities/random_and_tight_table_laws.hpp"
#include "proofs_check/statements/measuring.hpp"

namespace skt::population_bias_group {

extern const StatementGroup kGroup = {
    .question = "How far are the population weights from the angular ones? (eqs. (40) to (43))",
    .notes = R"(
eps = epsilon_tau, B the almost-sure occupancy (known exactly on every instance here). Where a bound is attained:

  S002-E40               I-ANTI
  S002-E40-own-buckets   I-GRID, and where the fullest bucket belongs to a table that is sure of the query's bucket, so
                         that (40) with one B for all tables is 2 times as much as is needed
  S002-E41               one key
  S002-E41-sharper       I-ANTI
  S002-E41-largest-gap   I-ANTI
  S002-E42               nowhere: half of it is, on copies of the query
  S002-E42-sharper       copies of the query
  S002-E43               copies of the query)",
    .method =
        "Quadrature on the instances of bias_cases.hpp, without Monte Carlo. With the buckets of each table, exact "
        "sums on the finite laws of random_and_tight_table_laws.hpp.",
    .power = "The error of the quadrature; for the finite laws, rounding.",
    .kind = Kind::inequality,
    .scope = "B bounds every bucket of every table that can be drawn"};

namespace {

using C = const BiasCase&;

Measure with_own_buckets(SidesOfLaw sides, Equality equality) {
  return step_holds(
      std::move(sides),
      {grid(0.5), opposite(5), sure_and_unsure(SureTable::quarters), sure_and_unsure(SureTable::holds_all)}, equality);
}

// E[B_l] eps, as if fullness and doubt were uncorrelated; and the fullest bucket of one table for all.
InequalitySides product_of_means(const TableLaw& law) {
  InequalitySides sides = of_population(weight_gap_1, twice_occupied_miss)(law);
  sides.right = 2 * law.fullest.dot(law.probability) * law.missed.dot(law.probability);
  return sides;
}
InequalitySides bucket_of_one_table(const TableLaw& law) {
  InequalitySides sides = of_population(weight_gap_1, twice_occupied_miss)(law);
  sides.right = 2 * law.fullest(0) * law.missed.dot(law.probability);
  return sides;
}

Statement sum_of_gaps_by_own_buckets() {
  const SidesOfLaw sides = of_population(weight_gap_1, twice_occupied_miss);
  return {.id = "S002-E40-own-buckets",
          .title = "|w_tau - w|_1 <= 2 E[B_l (1 - p_l)], B_l the fullest bucket of each table alone",
          .source = "derived from paper, eqs. (39) and (40)",
          .scope = "any tables",
          .measure = with_own_buckets(sides, Equality::attained),
          .mutants = {{"1.96 for 2", with_own_buckets(times(0.98, sides), Equality::open)},
                      {"E[B_l] eps for E[B_l (1 - p_l)]", with_own_buckets(product_of_means, Equality::open)},
                      {"the fullest bucket of one table", with_own_buckets(bucket_of_one_table, Equality::open)}},
          .remark = "For the bias, B need not hold almost surely: (39) holds with each table's own B."};
}

}  // namespace

std::vector<Statement> statements() {
  return {
      {.id = "S002-E40",
       .title = "|w_tau - w|_1 <= 2B eps",
       .source = "paper, eq. (40)",
       .quote = "<= 2B E[1 - p_tau(b_q|q)] = 2B eps_tau(q)",
       .measure = bounded_bias(weight_gap_1, twice_b_eps, Equality::attained),
       .mutants = {{"1.96 B eps", bounded_bias(weight_gap_1, [](C c) { return 1.96 * c.occupancy * c.epsilon(); })},
                   {"2 eps", bounded_bias(weight_gap_1, [](C c) { return 2 * c.epsilon(); })}}},
      sum_of_gaps_by_own_buckets(),
      {.id = "S002-E41",
       .title = "|w_tau - w|_2 <= |w_tau - w|_1",
       .source = "paper, eq. (41)",
       .quote = "|w_tau - w|_2 <= |w_tau - w|_1 <= 2B eps_tau(q)",
       .measure = bounded_bias(weight_gap_2, weight_gap_1, Equality::attained),
       .mutants = {{"0.98 |.|_1", bounded_bias(weight_gap_2, [](C c) { return 0.98 * weight_gap_1(c); })},
                   {"|.|_1/sqrt(2)",
                    bounded_bias(weight_gap_2, [](C c) { return c.weight_gap().lpNorm<1>() / std::sqrt(2.0); })},
                   {"|.|_inf",
                    bounded_bias(weight_gap_2, [](C c) { return c.weight_gap().lpNorm<Eigen::Infinity>(); })}}},
      {.id = "S002-E41-sharper",
       .title = "|w_tau - w|_2 <= sqrt(2B) eps",
       .source = "derived from paper, eq. (41)",
       .measure = bounded_bias(weight_gap_2, root_2b_eps, Equality::attained),
       .mutants = {{"sqrt(B)", bounded_bias(weight_gap_2, [](C c) { return std::sqrt(c.occupancy) * c.epsilon(); })},
                   {"sqrt(1.92 B)",
                    bounded_bias(weight_gap_2, [](C c) { return std::sqrt(1.92 * c.occupancy) * c.epsilon(); })}}},
      {.id = "S002-E41-largest-gap",
       .title = "|w_tau - w|_inf <= eps",
       .source = "derived from paper, eq. (41)",
       .measure = bounded_bias(weight_gap_max, only_eps, Equality::attained),
       .mutants = {{"0.98 eps", bounded_bias(weight_gap_max, [](C c) { return 0.98 * c.epsilon(); })},
                   {"eps^2", bounded_bias(weight_gap_max, [](C c) { return c.epsilon() * c.epsilon(); })}}},
      {.id = "S002-E42",
       .title = "|Z - Z_tau| <= 2B eps",
       .source = "paper, eq. (42)",
       .quote = "sum_j |w_j - w_tau,j| = |w_tau - w|_1 <= 2B eps_tau(q)",
       .measure = bounded_bias(mass_gap, twice_b_eps),
       .mutants = {{"0.98 B eps", bounded_bias(mass_gap, [](C c) { return 0.98 * c.occupancy * c.epsilon(); })},
                   {"2 eps", bounded_bias(mass_gap, [](C c) { return 2 * c.epsilon(); })}}},
      {.id = "S002-E42-sharper",
       .title = "|Z - Z_tau| <= B eps",
       .source = "derived from paper, eq. (42)",
       .measure = bounded_bias(mass_gap, once_b_eps, Equality::attained),
       .mutants = {{"0.98 B eps", bounded_bias(mass_gap, [](C c) { return 0.98 * c.occupancy * c.epsilon(); })},
                   {"eps", bounded_bias(mass_gap, [](C c) { return c.epsilon(); })}}},
      {.id = "S002-E43",
       .title = "|w|_2 <= sqrt(Z)",
       .source = "paper, eq. (43)",
       .quote = "|w|_2^2 = sum_j w_j^2 <= sum_j w_j = Z <= B",
       .measure = bounded_bias(angular_norm, root_of_mass, Equality::attained),
       .mutants = {{"0.98 sqrt(Z)", bounded_bias(angular_norm, [](C c) { return 0.98 * root_of_mass(c); })},
                   {"1", bounded_bias(angular_norm, [](C) { return 1.0; })},
                   {"sqrt(Z/2)", bounded_bias(angular_norm, [](C c) { return std::sqrt(c.p.angular_mass / 2); })}}}};
}

}  // namespace skt::population_bias_group
