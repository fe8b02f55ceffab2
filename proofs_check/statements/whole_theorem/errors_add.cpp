#include "estimators/value_sampling.hpp"
#include "proofs_check/laws/exact_population.hpp"
#include "proofs_check/laws/table_scores.hpp"
#include "proofs_check/statements/measuring.hpp"

namespace skt::errors_add_group {

extern const StatementGroup kGroup = {
    .question =
        "Is the whole error at most the sum of its three parts, and is it the sum where these point one way? (eqs. "
        "(8), (47))",
    .notes =
        "With scalar values the parts point one way where T, y_tauL, y_tau and y* lie in this order or the reverse.",
    .method = "The pipeline on random instances; equality on those with scalar values in order.",
    .power = "Rounding; a factor of 0.98 on one part is seen where that part dominates."};

namespace {

using Combine = std::function<double(double sampling, double finite, double bias)>;

struct Errors {
  Vector whole, sampling, finite, bias;
  double spectral;  // |V|
};

Errors errors_of(const Context& context, std::uint32_t trial) {
  const Instance instance = make_instance({.keys = 5, .dim = 3, .value_dim = 1 + trial % 3}, context.seed, trial);
  const Population p = population_of(instance, 2, 0.2);
  const Vector weights = rescaled_weights(context, instance, {2, 2, {0.2}}, trial);
  const Vector y = weighted_output(weights, instance.values);
  const Vector t = ValueSampler(weights, instance.values).draw(context.seed, trial, 3);
  return {.whole = t - p.angular_output,
          .sampling = t - y,
          .finite = y - p.soft_output,
          .bias = p.soft_output - p.angular_output,
          .spectral = spectral_norm(instance.values)};
}

bool in_order(const Errors& e) {
  if (e.whole.size() != 1) return false;
  const auto [least, most] = std::minmax({e.sampling(0), e.finite(0), e.bias(0)});
  return least >= 0 || most <= 0;
}

// Left over right side, and right over left where both should be equal.
struct Ratios {
  Largest of_all, of_ordered;
  void merge(const Ratios& later) {
    of_all.merge(later.of_all);
    of_ordered.merge(later.of_ordered);
  }
};

std::vector<Evidence> triangle(const Context& context, const Combine& combine) {
  const Ratios ratios = run_trials(context.trials(1'200), Ratios{}, [&](std::uint32_t trial, Ratios& total) {
    const Errors e = errors_of(context, trial);
    const double left = e.whole.norm();
    const double right = combine(e.sampling.norm(), e.finite.norm(), e.bias.norm());
    // Nine subtractions and three norms of vectors of norm at most |V|.
    const double rounding = 32 * std::numeric_limits<double>::epsilon() * e.spectral;
    total.of_all.add((left - rounding) / right);
    if (in_order(e)) {
      total.of_ordered.add((right - rounding) / left);
    } else {
      total.of_ordered.add_out_of_scope();
    }
  });
  return {supremum({"5 Gaussian keys, L=2 M=3, values in 1 to 3 dimensions", "left/right"}, ratios.of_all.value, 0,
                   ratios.of_all.trials, ratios.of_all.in_scope),
          supremum({"the same, scalar values, outputs in order", "right/left"}, ratios.of_ordered.value, 0,
                   ratios.of_ordered.trials, ratios.of_ordered.in_scope)};
}

auto combined(Combine combine) {
  return [combine](const Context& context) { return triangle(context, combine); };
}

}  // namespace

std::vector<Statement> statements() {
  return {
      {.id = "S002-Q8",
       .title = "The total error is at most the sum of the three errors, with equality where they point the same way",
       .source = "paper, eqs. (8) and (47)",
       .quote = "the analysis is organized around the following triangle inequality",
       .kind = Kind::inequality,
       .scope = "always; equality for scalar values with T, y_tauL, y_tau, y* in order",
       .measure = combined([](double s, double f, double b) { return s + f + b; }),
       .mutants = {
           {"the bias counted .95 times", combined([](double s, double f, double b) { return s + f + 0.95 * b; })},
           {"the sum times 1.02, attained", combined([](double s, double f, double b) { return 1.02 * (s + f + b); })},
           {"the largest of the three", combined([](double s, double f, double b) { return std::max({s, f, b}); })},
           {"without the bias", combined([](double s, double f, double) { return s + f; })}}}};
}

}  // namespace skt::errors_add_group
