#include "proofs_check/inequalities/bias_proof_steps.hpp"
#include "proofs_check/laws/quad.hpp"
#include "proofs_check/statements/measuring.hpp"

namespace skt::share_bias_group {

extern const StatementGroup kGroup = {
    .question = "How far are the population shares a_tau = w_tau/Z_tau from the angular ones? (eqs. (34), (35), (44))",
    .notes = R"(eps = epsilon_tau, B the almost-sure occupancy (known exactly on every instance here). What is derived
(paper_error_bounds.hpp has the proof):

  S002-E44-sharper  |a_tau - a|_1 <= 2B eps/Z_tau, attained on I-ANTI)",
    .method =
        "Quadrature on the instances of bias_cases.hpp, without Monte Carlo. (34) is compared with its terms in "
        "113-bit arithmetic, as two inequalities.",
    .power = "The error of the quadrature; for (34), rounding.",
    .scope = "Z, Z_tau > 0; B bounds every bucket of every table that can be drawn"};

namespace {

using C = const BiasCase&;

// One key's part of (34), in 113-bit arithmetic on the weights and masses as given.
struct Share {
  Quad soft, angular, soft_mass, angular_mass;
};

// Two quotients and a difference, each right to half a unit, and the right side: the condition is the sum of the two
// shares.
auto decomposition(Quad (*claimed)(const Share&)) {
  return [claimed](const Context& context) -> std::vector<Evidence> {
    AttainedSupremum worst;
    for (const BiasCase& c : bias_cases(context)) {
      const Vector left = c.share_gap();
      for (Index j = 0; j < left.size(); ++j) {
        const Share s{c.p.soft(j), c.p.angular(j), c.p.soft_mass, c.p.angular_mass};
        const Quad allowed =
            2 * std::numeric_limits<double>::epsilon() * (s.soft / s.soft_mass + s.angular / s.angular_mass);
        worst.add(neither_exceeds(left(j), static_cast<double>(claimed(s)), static_cast<double>(allowed)),
                  [&] { return fmt::format("{}, key {}", c.name, j); });
      }
    }
    return {supremum("all keys of tight, random and structured instances, either side over the other", worst)};
  };
}

Quad eq34(const Share& s) {
  return (s.soft - s.angular) / s.soft_mass +
         (s.angular_mass - s.soft_mass) / (s.soft_mass * s.angular_mass) * s.angular;
}

Statement triangle_for_shares() {
  const BiasSide second_term = [](C c) {
    return std::abs(c.p.angular_mass - c.p.soft_mass) * c.p.angular.norm() / (c.p.soft_mass * c.p.angular_mass);
  };
  return {.id = "S002-E35",
          .title = "|a_tau - a| <= |w_tau - w|/Z_tau + |Z - Z_tau||w|/(Z_tau Z)",
          .source = "paper, eq. (35)",
          .quote = "|w_tau - w|/Z_tau + (|Z - Z_tau|/(Z_tau Z)) |w|",
          .kind = Kind::inequality,
          .measure = bounded_bias(share_gap, triangle_of_shares),
          .mutants = {
              {"0.98 of it", bounded_bias(share_gap, [](C c) { return 0.98 * triangle_of_shares(c); })},
              {"no second term", bounded_bias(share_gap, [](C c) { return c.weight_gap().norm() / c.p.soft_mass; })},
              {"no first term", bounded_bias(share_gap, second_term)}}};
}

}  // namespace

std::vector<Statement> statements() {
  return {{.id = "S002-E34",
           .title = "a_tau - a = (w_tau - w)/Z_tau + (Z - Z_tau)/(Z_tau Z) w",
           .source = "paper, eq. (34)",
           .quote = "= (w_tau - w)/Z_tau + ((Z - Z_tau)/(Z_tau Z)) w",
           .measure = decomposition(eq34),
           .mutants = {{"1.01 times the right side",
                        decomposition([](const Share& s) -> Quad { return Quad(1.01) * eq34(s); })},
                       {"(Z_tau - Z)", decomposition([](const Share& s) -> Quad {
                          return (s.soft - s.angular) / s.soft_mass +
                                 (s.soft_mass - s.angular_mass) / (s.soft_mass * s.angular_mass) * s.angular;
                        })},
                       {"1/Z in the first term", decomposition([](const Share& s) -> Quad {
                          return (s.soft - s.angular) / s.angular_mass +
                                 (s.angular_mass - s.soft_mass) / (s.soft_mass * s.angular_mass) * s.angular;
                        })}}},
          triangle_for_shares(),
          {.id = "S002-E44",
           .title = "|a_tau - a| <= 2B(1/Z_tau + sqrt(B)/(Z Z_tau)) eps",
           .source = "paper, eq. (44)",
           .quote = "= 2B (1/Z_tau,min + sqrt(B)/(Z_min Z_tau,min)) eps_tau(q)",
           .kind = Kind::inequality,
           .measure = bounded_bias(share_gap, share_bound),
           .mutants = {{"0.69 for 2", bounded_bias(share_gap, [](C c) { return 0.69 / 2 * share_bound(c); })},
                       {"eps^2 for eps", bounded_bias(share_gap, [](C c) { return share_bound(c) * c.epsilon(); })}}},
          {.id = "S002-E44-sharper",
           .title = "|a_tau - a|_1 <= 2B eps/Z_tau",
           .source = "derived from paper, eqs. (34) and (39)",
           .kind = Kind::inequality,
           .measure = bounded_bias(share_gap_1, sharper_share_bound, Equality::attained),
           .mutants = {{"1.96 for 2", bounded_bias(share_gap_1, [](C c) { return 0.98 * sharper_share_bound(c); })},
                       {"no B", bounded_bias(share_gap_1, [](C c) { return sharper_share_bound(c) / c.occupancy; })},
                       {"eps^2 for eps",
                        bounded_bias(share_gap_1, [](C c) { return sharper_share_bound(c) * c.epsilon(); })}},
           .remark = "Needs neither Z_min nor the second term of (44), and bounds the larger norm."}};
}

}  // namespace skt::share_bias_group
