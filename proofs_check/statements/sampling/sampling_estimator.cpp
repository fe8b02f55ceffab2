#include "estimators/value_sampling.hpp"
#include "proofs_check/inequalities/tail_bounds.hpp"
#include "proofs_check/laws/error_law.hpp"
#include "proofs_check/laws/paper_error_bounds.hpp"
#include "proofs_check/laws/table_scores.hpp"
#include "proofs_check/statements/measuring.hpp"

namespace skt::sampling_estimator_group {

extern const StatementGroup kGroup = {
    .question = "What does sampling M values cost? (Lemma 10)",
    .notes =
        "T = (1/M) sum_m (a~_J/p_J) v_J with p_j = a~_j|v_j|/S1, a~ the weights that the tables give, made to sum to "
        "1.",
    .method =
        "The distribution of one draw, summed exactly; means over draws of the sampler in empirical Bernstein "
        "intervals. The ratio of the bound to the exact quantile of the error where T is a mean: of M signs on I-RAD, "
        "and of steps in the plane with values +-e_1, +-e_2 of equal weight (|V| = sqrt(2) on both). Violations are "
        "counted on Gaussian keys.",
    .power =
        "The mean to 1%, that of the sampler itself to a tenth of S1; the variance to 5%; exact on I-RAD; on Gaussian "
        "keys the factor given in the row.",
    .source = "paper, Lemma 10",
    .scope = "given tables, S1 > 0",
    .chance = Chance::random};

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
    AttainedSupremum exact_sums;
    for (Index c = 0; c < kValueDim; ++c)
      exact_sums.add(neither_exceeds(expected(c), s.output(c), rounding), [&] { return fmt::format("{}", c); });
    std::vector<Evidence> evidence = {supremum(
        "20 Gaussian keys, E T by the law of one draw and y_tauL, either over the other, coordinate", exact_sums)};
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
    const Moments squares = run_trials(context.trials(800'000), Moments{}, [&](std::uint32_t trial, Moments& m) {
      m.add((sampler.draw(context.seed, trial, kSamples) - s.output).squaredNorm());
    });
    const double exact_value = (s.total_norm * s.total_norm - s.output.squaredNorm()) / kSamples;
    const double longest = s.total_norm + s.output.norm();  // |T| <= S1: a mean of vectors as long as that
    return {mean_of_bounded({"20 Gaussian keys, M=5", "E|T - y_tauL|^2"}, squares, longest * longest,
                            equals(claimed(s) / kSamples), {context.error_share, exact_value / 10})};
  };
}

using Bound = std::function<double(const BoundConstants&, double samples, double delta)>;

auto tail(const Bound& bound) {
  return [bound](const Context& context) {
    std::vector<Evidence> evidence;
    for (const double delta : {0.5, 0.1, 0.01, 1e-4}) {
      const auto radius = [&](Index m) { return bound({.spectral_norm = std::sqrt(2.0)}, real(m), delta); };
      const auto signs = [](Index m) { return binomial_error(m, 0.5).times(2); };
      evidence.push_back(quantile_over_bound({"I-RAD", "M", all_sizes(1, 160), signs}, delta, radius));
      evidence.push_back(
          quantile_over_bound({"values +-e_1, +-e_2", "M", {1, 2, 5, 10, 20, 40}, mean_of_plane_steps}, delta, radius));
    }
    constexpr double kDelta = 0.1;
    const Sampled s = sampled(context);
    const ValueSampler sampler(s.weights, s.values);
    const DrawnErrors errors =
        run_trials(context.trials(10'000), DrawnErrors{}, [&](std::uint32_t trial, DrawnErrors& e) {
          e.add((sampler.draw(context.seed, trial, kSamples) - s.output).norm());
        });
    evidence.push_back(
        exceeded(context, "20 Gaussian keys, values in R^3, M=5", errors,
                 {bound({.spectral_norm = spectral_norm(s.values)}, kSamples, kDelta), s.norms.maxCoeff()}, kDelta));
    return evidence;
  };
}

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
  const DesignOf one_in_a_hundred_more = [](const Sampled& s) -> Design {
    const Vector p = s.weights.cwiseProduct(s.norms) / s.total_norm;
    return {p, 1.01 * s.weights.cwiseQuotient(p)};
  };
  return {.id = "S002-L10a",
          .title = "T is unbiased for y_tauL",
          .quote = "E[T(q) | W] = y_tau,L(q)",
          .measure = unbiased(by_weight_and_norm),
          .mutants = {{"1.01 a/p for a/p", unbiased(one_in_a_hundred_more)},
                      {"drawn with p ~ |v_j|", unbiased(by_norm)},
                      {"plain mean of the drawn values", unbiased(plain_mean)}}};
}

Statement mean_squared_error() {
  const VarianceOf exact_variance = [](const Sampled& s) {
    return s.total_norm * s.total_norm - s.output.squaredNorm();
  };
  const VarianceOf a_twentieth_more = [](const Sampled& s) {
    return 1.05 * (s.total_norm * s.total_norm - s.output.squaredNorm());
  };
  return {.id = "S002-VAR",
          .title = "E|T - y_tauL|^2 = (S1^2 - |y_tauL|^2)/M",
          .source = "derived from paper, Lemma 10",
          .measure = variance(exact_variance),
          .mutants = {{"1.05 times it", variance(a_twentieth_more)},
                      {"S1^2/M", variance([](const Sampled& s) { return s.total_norm * s.total_norm; })},
                      {"plain sampling", variance([](const Sampled& s) {
                         return s.weights.dot(s.norms.cwiseAbs2()) - s.output.squaredNorm();
                       })}}};
}

}  // namespace

std::vector<Statement> statements() {
  return {no_bias(),
          {.id = "S002-L10b",
           .title = "|T - y_tauL| <= |V| sqrt(8 log(2/delta)/M) with probability 1 - delta",
           .quote = "P(|T(q) - y_tau,L(q)| <= |V| sqrt(8 log(2/delta_M)/M)) >= 1 - delta_M",
           .kind = Kind::high_probability,
           .trials = Trials::kept,
           .measure = tail(sampling_bound),
           .mutants = {{"8 -> 0.75", tail([](const BoundConstants& c, double m, double d) {
                          return sampling_bound(c, m, d) * std::sqrt(0.75 / 8);
                        })},
                       {"8 -> 0.5",
                        tail([](const BoundConstants& c, double m, double d) { return sampling_bound(c, m, d) / 4; })},
                       {"1/M for 1/sqrt(M)", tail([](const BoundConstants& c, double m, double d) {
                          return sampling_bound(c, m, d) / std::sqrt(m);
                        })}}},
          mean_squared_error()};
}

}  // namespace skt::sampling_estimator_group
