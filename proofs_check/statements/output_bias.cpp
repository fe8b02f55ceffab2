// How far is y_tau from y*? (eqs. (33) to (35), (44), Lemma 11)
//
// eps = epsilon_tau, B the almost-sure occupancy (known exactly on every instance here), |V| the spectral
// norm. S002-E33  |y_tau - y*| <= |V||a_tau - a|; equality for orthonormal values. Mutants: max|v_j|;
// |V|/1.1. S002-E34  a_tau - a = (w_tau - w)/Z_tau + ((Z - Z_tau)/(Z_tau Z)) w. Mutants: other sign; Z_tau
// for Z. S002-E35  |a_tau - a| <= |w_tau - w|/Z_tau + |Z - Z_tau||w|/(Z_tau Z). Mutants: no second term; no
// first term. S002-E44  |a_tau - a| <= 2B(1/Z_tau + sqrt(B)/(Z Z_tau)) eps. Mutants: 0.6 for 2; eps^2 for
// eps. S002-L11  |y_tau - y*| <= the same times |V|. Mutants: 0.6 for 2; eps^2 for eps. S002-L11-sharper
// |y_tau - y*| <= (3B eps/Z_tau) max|v_j| (derived). Mutants: 1.9 for 3; eps^2 for eps. Scope: Z, Z_tau > 0;
// B almost sure. Method: quadrature on tight instances and on random keys in the plane (bias_cases.hpp), no
// Monte Carlo. Power: the error of the quadrature.
#include <cmath>

#include "proofs_check/bias_cases.hpp"
#include "proofs_check/statement.hpp"

namespace skt {
namespace {

using C = const BiasCase&;

Statement step(std::string id, std::string title, std::string source, Kind kind,
               std::function<std::vector<Evidence>(const Context&)> measure, std::vector<Mutant> mutants) {
  return {.id = std::move(id),
          .title = std::move(title),
          .source = std::move(source),
          .kind = kind,
          .scope = "Z, Z_tau > 0; B bounds every bucket of every table that can be drawn",
          .measure = std::move(measure),
          .mutants = std::move(mutants)};
}

// 2B(1/Z_tau + sqrt(B)/(Z Z_tau)) eps.
double share_bound(C c) {
  BoundConstants constants = c.constants();
  constants.spectral_norm = 1;
  return bias_bound(constants);
}

}  // namespace

std::vector<Statement> output_bias_statements() {
  const BiasSide output = [](C c) { return c.output_gap(); };
  const BiasSide shares = [](C c) { return c.share_gap().norm(); };
  const BiasVector share_vector = [](C c) { return c.share_gap(); };
  Statement lemma = step(
      "S002-L11", "|y_tau - y*| <= 2B(1/Z_tau + sqrt(B)/(Z Z_tau)) eps |V|", "paper, Lemma 11",
      Kind::inequality, bounded_bias(output, [](C c) { return bias_bound(c.constants()); }),
      {{"0.6 for 2", bounded_bias(output, [](C c) { return 0.3 * bias_bound(c.constants()); })},
       {"eps^2 for eps", bounded_bias(output, [](C c) { return bias_bound(c.constants()) * c.epsilon(); })}});
  lemma.remark =
      "The bound is 2.8 times the error at best (I-ANTI with one key a side), and vacuous for eps > 1/2.";
  return {
      step("S002-E33", "|y_tau - y*| <= |V||a_tau - a|", "paper, eq. (33)", Kind::inequality,
           bounded_bias(
               output, [](C c) { return c.constants().spectral_norm * c.share_gap().norm(); },
               Equality::attained),
           {{"max|v_j| for |V|",
             bounded_bias(output, [](C c) { return c.largest_value() * c.share_gap().norm(); })},
            {"|V|/1.1",
             bounded_bias(output,
                          [](C c) { return c.constants().spectral_norm * c.share_gap().norm() / 1.1; })}}),
      step("S002-E34", "a_tau - a = (w_tau - w)/Z_tau + (Z - Z_tau)/(Z_tau Z) w", "paper, eq. (34)",
           Kind::identity,
           equal_bias(share_vector,
                      [](C c) -> Vector {
                        return c.weight_gap() / c.p.soft_mass + (c.p.angular_mass - c.p.soft_mass) /
                                                                    (c.p.soft_mass * c.p.angular_mass) *
                                                                    c.p.angular;
                      }),
           {{"(Z_tau - Z)", equal_bias(share_vector,
                                       [](C c) -> Vector {
                                         return c.weight_gap() / c.p.soft_mass +
                                                (c.p.soft_mass - c.p.angular_mass) /
                                                    (c.p.soft_mass * c.p.angular_mass) * c.p.angular;
                                       })},
            {"1/Z in the first term", equal_bias(share_vector,
                                                 [](C c) -> Vector {
                                                   return c.weight_gap() / c.p.angular_mass +
                                                          (c.p.angular_mass - c.p.soft_mass) /
                                                              (c.p.soft_mass * c.p.angular_mass) *
                                                              c.p.angular;
                                                 })}}),
      step("S002-E35", "|a_tau - a| <= |w_tau - w|/Z_tau + |Z - Z_tau||w|/(Z_tau Z)", "paper, eq. (35)",
           Kind::inequality,
           bounded_bias(shares,
                        [](C c) {
                          return c.weight_gap().norm() / c.p.soft_mass +
                                 std::abs(c.p.angular_mass - c.p.soft_mass) * c.p.angular.norm() /
                                     (c.p.soft_mass * c.p.angular_mass);
                        }),
           {{"no second term",
             bounded_bias(shares, [](C c) { return c.weight_gap().norm() / c.p.soft_mass; })},
            {"no first term", bounded_bias(shares,
                                           [](C c) {
                                             return std::abs(c.p.angular_mass - c.p.soft_mass) *
                                                    c.p.angular.norm() / (c.p.soft_mass * c.p.angular_mass);
                                           })}}),
      step("S002-E44", "|a_tau - a| <= 2B(1/Z_tau + sqrt(B)/(Z Z_tau)) eps", "paper, eq. (44)",
           Kind::inequality, bounded_bias(shares, share_bound),
           {{"0.6 for 2", bounded_bias(shares, [](C c) { return 0.3 * share_bound(c); })},
            {"eps^2 for eps", bounded_bias(shares, [](C c) { return share_bound(c) * c.epsilon(); })}}),
      lemma,
      step("S002-L11-sharper", "|y_tau - y*| <= (3B eps/Z_tau) max|v_j|", "derived from paper, Lemma 11",
           Kind::inequality,
           bounded_bias(
               output, [](C c) { return 3 * c.occupancy * c.epsilon() / c.p.soft_mass * c.largest_value(); }),
           {{"1.9 for 3", bounded_bias(output,
                                       [](C c) {
                                         return 1.9 * c.occupancy * c.epsilon() / c.p.soft_mass *
                                                c.largest_value();
                                       })},
            {"eps^2 for eps", bounded_bias(output, [](C c) {
               return 3 * c.occupancy * c.epsilon() * c.epsilon() / c.p.soft_mass * c.largest_value();
             })}})};
}

}  // namespace skt
