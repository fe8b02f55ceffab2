// How far is y_tau from y*? (eqs. (33) to (35), (44), (45), Lemma 11)
//
// eps = epsilon_tau, B the almost-sure occupancy (known exactly on every instance here), |V| the spectral norm. (33)
// holds with equality for orthonormal values; (45) and Lemma 11 state the same bound.
//
// Method: quadrature on the instances of bias_cases.hpp, no Monte Carlo; (34) against its terms in 113-bit arithmetic.
// Power: the error of the quadrature; of (34) rounding.
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

constexpr const char* kScope = "Z, Z_tau > 0; B bounds every bucket of every table that can be drawn";

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
        worst.add(Quad(abs(Quad(left(j)) - claimed(s)) / allowed).convert_to<double>());
      }
    }
    return {supremum({"all keys of tight, random and structured instances",
                      "|left - right| of (34) in units of its condition and rounding"},
                     worst.value, 0, worst.trials, worst.in_scope)};
  };
}

Statement output_by_shares() {
  return {
      .id = "S002-E33",
      .title = "|y_tau - y*| <= |V||a_tau - a|",
      .source = "paper, eq. (33)",
      .kind = Kind::inequality,
      .scope = kScope,
      .measure = bounded_bias(output_gap, share_gap_times_spectral, Equality::attained),
      .mutants = {
          {"max|v_j| for |V|", bounded_bias(output_gap, [](C c) { return c.largest_value() * c.share_gap().norm(); })},
          {"|V|/1.1",
           bounded_bias(output_gap, [](C c) { return c.constants().spectral_norm * c.share_gap().norm() / 1.1; })}}};
}

Statement split_of_shares() {
  return {.id = "S002-E34",
          .title = "a_tau - a = (w_tau - w)/Z_tau + (Z - Z_tau)/(Z_tau Z) w",
          .source = "paper, eq. (34)",
          .kind = Kind::identity,
          .scope = kScope,
          .measure = decomposition([](const Share& s) -> Quad {
            return (s.soft - s.angular) / s.soft_mass +
                   (s.angular_mass - s.soft_mass) / (s.soft_mass * s.angular_mass) * s.angular;
          }),
          .mutants = {{"(Z_tau - Z)", decomposition([](const Share& s) -> Quad {
                         return (s.soft - s.angular) / s.soft_mass +
                                (s.soft_mass - s.angular_mass) / (s.soft_mass * s.angular_mass) * s.angular;
                       })},
                      {"1/Z in the first term", decomposition([](const Share& s) -> Quad {
                         return (s.soft - s.angular) / s.angular_mass +
                                (s.angular_mass - s.soft_mass) / (s.soft_mass * s.angular_mass) * s.angular;
                       })}}};
}

Statement triangle_for_shares() {
  const BiasSide second_term = [](C c) {
    return std::abs(c.p.angular_mass - c.p.soft_mass) * c.p.angular.norm() / (c.p.soft_mass * c.p.angular_mass);
  };
  return {.id = "S002-E35",
          .title = "|a_tau - a| <= |w_tau - w|/Z_tau + |Z - Z_tau||w|/(Z_tau Z)",
          .source = "paper, eq. (35)",
          .kind = Kind::inequality,
          .scope = kScope,
          .measure = bounded_bias(share_gap, triangle_of_shares),
          .mutants = {
              {"no second term", bounded_bias(share_gap, [](C c) { return c.weight_gap().norm() / c.p.soft_mass; })},
              {"no first term", bounded_bias(share_gap, second_term)}}};
}

Statement shares_by_occupancy() {
  return {.id = "S002-E44",
          .title = "|a_tau - a| <= 2B(1/Z_tau + sqrt(B)/(Z Z_tau)) eps",
          .source = "paper, eq. (44)",
          .kind = Kind::inequality,
          .scope = kScope,
          .measure = bounded_bias(share_gap, share_bound),
          .mutants = {{"0.6 for 2", bounded_bias(share_gap, [](C c) { return 0.3 * share_bound(c); })},
                      {"eps^2 for eps", bounded_bias(share_gap, [](C c) { return share_bound(c) * c.epsilon(); })}}};
}

Statement output_by_occupancy() {
  return {.id = "S002-E45",
          .title = "|y_tau - y*| <= |V| times the bound of (44)",
          .source = "paper, eq. (45)",
          .kind = Kind::inequality,
          .scope = kScope,
          .measure = bounded_bias(output_gap, [](C c) { return c.constants().spectral_norm * share_bound(c); }),
          .mutants = {{"a third of it",
                       bounded_bias(output_gap, [](C c) { return c.constants().spectral_norm * share_bound(c) / 3; })},
                      {"eps^2 for eps", bounded_bias(output_gap, [](C c) {
                         return c.constants().spectral_norm * share_bound(c) * c.epsilon();
                       })}}};
}

Statement lemma_11() {
  return {
      .id = "S002-L11",
      .title = "|y_tau - y*| <= 2B(1/Z_tau + sqrt(B)/(Z Z_tau)) eps |V|",
      .source = "paper, Lemma 11",
      .kind = Kind::inequality,
      .scope = kScope,
      .measure = bounded_bias(output_gap, output_bound),
      .mutants = {{"0.6 for 2", bounded_bias(output_gap, [](C c) { return 0.3 * bias_bound(c.constants()); })},
                  {"eps^2 for eps",
                   bounded_bias(output_gap, [](C c) { return bias_bound(c.constants()) * c.epsilon(); })}},
      .remark = "The bound is 2.8 times the error at best (I-ANTI with one key a side), and vacuous for eps > 1/2."};
}

Statement lemma_11_sharper() {
  return {.id = "S002-L11-sharper",
          .title = "|y_tau - y*| <= (3B eps/Z_tau) max|v_j|",
          .source = "derived from paper, Lemma 11",
          .kind = Kind::inequality,
          .scope = kScope,
          .measure = bounded_bias(output_gap, sharper_output_bound),
          .mutants = {
              {"1.9 for 3",
               bounded_bias(output_gap,
                            [](C c) { return 1.9 * c.occupancy * c.epsilon() / c.p.soft_mass * c.largest_value(); })},
              {"eps^2 for eps", bounded_bias(output_gap, [](C c) {
                 return 3 * c.occupancy * c.epsilon() * c.epsilon() / c.p.soft_mass * c.largest_value();
               })}}};
}

}  // namespace

std::vector<Statement> output_bias_statements() {
  return {output_by_shares(),    split_of_shares(), triangle_for_shares(), shares_by_occupancy(),
          output_by_occupancy(), lemma_11(),        lemma_11_sharper()};
}

}  // namespace skt
