// How far is y_tauL from y_tau? (Lemma 9 as a whole; its steps are in ratio_error.cpp)
//
// S002-L9-sharper  sqrt(2) for the 2 of (19), see S002-E19-sharper
//
// Method: exact binomial sums on I-TWO over many L; counted violations on Gaussian keys with B = N.
// Power: exact on I-TWO, the tightest of its family, where the bound is 10 sqrt(log(4/delta)) standard deviations; on
//        Gaussian keys nothing could be refuted.
#include <fmt/format.h>

#include <cmath>

#include "estimators/weighted_output.hpp"
#include "proofs_check/evidence.hpp"
#include "proofs_check/laws/exact_population.hpp"
#include "proofs_check/laws/exact_tails.hpp"
#include "proofs_check/laws/paper_error_bounds.hpp"
#include "proofs_check/laws/table_scores.hpp"
#include "proofs_check/statement.hpp"
#include "proofs_check/trial_accumulators.hpp"
#include "sim/families.hpp"
#include "sim/number.hpp"
#include "sim/trial_loop.hpp"

namespace skt {
namespace {

constexpr const char* kScope = "L >= 2 B^2 log(4/delta)/Z_tau^2, B almost sure";

using Bound = double (*)(const BoundConstants&, double tables, double delta);

Evidence on_two_sided(double b, double delta, Bound bound) {
  const BoundConstants c{.occupancy = b, .angular_mass = b, .population_mass = b, .spectral_norm = std::sqrt(2 * b)};
  const Index first = std::lround(std::ceil(required_tables(c, delta)));
  const Index last = first + 400;
  Largest worst;
  for (Index tables = first; tables <= last; ++tables)
    worst.add(binomial_deviation(tables, 0.5, bound(c, real(tables), delta) / 2) / delta);
  return supremum({fmt::format("I-TWO({}) delta={} L={}..{}", b, delta, first, last), "P(violation)/delta"},
                  worst.value, 0, worst.trials, worst.in_scope);
}

Evidence on_gaussian_keys(const Context& context, Bound bound) {
  constexpr double kDelta = 0.1;
  const Instance instance = make_instance({.keys = 32, .dim = 16, .value_dim = 4}, context.seed, 0);
  const Population p = population_of(instance, 2, 0.3);
  const BoundConstants c{32, p.angular_mass, p.soft_mass, spectral_norm(instance.values), p.epsilon.value};
  const Index tables = std::lround(std::ceil(required_tables(c, kDelta)));
  const std::uint64_t trials = context.trials(2'000);
  const SoftSetting setting{tables, 2, {0.3}};
  const Counts hits = run_trials(trials, Counts(1), [&](std::uint32_t trial, Counts& counts) {
    const Vector y = weighted_output(rescaled_weights(context, instance, setting, trial), instance.values);
    counts.of[0] += (y - p.soft_output).norm() > bound(c, real(tables), kDelta);
  });
  return frequency({fmt::format("32 Gaussian keys, B=N P=2 d=16 L={}", tables), "P(violation)"}, hits.of[0], trials,
                   at_most(kDelta), {context.error_share, kDelta});
}

// C|V| sqrt(log(4/delta)/L) with 4 sqrt(B)/Z_tau for the 4 sqrt(2B)/Z_tau of C (S002-E19-sharper).
double sharper_bound(const BoundConstants& c, double tables, double delta) {
  const double spared = (4 * std::sqrt(2.0) - 4) * std::sqrt(c.occupancy) / c.population_mass;
  return finite_table_bound(c, tables, delta) * (1 - spared / finite_table_constant(c));
}

auto tail(Bound bound) {
  return [bound](const Context& context) {
    std::vector<Evidence> evidence;
    for (const double b : {1.0, 100.0})
      for (const double delta : {0.1, 0.01, 1e-4}) evidence.push_back(on_two_sided(b, delta, bound));
    evidence.push_back(on_gaussian_keys(context, bound));
    return evidence;
  };
}

}  // namespace

std::vector<Statement> finite_tables_error_statements() {
  return {{.id = "S002-L9",
           .title = "|y_tauL - y_tau| <= C|V| sqrt(log(4/delta)/L) with probability 1 - delta",
           .source = "paper, Lemma 9",
           .kind = Kind::high_probability,
           .scope = kScope,
           .measure = tail(finite_table_bound),
           .mutants = {{"1/L for 1/sqrt(L)", tail([](const BoundConstants& c, double l, double d) {
                          return finite_table_bound(c, l, d) / std::sqrt(l);
                        })},
                       {"max|v_j| for |V|", tail([](const BoundConstants& c, double l, double d) {
                          return finite_table_bound(c, l, d) / c.spectral_norm;
                        })},
                       {"a twelfth of the bound", tail([](const BoundConstants& c, double l, double d) {
                          return finite_table_bound(c, l, d) / 12;
                        })}},
           .remark = "On Gaussian keys the bound is far from tight: no false variant could be refuted there."},
          {.id = "S002-L9-sharper",
           .title = "Lemma 9 with C = 4 sqrt(B)/Z_tau + sqrt(2) B^1.5/Z_tau^2",
           .source = "derived from paper, eq. (19) and Lemma 9",
           .kind = Kind::high_probability,
           .scope = kScope,
           .measure = tail(sharper_bound),
           .mutants = {{"1/L for 1/sqrt(L)", tail([](const BoundConstants& c, double l, double d) {
                          return sharper_bound(c, l, d) / std::sqrt(l);
                        })},
                       {"max|v_j| for |V|", tail([](const BoundConstants& c, double l, double d) {
                          return sharper_bound(c, l, d) / c.spectral_norm;
                        })}},
           .remark = "Shrinks C by a factor of 1.31 at most, where B = Z_tau (I-TWO)."}};
}

}  // namespace skt
