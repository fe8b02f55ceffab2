#include "proofs_check/inequalities/random_and_tight_table_laws.hpp"
#include "proofs_check/statements/measuring.hpp"

namespace skt::numerator_range_group {

extern const StatementGroup kGroup = {
    .question = "How far can the numerator of one table lie from its expectation? (Appendix B.1, eqs. (18) and (19))",
    .notes = R"(n_tau = E n^(l), B the almost-sure occupancy, |V| the spectral norm.

S002-E18          both equal for copies of the query as tau -> 0
S002-E19-sharper  s and E s are not negative, so |s - E s|^2 <= |s|^2 + |E s|^2 <= 2B; I-TWO with the query at theta
                  to +e_1 reaches sqrt(2) (1 - theta/pi))",
    .method =
        "Exact sums on finite laws of tables (random_and_tight_table_laws.hpp); (18) also with the population of "
        "Gaussian tables (bias_cases.hpp). On I-TWO as tau -> 0 the law of two tables is that of all Gaussian planes.",
    .power = "Rounding; the sharper constant to 1%.",
    .kind = Kind::inequality,
    .scope = "B bounds every bucket of every table that can be drawn"};

namespace {

constexpr double kNearly = 0.01 * std::numbers::pi;  // the angle of I-TWO's query to +e_1

auto means(SidesOfLaw first, SidesOfLaw second, Equality equality) {
  return [=](const Context& context) {
    const std::vector<NamedLaw> laws = {copies(1), copies(20)};
    std::vector<Evidence> evidence = step_holds(first, laws, equality)(context);
    for (Evidence& piece : evidence) piece.quantity += " of |n_tau| <= E|n|";
    for (Evidence& piece : step_holds(second, laws, equality)(context)) {
      piece.quantity += " of E|n| <= |V| sqrt(B)";
      evidence.push_back(piece);
    }
    return evidence;
  };
}

InequalitySides reversed(const TableLaw& law) {
  const InequalitySides s = mean_numerator_sides(law);
  return {s.right, s.left, s.rounding};
}
InequalitySides with_longest_value(const TableLaw& law) {
  InequalitySides s = numerator_mean_sides(law);
  s.right *= row_norms(law.values).maxCoeff() / law.spectral;
  return s;
}
SidesOfLaw without_occupancy(SidesOfLaw sides) {
  return [=](const TableLaw& law) {
    InequalitySides s = sides(law);
    s.right /= std::sqrt(law.occupancy());
    return s;
  };
}

// The population over all Gaussian planes, by quadrature.
BiasSide numerator_of_population() {
  return [](const BiasCase& c) { return (c.values.transpose() * c.p.soft).norm(); };
}
BiasSide bound_of_population() {
  return [](const BiasCase& c) { return c.constants().spectral_norm * std::sqrt(c.occupancy); };
}

// The limit sqrt(2)(1 - theta/pi) itself, on I-TWO.
Evidence limit_on_two_sided(const Context& context) {
  const InequalitySides s = sharper_deviation_sides(two_sided_law(context, 5, kNearly));
  return exact({two_sided(5, kNearly).name, "left/right"}, s.left / s.right,
               equals(1 - kNearly / std::numbers::pi, s.rounding / s.right));
}

// A step on two opposite clusters.
Measure on_opposite(SidesOfLaw sides) {
  return step_holds(std::move(sides),
                    {two_sided(1, std::numbers::pi / 2), two_sided(5, kNearly), two_sided(100, kNearly)},
                    Equality::open);
}

std::vector<Evidence> chain_of_means(const Context& context) {
  std::vector<Evidence> evidence = means(mean_numerator_sides, numerator_mean_sides, Equality::attained)(context);
  for (const Evidence& piece : bounded_bias(numerator_of_population(), bound_of_population())(context))
    evidence.push_back(piece);
  return evidence;
}

std::vector<Evidence> sharper_deviation(const Context& context) {
  std::vector<Evidence> evidence = on_opposite(sharper_deviation_sides)(context);
  evidence.push_back(limit_on_two_sided(context));
  return evidence;
}

}  // namespace

std::vector<Statement> statements() {
  return {{.id = "S002-E18",
           .title = "|n_tau| <= E|n^(l)| <= |V| sqrt(B)",
           .source = "paper, eq. (18)",
           .quote = "|n_tau(q)| = |E(n(q))| <= E|n(q)| <= |V| sqrt(B)",
           .measure = chain_of_means,
           .mutants = {{"E|n| <= |n_tau|", means(reversed, numerator_mean_sides, Equality::open)},
                       {"max|v_j| for |V|", means(mean_numerator_sides, with_longest_value, Equality::open)},
                       {"0.98 |V| sqrt(B)",
                        means(mean_numerator_sides, times(0.98, numerator_mean_sides), Equality::open)}}},
          {.id = "S002-E19",
           .title = "|n^(l) - n_tau| <= 2|V| sqrt(B)",
           .source = "paper, eq. (19)",
           .quote = "<= |n(q)| + |n_tau(q)| <= 2|V| sqrt(B)",
           .measure = on_opposite(deviation_sides),
           .mutants = {{"1.37 for 2", on_opposite(times(1.37 / 2, deviation_sides))},
                       {"no sqrt(B)", on_opposite(without_occupancy(deviation_sides))}}},
          {.id = "S002-E19-sharper",
           .title = "|n^(l) - n_tau| <= sqrt(2)|V| sqrt(B)",
           .source = "derived from paper, eq. (19)",
           .measure = sharper_deviation,
           .mutants = {{"1.37 for sqrt(2)", on_opposite(times(1.37 / std::sqrt(2.0), sharper_deviation_sides))},
                       {"no sqrt(B)", on_opposite(without_occupancy(sharper_deviation_sides))}}}};
}

}  // namespace skt::numerator_range_group
