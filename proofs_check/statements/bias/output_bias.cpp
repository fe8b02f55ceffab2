#include "proofs_check/inequalities/bias_proof_steps.hpp"
#include "proofs_check/inequalities/random_and_tight_table_laws.hpp"
#include "proofs_check/laws/quad.hpp"
#include "proofs_check/statements/measuring.hpp"

namespace skt::output_bias_group {

extern const StatementGroup kGroup = {
    .question = "How far is y_tau from y*? (eqs. (33), (45), Lemma 11)",
    .notes = R"(
eps = epsilon_tau, B the almost-sure occupancy (known exactly on every instance here), B_l and p_l those of one table,
|V| the spectral norm. (33) holds with equality for orthonormal values; (45) puts (33) and (44) together and is the
bound of Lemma 11. What is derived (paper_error_bounds.hpp has the proof):

  S002-L11-sharper      |y_tau - y*| <= (2B eps/Z_tau) max|v_j|, attained on I-ANTI
  S002-L11-own-buckets  the same with E[B_l (1 - p_l)] for B eps)",
    .method =
        "Quadrature on the instances of bias_cases.hpp, without Monte Carlo. With the buckets of each table, exact "
        "sums on the finite laws of random_and_tight_table_laws.hpp. (45) is compared with its terms in 113-bit "
        "arithmetic, as two inequalities.",
    .power = "The error of the quadrature; for (45) and the finite laws, rounding.",
    .scope = "Z, Z_tau > 0; B bounds every bucket of every table that can be drawn"};

namespace {

using C = const BiasCase&;

// What Lemma 11 has beside |V|.
struct BiasConstants {
  Quad occupancy, soft_mass, angular_mass, epsilon;
};

// All terms are positive, so the condition is 1: half a unit for each of at most 14 operations and roots on the way, and
// one for the right side in double.
constexpr double kBiasRounding = 8 * std::numeric_limits<double>::epsilon();

// (35) with (41), (42) and (43) put in, times |V| by (33), against the bound as (45) has it.
auto put_together(Quad (*claimed)(const BiasConstants&)) {
  return [claimed](const Context& context) -> std::vector<Evidence> {
    AttainedSupremum worst;
    for (std::uint32_t trial = 0; trial < 1000; ++trial) {
      double u[5];
      fill_uniform(context.seed, {.trial = trial}, u);
      const double b = 1 + 100 * u[0], z_tau = b * u[1], z = b * u[2], eps = u[3], v = 10 * u[4];
      const double gap_of_weights = 2 * b * eps, gap_of_masses = 2 * b * eps, norm = std::sqrt(b);
      const double left = v * (gap_of_weights / z_tau + gap_of_masses / (z_tau * z) * norm);
      const double right = static_cast<double>(v * claimed({b, z_tau, z, eps}));
      worst.add(neither_exceeds_by(kBiasRounding, left, right),
                [&] { return fmt::format("B={:.3g} Z_tau={:.3g} Z={:.3g}", b, z_tau, z); });
    }
    return {supremum("B = 1 .. 101, Z and Z_tau <= B, (33) with (35) and (45), either over the other", worst)};
  };
}

Quad eq45(const BiasConstants& c) {
  return 2 * c.occupancy * (1 / c.soft_mass + sqrt(c.occupancy) / (c.angular_mass * c.soft_mass)) * c.epsilon;
}

Measure with_own_buckets(SidesOfLaw sides, Equality equality) {
  return step_holds(std::move(sides), {opposite(1), opposite(5)}, equality);
}

Statement lemma_11_with_own_buckets() {
  const SidesOfLaw sides = of_population(output_gap, own_buckets_bound);
  const SidesOfLaw squared = [sides](const TableLaw& law) {
    InequalitySides s = sides(law);
    s.right *= law.missed.dot(law.probability);
    return s;
  };
  return {.id = "S002-L11-own-buckets",
          .title = "|y_tau - y*| <= (2 E[B_l (1 - p_l)]/Z_tau) max|v_j|, B_l the fullest bucket of each table alone",
          .source = "derived from paper, eq. (39) and Lemma 11",
          .kind = Kind::inequality,
          .scope = "any tables; Z, Z_tau > 0",
          .measure = with_own_buckets(sides, Equality::attained),
          .mutants = {{"1.96 for 2", with_own_buckets(times(0.98, sides), Equality::open)},
                      {"1 for 2", with_own_buckets(times(0.5, sides), Equality::open)},
                      {"eps times it", with_own_buckets(squared, Equality::open)}},
          .remark =
              "For the bias, B need not hold almost surely. The drawn tables alone do not suffice: the mean is over "
              "all tables that can be drawn."};
}

}  // namespace

std::vector<Statement> statements() {
  return {
      {.id = "S002-E33",
       .title = "|y_tau - y*| <= |V||a_tau - a|",
       .source = "paper, eq. (33)",
       .quote = "|V^T (a_tau - a)| <= |V| |a_tau - a|",
       .kind = Kind::inequality,
       .measure = bounded_bias(output_gap, share_gap_times_spectral, Equality::attained),
       .mutants = {{"0.98 |V|", bounded_bias(output_gap, [](C c) { return 0.98 * share_gap_times_spectral(c); })},
                   {"max|v_j| for |V|",
                    bounded_bias(output_gap, [](C c) { return c.largest_value() * c.share_gap().norm(); })}}},
      {.id = "S002-E45",
       .title = "Putting (44) into (33) gives the bound of Lemma 11",
       .source = "paper, eq. (45)",
       .quote = "<= |V| . 2B (1/Z_tau,min + sqrt(B)/(Z_min Z_tau,min)) eps_tau(q)",
       .scope = "B, Z, Z_tau > 0",
       .measure = put_together(eq45),
       .mutants = {{"2.02 for 2", put_together([](const BiasConstants& c) -> Quad { return Quad(1.01) * eq45(c); })},
                   {"B for sqrt(B)", put_together([](const BiasConstants& c) -> Quad {
                      return 2 * c.occupancy * (1 / c.soft_mass + c.occupancy / (c.angular_mass * c.soft_mass)) *
                             c.epsilon;
                    })},
                   {"Z_tau^2 for Z Z_tau", put_together([](const BiasConstants& c) -> Quad {
                      return 2 * c.occupancy * (1 / c.soft_mass + sqrt(c.occupancy) / (c.soft_mass * c.soft_mass)) *
                             c.epsilon;
                    })}},
       .remark = "Arithmetic; the inequality itself is S002-L11."},
      {.id = "S002-L11",
       .title = "|y_tau - y*| <= 2B(1/Z_tau + sqrt(B)/(Z Z_tau)) eps |V|",
       .source = "paper, Lemma 11",
       .quote = "|y_tau(q) - y*(q)| <= 2B (1/Z_tau,min + sqrt(B)/(Z_min Z_tau,min)) eps_tau(q) |V|",
       .kind = Kind::inequality,
       .measure = bounded_bias(output_gap, output_bound),
       .mutants = {{"0.69 for 2", bounded_bias(output_gap, [](C c) { return 0.69 / 2 * output_bound(c); })},
                   {"eps^2 for eps", bounded_bias(output_gap, [](C c) { return output_bound(c) * c.epsilon(); })}},
       .remark = "At best the bound is 2.8 times the error (I-ANTI with one key on each side). For eps > 1/2 it says "
                 "nothing."},
      {.id = "S002-L11-sharper",
       .title = "|y_tau - y*| <= (2B eps/Z_tau) max|v_j|",
       .source = "derived from paper, Lemma 11",
       .kind = Kind::inequality,
       .measure = bounded_bias(output_gap, sharper_output_bound, Equality::attained),
       .mutants = {{"1.96 for 2", bounded_bias(output_gap, [](C c) { return 0.98 * sharper_output_bound(c); })},
                   {"no B", bounded_bias(output_gap, [](C c) { return sharper_output_bound(c) / c.occupancy; })},
                   {"eps^2 for eps",
                    bounded_bias(output_gap, [](C c) { return sharper_output_bound(c) * c.epsilon(); })}},
       .remark = "Needs neither Z_min nor the norm of V."},
      lemma_11_with_own_buckets()};
}

}  // namespace skt::output_bias_group
