// What does sampling M values cost? (Lemma 10)
//
// T = (1/M) sum_m (a~_J/p_J) v_J with p_j = a~_j|v_j|/S1, a~ the weights that the tables give, made to sum to 1.
//
// Method: the law of one draw summed exactly; means over draws of the sampler in empirical Bernstein intervals; exact
// binomial sums on I-RAD, where T is a mean of M signs and |V| = sqrt(2); counted violations on Gaussian keys.
// Power: the variance to a quarter; exact on I-RAD; none on Gaussian keys.
#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <limits>

#include "estimators/value_sampling.hpp"
#include "estimators/weighted_output.hpp"
#include "proofs_check/evidence.hpp"
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

constexpr Index kKeys = 20, kSamples = 5, kValueDim = 3;

// Weights of a few tables, and values with a common part so that |y| is not small beside S1.
struct Sampled {
  Vector weights;  // a~, sums to 1
  Matrix values;   // [keys, value_dim]
  Vector norms;
  Vector output;
  double total_norm;  // S1
};

Sampled sampled(const Context& context) {
  Instance instance = make_instance({.keys = kKeys, .dim = 8, .value_dim = kValueDim}, context.seed, 0);
  instance.values.col(0).array() += 1.5;
  Vector a = rescaled_weights(context, instance, {8, 3, {0.2}}, 0);
  a /= a.sum();
  const Vector norms = row_norms(instance.values);
  return {a, instance.values, norms, instance.values.transpose() * a, a.dot(norms)};
}

// A way of drawing: probabilities p_j, and the factor by which a drawn value counts.
struct Design {
  Vector probabilities;
  Vector factors;
};
using DesignOf = Design (*)(const Sampled&);

auto unbiased(DesignOf design_of) {
  return [design_of](const Context& context) {
    const Sampled s = sampled(context);
    const Design design = design_of(s);
    const Vector expected = s.values.transpose() * design.probabilities.cwiseProduct(design.factors);
    const ValueSampler sampler(s.weights, s.values);
    const MomentsList drawn =
        run_trials(context.trials(20'000), MomentsList(kValueDim), [&](std::uint32_t trial, MomentsList& m) {
          const Vector t = sampler.draw(context.seed, trial, kSamples);
          for (Index c = 0; c < kValueDim; ++c) m.of[c].add(t(c));
        });
    // Sums of N products.
    const double rounding = 4 * kKeys * std::numeric_limits<double>::epsilon() * s.total_norm;
    std::vector<Evidence> evidence = {exact({"20 Gaussian keys, exact sum over the law of one draw", "|E T - y_tauL|"},
                                            (expected - s.output).norm(), at_most(0, rounding))};
    for (Index c = 0; c < kValueDim; ++c)
      evidence.push_back(mean_of_bounded({"20 Gaussian keys, M=5", fmt::format("E T, coordinate {}", c)}, drawn.of[c],
                                         2 * s.total_norm, equals(expected(c), rounding),
                                         {context.share(kValueDim), s.total_norm / 10}));
    return evidence;
  };
}

using VarianceOf = double (*)(const Sampled&);

auto variance(VarianceOf claimed) {
  return [claimed](const Context& context) -> std::vector<Evidence> {
    const Sampled s = sampled(context);
    const ValueSampler sampler(s.weights, s.values);
    const Moments squares = run_trials(context.trials(400'000), Moments{}, [&](std::uint32_t trial, Moments& m) {
      m.add((sampler.draw(context.seed, trial, kSamples) - s.output).squaredNorm());
    });
    const double exact_value = (s.total_norm * s.total_norm - s.output.squaredNorm()) / kSamples;
    return {mean_of_bounded({"20 Gaussian keys, M=5", "E|T - y_tauL|^2"}, squares, 4 * s.total_norm * s.total_norm,
                            equals(claimed(s) / kSamples), {context.error_share, exact_value / 4})};
  };
}

using Bound = double (*)(const BoundConstants&, double samples, double delta);

auto tail(Bound bound) {
  return [bound](const Context& context) {
    std::vector<Evidence> evidence;
    for (const double delta : {0.5, 0.1, 0.01, 1e-4}) {
      Largest worst;
      for (std::uint64_t m = 1; m <= 400; ++m)
        worst.add(binomial_deviation(m, 0.5, bound({.spectral_norm = std::sqrt(2.0)}, real(m), delta) / 2) / delta);
      evidence.push_back(supremum({fmt::format("I-RAD delta={} M=1..400", delta), "P(violation)/delta"}, worst.value, 0,
                                  worst.trials, worst.in_scope));
    }
    constexpr double kDelta = 0.1;
    const Sampled s = sampled(context);
    const ValueSampler sampler(s.weights, s.values);
    const double radius = bound({.spectral_norm = spectral_norm(s.values)}, kSamples, kDelta);
    const std::uint64_t trials = context.trials(10'000);
    const Counts hits = run_trials(trials, Counts(1), [&](std::uint32_t trial, Counts& counts) {
      counts.of[0] += (sampler.draw(context.seed, trial, kSamples) - s.output).norm() > radius;
    });
    evidence.push_back(frequency({"20 Gaussian keys, M=5", "P(violation)"}, hits.of[0], trials, at_most(kDelta),
                                 {context.error_share, kDelta}));
    return evidence;
  };
}

constexpr const char* kScope = "given tables, S1 > 0";

Statement no_bias() {
  const DesignOf by_weight_and_norm = [](const Sampled& s) -> Design {
    const Vector p = s.weights.cwiseProduct(s.norms) / s.total_norm;
    return {p, s.weights.cwiseQuotient(p)};
  };
  const DesignOf by_norm = [](const Sampled& s) -> Design {
    return {s.norms / s.norms.sum(), s.total_norm * s.norms.cwiseInverse()};
  };
  const DesignOf plain_mean = [](const Sampled& s) -> Design {
    return {s.weights.cwiseProduct(s.norms) / s.total_norm, Vector::Ones(kKeys)};
  };
  return {.id = "S002-L10a",
          .title = "T is unbiased for y_tauL",
          .source = "paper, Lemma 10",
          .kind = Kind::identity,
          .scope = kScope,
          .measure = unbiased(by_weight_and_norm),
          .mutants = {{"drawn with p ~ |v_j|", unbiased(by_norm)},
                      {"plain mean of the drawn values", unbiased(plain_mean)}}};
}

Statement tail_bound() {
  return {.id = "S002-L10b",
          .title = "|T - y_tauL| <= |V| sqrt(8 log(2/delta)/M) with probability 1 - delta",
          .source = "paper, Lemma 10",
          .kind = Kind::high_probability,
          .scope = kScope,
          .measure = tail(sampling_bound),
          .mutants = {{"1/M for 1/sqrt(M)", tail([](const BoundConstants& c, double m, double d) {
                         return sampling_bound(c, m, d) / std::sqrt(m);
                       })},
                      {"8 -> 0.5",
                       tail([](const BoundConstants& c, double m, double d) { return sampling_bound(c, m, d) / 4; })}},
          .remark = "On Gaussian keys the bound is far from tight: no false variant could be refuted there."};
}

Statement mean_squared_error() {
  return {.id = "S002-VAR",
          .title = "E|T - y_tauL|^2 = (S1^2 - |y_tauL|^2)/M",
          .source = "derived from paper, Lemma 10",
          .kind = Kind::identity,
          .scope = kScope,
          .measure = variance([](const Sampled& s) { return s.total_norm * s.total_norm - s.output.squaredNorm(); }),
          .mutants = {{"S1^2/M", variance([](const Sampled& s) { return s.total_norm * s.total_norm; })},
                      {"plain sampling", variance([](const Sampled& s) {
                         return s.weights.dot(s.norms.cwiseAbs2()) - s.output.squaredNorm();
                       })}}};
}

}  // namespace

std::vector<Statement> sampling_estimator_statements() {
  return {no_bias(), tail_bound(), mean_squared_error()};
}

}  // namespace skt
