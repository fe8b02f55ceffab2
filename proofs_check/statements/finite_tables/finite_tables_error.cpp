#include "proofs_check/inequalities/gaussian_violations.hpp"
#include "proofs_check/inequalities/tail_bounds.hpp"
#include "proofs_check/laws/instances/tight_instances.hpp"
#include "proofs_check/laws/paper_error_bounds.hpp"
#include "proofs_check/statements/measuring.hpp"

namespace skt::finite_tables_error_group {

extern const StatementGroup kGroup = {
    .question = "How far is y_tauL from y_tau? (Lemma 9 as a whole; its steps are in ratio_error.cpp)",
    .notes = "S002-L9-sharper  sqrt(2) for the 2 of (19), see S002-E19-sharper",
    .method =
        "The ratio of the bound to the exact quantile of the error, for many L, on I-TWO and on eight such pairs "
        "along orthogonal axes; counted violations on Gaussian keys with values in four dimensions and B = N.",
    .power =
        "Exact on I-TWO, the tightest of its family, where the bound is 10 sqrt(log(4/delta)) standard deviations: "
        "any factor that makes it smaller than the largest quantile is seen. On Gaussian keys, the factor given in "
        "the row.",
    .kind = Kind::high_probability,
    .scope = "L >= 2 B^2 log(4/delta)/Z_tau^2, B almost sure",
    .chance = Chance::random,
    .trials = Trials::kept};

namespace {

constexpr Index kMoreTables = 60;

using Bound = std::function<double(const BoundConstants&, double tables, double delta)>;

Bound times(double factor, const Bound& bound) {
  return [=](const BoundConstants& c, double l, double d) { return factor * bound(c, l, d); };
}

// C|V| sqrt(log(4/delta)/L) with 4 sqrt(B)/Z_tau for the 4 sqrt(2B)/Z_tau of C (S002-E19-sharper).
double sharper_bound(const BoundConstants& c, double tables, double delta) {
  const double spared = (4 * std::sqrt(2.0) - 4) * std::sqrt(c.occupancy) / c.population_mass;
  return finite_table_bound(c, tables, delta) * (1 - spared / finite_table_constant(c));
}

// Where Z~ = Z_tau, so that y_tauL - y_tau = (n~ - n_tau)/Z_tau; from the least number of tables in scope on.
Evidence on_tight(const TightInstance& at, const std::vector<Index>& more, double delta, const Bound& bound) {
  std::vector<Index> sizes;
  for (const Index extra : more) sizes.push_back(std::lround(std::ceil(required_tables(at.constants, delta))) + extra);
  const auto output_error = [&](Index l) { return at.error(l).times(1 / at.constants.population_mass); };
  return quantile_over_bound({at.name, "L", sizes, output_error}, delta,
                             [&](Index l) { return bound(at.constants, real(l), delta); });
}

std::vector<Evidence> on_all_tight(const Bound& bound) {
  std::vector<Evidence> evidence;
  for (const double delta : {0.1, 0.01, 1e-4}) {
    for (const double b : {1.0, 100.0})
      evidence.push_back(on_tight(opposite_keys(b), all_sizes(0, kMoreTables), delta, bound));
    evidence.push_back(on_tight(opposite_pairs(8), {0, 16}, delta, bound));
  }
  return evidence;
}

// A statement is measured on the tight instances and on Gaussian keys, a lie on the tight ones, which decide.
auto truth(const Bound& bound) {
  return [bound](const Context& context) {
    std::vector<Evidence> evidence = on_all_tight(bound);
    evidence.push_back(violations_on_gaussian_keys(
        context, kGaussianDelta, &GaussianKeys::output_error, [&](const GaussianKeys& g) -> BoundOfDraws {
          return {bound(g.constants, real(g.tables), kGaussianDelta), g.longest_value()};
        }));
    return evidence;
  };
}
auto mutant(const Bound& bound) {
  return [bound](const Context&) { return on_all_tight(bound); };
}

// Lemma 9 or a sharper form, with a lie `factor` short of what I-TWO allows.
Statement outputs_concentrate(Statement statement, const Bound& bound, double factor) {
  statement.measure = truth(bound);
  statement.mutants = {
      {fmt::format("{} of the bound", factor), mutant(times(factor, bound))},
      {"1/L for 1/sqrt(L)",
       mutant([=](const BoundConstants& c, double l, double d) { return bound(c, l, d) / std::sqrt(l); })},
      {"max|v_j| for |V|",
       mutant([=](const BoundConstants& c, double l, double d) { return bound(c, l, d) / c.spectral_norm; })}};
  return statement;
}

}  // namespace

std::vector<Statement> statements() {
  return {outputs_concentrate({.id = "S002-L9",
                               .title = "|y_tauL - y_tau| <= C|V| sqrt(log(4/delta)/L) with probability 1 - delta",
                               .source = "paper, Lemma 9",
                               .quote = "P(|y_tau,L - y_tau| <= C sqrt(log(4/delta_L)/L) |V|) >= 1 - delta_L"},
                              finite_table_bound, 0.118),
          outputs_concentrate({.id = "S002-L9-sharper",
                               .title = "Lemma 9 with C = 4 sqrt(B)/Z_tau + sqrt(2) B^1.5/Z_tau^2",
                               .source = "derived from paper, eq. (19) and Lemma 9",
                               .remark = "Reduces C by a factor of at most 1.31, reached where B = Z_tau (I-TWO, two "
                                         "opposite groups of keys)."},
                              sharper_bound, 0.154)};
}

}  // namespace skt::finite_tables_error_group
