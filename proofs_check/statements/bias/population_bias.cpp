// How far are the population weights from the angular ones? (eqs. (40) to (43))
//
// eps = epsilon_tau, B the almost-sure occupancy (known exactly on every instance here).
// S002-E40  Claim (upper bound): |w_tau - w|_1 <= 2B eps; equality on I-ANTI. Mutants: 1.9 for 2; 2 eps.
//
// S002-E41  Claim (upper bound): |w_tau - w|_2 <= |w_tau - w|_1; equality for one key. Mutants: |.|_1/sqrt(2); |.|_inf.
//
// S002-E41-sharper  Derived: |w_tau - w|_2 <= sqrt(2B) eps; equality on I-ANTI. Mutants: sqrt(B); 1.3 sqrt(B).
//
// S002-E41-largest-gap  Derived: |w_tau - w|_inf <= eps; equality on I-ANTI. Mutants: 0.9 eps; eps^2.
//
// S002-E42  Claim (upper bound): |Z - Z_tau| <= 2B eps. Mutants: 0.9 B eps; 2 eps.
//
// S002-E42-sharper  Derived: |Z - Z_tau| <= B eps; equality for copies of the query. Mutants: 0.95 B; eps.
//
// S002-E43  Claim (upper bound): |w|_2 <= sqrt(Z); equality for copies of the query. Mutants: 1; sqrt(Z/2).
//
// Scope: any keys; B almost sure. Method: quadrature on the instances of bias_cases.hpp, no Monte Carlo. Power: the
// error of the quadrature.
#include <cmath>

#include "proofs_check/inequalities/bias_proof_steps.hpp"
#include "proofs_check/statement.hpp"

namespace skt {
namespace {

using C = const BiasCase&;

Statement bound(std::string id, std::string title, std::string source, BiasSide left, BiasSide right, Equality equality,
                std::vector<std::pair<std::string, BiasSide>> lies) {
  Statement statement{.id = std::move(id),
                      .title = std::move(title),
                      .source = std::move(source),
                      .kind = Kind::inequality,
                      .scope = "B bounds every bucket of every table that can be drawn",
                      .measure = bounded_bias(left, right, equality)};
  for (const auto& [name, lie] : lies) statement.mutants.push_back({name, bounded_bias(left, lie)});
  return statement;
}

}  // namespace

std::vector<Statement> population_bias_statements() {
  return {bound("S002-E40", "|w_tau - w|_1 <= 2B eps", "paper, eq. (40)", weight_gap_1, twice_b_eps, Equality::attained,
                {{"1.9 B eps", [](C c) { return 1.9 * c.occupancy * c.epsilon(); }},
                 {"2 eps", [](C c) { return 2 * c.epsilon(); }}}),
          bound("S002-E41", "|w_tau - w|_2 <= |w_tau - w|_1", "paper, eq. (41)", weight_gap_2, weight_gap_1,
                Equality::attained,
                {{"|.|_1/sqrt(2)", [](C c) { return c.weight_gap().lpNorm<1>() / std::sqrt(2.0); }},
                 {"|.|_inf", [](C c) { return c.weight_gap().lpNorm<Eigen::Infinity>(); }}}),
          bound("S002-E41-sharper", "|w_tau - w|_2 <= sqrt(2B) eps", "derived from paper, eq. (41)", weight_gap_2,
                root_2b_eps, Equality::attained,
                {{"sqrt(B)", [](C c) { return std::sqrt(c.occupancy) * c.epsilon(); }},
                 {"1.3 sqrt(B)", [](C c) { return 1.3 * std::sqrt(c.occupancy) * c.epsilon(); }}}),
          bound("S002-E41-largest-gap", "|w_tau - w|_inf <= eps", "derived from paper, eq. (41)", weight_gap_max,
                only_eps, Equality::attained,
                {{"0.9 eps", [](C c) { return 0.9 * c.epsilon(); }},
                 {"eps^2", [](C c) { return c.epsilon() * c.epsilon(); }}}),
          bound("S002-E42", "|Z - Z_tau| <= 2B eps", "paper, eq. (42)", mass_gap, twice_b_eps, Equality::open,
                {{"0.9 B eps", [](C c) { return 0.9 * c.occupancy * c.epsilon(); }},
                 {"2 eps", [](C c) { return 2 * c.epsilon(); }}}),
          bound("S002-E42-sharper", "|Z - Z_tau| <= B eps", "derived from paper, eq. (42)", mass_gap, once_b_eps,
                Equality::attained,
                {{"0.95 B eps", [](C c) { return 0.95 * c.occupancy * c.epsilon(); }},
                 {"eps", [](C c) { return c.epsilon(); }}}),
          bound("S002-E43", "|w|_2 <= sqrt(Z)", "paper, eq. (43)", angular_norm, root_of_mass, Equality::attained,
                {{"1", [](C) { return 1.0; }}, {"sqrt(Z/2)", [](C c) { return std::sqrt(c.p.angular_mass / 2); }}})};
}

}  // namespace skt
