// How far is y_tau from y*? (eqs. (33) to (35), (44), (45), Lemma 11)
//
// eps = epsilon_tau, B the almost-sure occupancy (known exactly on every instance here), |V| the spectral norm.
//
// S002-E33  |y_tau - y*| <= |V||a_tau - a|; equality for orthonormal values. Mutants: max|v_j|; |V|/1.1.
//
// S002-E34  a_tau - a = (w_tau - w)/Z_tau + ((Z - Z_tau)/(Z_tau Z)) w. Mutants: (Z_tau - Z); 1/Z in the first term.
//
// S002-E35  |a_tau - a| <= |w_tau - w|/Z_tau + |Z - Z_tau||w|/(Z_tau Z). Mutants: no second term; no first term.
//
// S002-E44  |a_tau - a| <= 2B(1/Z_tau + sqrt(B)/(Z Z_tau)) eps. Mutants: 0.6 for 2; eps^2 for eps.
//
// S002-E45  |y_tau - y*| <= |V| times that bound. Mutants: a third of it; eps^2 for eps.
//
// S002-L11  The same as Lemma 11 states it. Mutants: 0.6 for 2; eps^2 for eps.
//
// S002-L11-sharper  Derived: |y_tau - y*| <= (3B eps/Z_tau) max|v_j|. Mutants: 1.9 for 3; eps^2 for eps.
//
// Scope: Z, Z_tau > 0; B almost sure. Method: quadrature on the instances of bias_cases.hpp, no Monte Carlo; (34)
// against its terms in 113-bit arithmetic. Power: the error of the quadrature; of (34) rounding.
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <limits>

#include "proofs_check/inequalities/bias_proof_steps.hpp"
#include "proofs_check/statement.hpp"
#include "proofs_check/trial_accumulators.hpp"
#include "sim/number.hpp"

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

using Quad = boost::multiprecision::cpp_bin_float_quad;

// One key's part of (34), in 113-bit arithmetic on the weights and masses as given.
struct Share {
  Quad soft, angular, soft_mass, angular_mass;
};

// Two quotients and a difference, each right to half a unit: the condition is the sum of the two shares.
auto decomposition(Quad (*claimed)(const Share&)) {
  return [claimed](const Context& context) -> std::vector<Evidence> {
    Largest worst;
    for (const BiasCase& c : bias_cases(context)) {
      const Vector left = c.share_gap();
      for (Index j = 0; j < left.size(); ++j) {
        const Share s{c.p.soft(j), c.p.angular(j), c.p.soft_mass, c.p.angular_mass};
        const Quad allowed =
            2 * std::numeric_limits<double>::epsilon() * (s.soft / s.soft_mass + s.angular / s.angular_mass);
        worst.add(static_cast<double>(Quad(abs(Quad(left(j)) - claimed(s)) / allowed)));
      }
    }
    return {supremum({"all keys of tight, random and structured instances",
                      "|left - right| of (34) in units of its condition and rounding"},
                     worst.value, 0, worst.trials, worst.in_scope)};
  };
}

}  // namespace

std::vector<Statement> output_bias_statements() {
  const BiasSide output = output_gap;
  const BiasSide shares = share_gap;
  Statement lemma =
      step("S002-L11", "|y_tau - y*| <= 2B(1/Z_tau + sqrt(B)/(Z Z_tau)) eps |V|", "paper, Lemma 11", Kind::inequality,
           bounded_bias(output, output_bound),
           {{"0.6 for 2", bounded_bias(output, [](C c) { return 0.3 * bias_bound(c.constants()); })},
            {"eps^2 for eps", bounded_bias(output, [](C c) { return bias_bound(c.constants()) * c.epsilon(); })}});
  lemma.remark = "The bound is 2.8 times the error at best (I-ANTI with one key a side), and vacuous for eps > 1/2.";
  return {
      step("S002-E33", "|y_tau - y*| <= |V||a_tau - a|", "paper, eq. (33)", Kind::inequality,
           bounded_bias(output, share_gap_times_spectral, Equality::attained),
           {{"max|v_j| for |V|", bounded_bias(output, [](C c) { return c.largest_value() * c.share_gap().norm(); })},
            {"|V|/1.1",
             bounded_bias(output, [](C c) { return c.constants().spectral_norm * c.share_gap().norm() / 1.1; })}}),
      step("S002-E34", "a_tau - a = (w_tau - w)/Z_tau + (Z - Z_tau)/(Z_tau Z) w", "paper, eq. (34)", Kind::identity,
           decomposition([](const Share& s) -> Quad {
             return (s.soft - s.angular) / s.soft_mass +
                    (s.angular_mass - s.soft_mass) / (s.soft_mass * s.angular_mass) * s.angular;
           }),
           {{"(Z_tau - Z)", decomposition([](const Share& s) -> Quad {
               return (s.soft - s.angular) / s.soft_mass +
                      (s.soft_mass - s.angular_mass) / (s.soft_mass * s.angular_mass) * s.angular;
             })},
            {"1/Z in the first term", decomposition([](const Share& s) -> Quad {
               return (s.soft - s.angular) / s.angular_mass +
                      (s.angular_mass - s.soft_mass) / (s.soft_mass * s.angular_mass) * s.angular;
             })}}),
      step("S002-E35", "|a_tau - a| <= |w_tau - w|/Z_tau + |Z - Z_tau||w|/(Z_tau Z)", "paper, eq. (35)",
           Kind::inequality, bounded_bias(shares, triangle_of_shares),
           {{"no second term", bounded_bias(shares, [](C c) { return c.weight_gap().norm() / c.p.soft_mass; })},
            {"no first term", bounded_bias(shares,
                                           [](C c) {
                                             return std::abs(c.p.angular_mass - c.p.soft_mass) * c.p.angular.norm() /
                                                    (c.p.soft_mass * c.p.angular_mass);
                                           })}}),
      step("S002-E44", "|a_tau - a| <= 2B(1/Z_tau + sqrt(B)/(Z Z_tau)) eps", "paper, eq. (44)", Kind::inequality,
           bounded_bias(shares, share_bound),
           {{"0.6 for 2", bounded_bias(shares, [](C c) { return 0.3 * share_bound(c); })},
            {"eps^2 for eps", bounded_bias(shares, [](C c) { return share_bound(c) * c.epsilon(); })}}),
      step("S002-E45", "|y_tau - y*| <= |V| times the bound of (44)", "paper, eq. (45)", Kind::inequality,
           bounded_bias(output, [](C c) { return c.constants().spectral_norm * share_bound(c); }),
           {{"a third of it",
             bounded_bias(output, [](C c) { return c.constants().spectral_norm * share_bound(c) / 3; })},
            {"eps^2 for eps",
             bounded_bias(output, [](C c) { return c.constants().spectral_norm * share_bound(c) * c.epsilon(); })}}),
      lemma,
      step("S002-L11-sharper", "|y_tau - y*| <= (3B eps/Z_tau) max|v_j|", "derived from paper, Lemma 11",
           Kind::inequality, bounded_bias(output, sharper_output_bound),
           {{"1.9 for 3",
             bounded_bias(output,
                          [](C c) { return 1.9 * c.occupancy * c.epsilon() / c.p.soft_mass * c.largest_value(); })},
            {"eps^2 for eps", bounded_bias(output, [](C c) {
               return 3 * c.occupancy * c.epsilon() * c.epsilon() / c.p.soft_mass * c.largest_value();
             })}})};
}

}  // namespace skt
