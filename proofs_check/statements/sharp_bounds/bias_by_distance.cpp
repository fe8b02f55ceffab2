#include "estimators/population/angular_kernel.hpp"
#include "estimators/population/weights.hpp"
#include "proofs_check/bounds/bias_bounds.hpp"
#include "proofs_check/bounds/value_covariance.hpp"
#include "proofs_check/statements/measuring.hpp"

namespace skt::bias_by_distance_group {

extern const StatementGroup kGroup = {
    .question =
        "How far does the output move when the angular weights take the place of the population weights? (Theorem 8 "
        "of this project)",
    .notes = R"(
OWN-8i   |y* - y_tau| <= sqrt(chi2 |Cov v|)             equal if the ratio is affine along the largest variance
OWN-8ii  |y* - y_tau| <= TV diam(V), TV <= (sqrt k - 1)/(sqrt k + 1)                      equal for two values)",
    .method =
        "The supremum of the ratio of the two sides on random weights and values and on the exact population of 200 "
        "keys in 128 dimensions; the instances of equality.",
    .power = "Any ratio above 1 by more than rounding.",
    .kind = Kind::inequality};

namespace {

// Two laws on the same values: from `before` to `after`.
struct TwoMeans {
  Vector before, after;
  Matrix values;

  double distance() const { return (weighted_output(after, values) - weighted_output(before, values)).norm(); }
  // Of the difference of two outputs, and of a bound: sums over the keys of terms no longer than the longest value.
  double rounding() const {
    return 8 * real(before.size() + values.cols() + 4) * kUnit * values.rowwise().norm().maxCoeff();
  }
};

double diameter(const Matrix& values) {
  double largest = 0;
  for (Index i = 0; i < values.rows(); ++i)
    for (Index j = 0; j < i; ++j) largest = std::fmax(largest, (values.row(i) - values.row(j)).norm());
  return largest;
}

Matrix covariance_under(const Vector& weights, const Matrix& values) {
  const Vector law = weights / weights.sum();
  return value_covariance(law, values, values.transpose() * law);
}

// 2 to 9 keys with log-normal weights and values in 1 to 5 dimensions, some in two clusters or with a needle.
TwoMeans random_means(Seed seed, std::uint32_t trial) {
  const Index keys = 2 + trial % 8, dim = 1 + trial % 5;
  TwoMeans means{Vector(keys), Vector(keys), Matrix(keys, dim)};
  fill_normal(seed, {.trial = trial, .row = 0}, entries_of(means.before));
  fill_normal(seed, {.trial = trial, .row = 1}, entries_of(means.after));
  fill_normal(seed, {.trial = trial, .row = 2}, std::span(means.values.data(), keys * dim));
  if (trial % 3 == 1) {
    for (Index j = 1; j < keys; ++j) means.values.row(j) = means.values.row(j % 2);
  }
  if (trial % 3 == 2) means.values.row(0) *= 30;
  means.before = (2 * means.before).array().exp();
  means.after = (2 * means.after).array().exp();
  return means;
}

using MeansSides = std::function<InequalitySides(const TwoMeans&)>;

InequalitySides chi_square_sides(const TwoMeans& m) {
  return {m.distance(), bias_bound_by_chi_square(m.after, m.before, m.values), m.rounding()};
}
InequalitySides variation_sides(const TwoMeans& m) {
  return {m.distance(), bias_bound_by_variation(m.after, m.before, diameter(m.values)), m.rounding()};
}
// The variation against what the largest and the smallest ratio allow.
InequalitySides variation_of_ratio_sides(const TwoMeans& m) {
  const Vector ratio = (m.after / m.after.sum()).cwiseQuotient(m.before / m.before.sum());
  return {total_variation(m.after, m.before), variation_of_ratio(std::fmax(1, ratio.maxCoeff() / ratio.minCoeff())),
          real(m.before.size() + 8) * kUnit};
}

MeansSides times(double factor, const MeansSides& sides) {
  return [=](const TwoMeans& means) {
    InequalitySides changed = sides(means);
    changed.right *= factor;
    return changed;
  };
}

Evidence over_random(const Context& context, const MeansSides& sides) {
  const AttainedSupremum random =
      run_trials(context.trials(6000), AttainedSupremum{}, [&](std::uint32_t trial, AttainedSupremum& worst) {
        worst.add(sides(random_means(context.seed, trial)), [&] { return fmt::format("trial {}", trial); });
      });
  return supremum("log-normal weights, some values equal or long", random);
}

// From the population weights to the angular ones, by the oracle; its error widens the left side.
struct Biased {
  std::string name;
  TwoMeans means;
  double weight_error;
};

Biased biased(const Instance& instance, Index planes, double temperature) {
  const PopulationParameters parameters =
      population_parameters(instance, planes, temperature, Scaling::inverse_sqrt_dim);
  const PopulationWeights population = population_weights(parameters, instance);
  return {fmt::format("{} P={} tau={}", instance.name, planes, temperature),
          {population.weights, angular_weights(instance, planes), instance.values},
          population.error / population.weights.sum() * real(instance.num_keys())};
}

Evidence over_populations(const Context& context, const MeansSides& sides) {
  AttainedSupremum worst;
  std::uint32_t number = 0;
  for (const InstanceFamily family : {InstanceFamily::gaussian, InstanceFamily::needle, InstanceFamily::clustered,
                                      InstanceFamily::clustered_values}) {
    const Instance instance =
        make_instance({.family = family, .keys = 200, .dim = 128, .value_dim = 12}, context.seed, number++);
    for (const auto& [planes, temperature] : {std::pair<Index, double>{8, 0.5}, {10, 0.3}}) {
      const Biased b = biased(instance, planes, temperature);
      InequalitySides s = sides(b.means);
      s.rounding += 4 * b.weight_error * b.means.values.rowwise().norm().maxCoeff();
      worst.add(s, [&] { return b.name; });
    }
  }
  return supremum("exact population weights", worst);
}

// I-ANTI with values of two dimensions: both laws have two keys only, and the covariance one direction.
TwoMeans antipodal() {
  const Instance two =
      make_instance({.family = InstanceFamily::antipodal, .dim = 4, .value_dim = 2, .copies = 3}, Seed{0}, 0);
  return biased(two, 2, 0.5).means;
}

// rr = 1 +- 1/2 on the values +-1.
TwoMeans affine() {
  return {Vector{{1.0, 1.0}}, Vector{{3.0, 1.0}}, Matrix{{1.0}, {-1.0}}};
}

// rr = 1/2 and 2, of largest over smallest 4.
TwoMeans two_ratios() {
  return {Vector{{2.0, 1.0}}, Vector{{1.0, 2.0}}, Matrix{{1.0}, {-1.0}}};
}

auto on(const std::string& instance, const TwoMeans& means, const MeansSides& sides) {
  return [=](const Context&) { return std::vector{tight(instance, sides(means), Equality::open)}; };
}

constexpr const char* kSource = "docs/bounds/bias.md, ";

Statement bias_by_chi_square() {
  const auto measure = [](const Context& context) {
    return std::vector{over_random(context, chi_square_sides), over_populations(context, chi_square_sides),
                       tight("rr = 1 +- 1/2 on +-1", chi_square_sides(affine()), Equality::attained),
                       tight("I-ANTI(3), d_v=2", chi_square_sides(antipodal()), Equality::attained)};
  };
  const MeansSides mean_variance = [](const TwoMeans& m) {
    const double trace = covariance_under(m.before, m.values).trace() / real(m.values.cols());
    return InequalitySides{m.distance(), std::sqrt(chi_square(m.after, m.before) * trace), m.rounding()};
  };
  const MeansSides angular_covariance = [](const TwoMeans& m) {
    const double norm = largest_eigenvalue(covariance_under(m.after, m.values));
    return InequalitySides{m.distance(), std::sqrt(chi_square(m.after, m.before) * norm), m.rounding()};
  };
  return {
      .id = "OWN-8i",
      .title = "Bias bound from the chi-square distance between the two weight vectors",
      .source = std::string(kSource) + "8i",
      .scope = "a_tau > 0 wherever a > 0",
      .measure = measure,
      .mutants = {{"|Cov v| -> tr Cov v/d_v", on("I-ANTI(3), d_v=2", antipodal(), mean_variance)},
                  {"chi2 -> .96 chi2", on("rr = 1 +- 1/2 on +-1", affine(), times(std::sqrt(0.96), chi_square_sides))},
                  {"covariance under the angular weights", on("rr = 1 +- 1/2 on +-1", affine(), angular_covariance)}}};
}

Statement bias_by_variation() {
  const auto measure = [](const Context& context) {
    return std::vector{over_random(context, variation_sides),
                       over_random(context, variation_of_ratio_sides),
                       over_populations(context, variation_sides),
                       over_populations(context, variation_of_ratio_sides),
                       tight("two values", variation_sides(two_ratios()), Equality::attained),
                       tight("rr = 1/2 and 2", variation_of_ratio_sides(two_ratios()), Equality::attained)};
  };
  const MeansSides other_root = [](const TwoMeans& m) {
    InequalitySides s = variation_of_ratio_sides(m);
    const double ratio = std::pow((1 + s.right) / (1 - s.right), 2), root = std::pow(ratio, 0.49);
    s.right = (root - 1) / (root + 1);
    return s;
  };
  return {.id = "OWN-8ii",
          .title = "Bias bound from the total variation between the two weight vectors, itself bounded by their ratio",
          .source = std::string(kSource) + "8ii",
          .scope = "any weights; for the ratio a and a_tau above 0",
          .measure = measure,
          .mutants = {{"(sqrt k - 1)/(sqrt k + 1) halved",
                       on("rr = 1/2 and 2", two_ratios(), times(0.5, variation_of_ratio_sides))},
                      {"sqrt k -> k^.49", on("rr = 1/2 and 2", two_ratios(), other_root)},
                      {"TV diam/2", on("two values", two_ratios(), times(0.5, variation_sides))},
                      {"TV diam/1.02", on("two values", two_ratios(), times(1 / 1.02, variation_sides))}}};
}

}  // namespace

std::vector<Statement> statements() {
  return {bias_by_chi_square(), bias_by_variation()};
}

}  // namespace skt::bias_by_distance_group
