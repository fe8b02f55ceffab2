// How far are the population weights from the angular ones? (eqs. (40) to (43))
//
// eps = epsilon_tau, B the almost-sure occupancy (known exactly on every instance here). Where a bound is attained:
//
//   S002-E40               I-ANTI
//   S002-E41               one key
//   S002-E41-sharper       I-ANTI
//   S002-E41-largest-gap   I-ANTI
//   S002-E42               nowhere
//   S002-E42-sharper       copies of the query
//   S002-E43               copies of the query
//
// Method: quadrature on the instances of bias_cases.hpp, no Monte Carlo.
// Power: the error of the quadrature.
#include <cmath>

#include "proofs_check/inequalities/bias_proof_steps.hpp"
#include "proofs_check/statement.hpp"

namespace skt {
namespace {

using C = const BiasCase&;

constexpr const char* kScope = "B bounds every bucket of every table that can be drawn";

Statement sum_of_gaps() {
  return {.id = "S002-E40",
          .title = "|w_tau - w|_1 <= 2B eps",
          .source = "paper, eq. (40)",
          .kind = Kind::inequality,
          .scope = kScope,
          .measure = bounded_bias(weight_gap_1, twice_b_eps, Equality::attained),
          .mutants = {{"1.9 B eps", bounded_bias(weight_gap_1, [](C c) { return 1.9 * c.occupancy * c.epsilon(); })},
                      {"2 eps", bounded_bias(weight_gap_1, [](C c) { return 2 * c.epsilon(); })}}};
}

Statement norm_by_sum_of_gaps() {
  return {.id = "S002-E41",
          .title = "|w_tau - w|_2 <= |w_tau - w|_1",
          .source = "paper, eq. (41)",
          .kind = Kind::inequality,
          .scope = kScope,
          .measure = bounded_bias(weight_gap_2, weight_gap_1, Equality::attained),
          .mutants = {
              {"|.|_1/sqrt(2)",
               bounded_bias(weight_gap_2, [](C c) { return c.weight_gap().lpNorm<1>() / std::sqrt(2.0); })},
              {"|.|_inf", bounded_bias(weight_gap_2, [](C c) { return c.weight_gap().lpNorm<Eigen::Infinity>(); })}}};
}

Statement norm_of_gaps() {
  return {.id = "S002-E41-sharper",
          .title = "|w_tau - w|_2 <= sqrt(2B) eps",
          .source = "derived from paper, eq. (41)",
          .kind = Kind::inequality,
          .scope = kScope,
          .measure = bounded_bias(weight_gap_2, root_2b_eps, Equality::attained),
          .mutants = {{"sqrt(B)", bounded_bias(weight_gap_2, [](C c) { return std::sqrt(c.occupancy) * c.epsilon(); })},
                      {"1.3 sqrt(B)",
                       bounded_bias(weight_gap_2, [](C c) { return 1.3 * std::sqrt(c.occupancy) * c.epsilon(); })}}};
}

Statement largest_gap() {
  return {.id = "S002-E41-largest-gap",
          .title = "|w_tau - w|_inf <= eps",
          .source = "derived from paper, eq. (41)",
          .kind = Kind::inequality,
          .scope = kScope,
          .measure = bounded_bias(weight_gap_max, only_eps, Equality::attained),
          .mutants = {{"0.9 eps", bounded_bias(weight_gap_max, [](C c) { return 0.9 * c.epsilon(); })},
                      {"eps^2", bounded_bias(weight_gap_max, [](C c) { return c.epsilon() * c.epsilon(); })}}};
}

Statement gap_of_masses() {
  return {.id = "S002-E42",
          .title = "|Z - Z_tau| <= 2B eps",
          .source = "paper, eq. (42)",
          .kind = Kind::inequality,
          .scope = kScope,
          .measure = bounded_bias(mass_gap, twice_b_eps),
          .mutants = {{"0.9 B eps", bounded_bias(mass_gap, [](C c) { return 0.9 * c.occupancy * c.epsilon(); })},
                      {"2 eps", bounded_bias(mass_gap, [](C c) { return 2 * c.epsilon(); })}}};
}

Statement gap_of_masses_sharper() {
  return {.id = "S002-E42-sharper",
          .title = "|Z - Z_tau| <= B eps",
          .source = "derived from paper, eq. (42)",
          .kind = Kind::inequality,
          .scope = kScope,
          .measure = bounded_bias(mass_gap, once_b_eps, Equality::attained),
          .mutants = {{"0.95 B eps", bounded_bias(mass_gap, [](C c) { return 0.95 * c.occupancy * c.epsilon(); })},
                      {"eps", bounded_bias(mass_gap, [](C c) { return c.epsilon(); })}}};
}

Statement norm_of_angular_weights() {
  return {.id = "S002-E43",
          .title = "|w|_2 <= sqrt(Z)",
          .source = "paper, eq. (43)",
          .kind = Kind::inequality,
          .scope = kScope,
          .measure = bounded_bias(angular_norm, root_of_mass, Equality::attained),
          .mutants = {{"1", bounded_bias(angular_norm, [](C) { return 1.0; })},
                      {"sqrt(Z/2)", bounded_bias(angular_norm, [](C c) { return std::sqrt(c.p.angular_mass / 2); })}}};
}

}  // namespace

std::vector<Statement> population_bias_statements() {
  return {sum_of_gaps(),   norm_by_sum_of_gaps(),   norm_of_gaps(),           largest_gap(),
          gap_of_masses(), gap_of_masses_sharper(), norm_of_angular_weights()};
}

}  // namespace skt
