#include "proofs_check/inequalities/gaussian_violations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "estimators/weighted_output.hpp"
#include "sim/families.hpp"
#include "sim/number.hpp"
#include "sim/trial_loop.hpp"

namespace skt {
namespace {

constexpr Index kGaussianKeyCount = 32, kGaussianDim = 16, kValueDim = 4, kGaussianPlanes = 2;
constexpr double kTemperature = 0.3;

}  // namespace

double GaussianKeys::numerator_error(const FiniteTables& t) const {
  return (t.numerator - instance.values.transpose() * population.soft).norm();
}
double GaussianKeys::output_error(const FiniteTables& t) const {
  return (t.output - population.soft_output).norm();
}

double GaussianKeys::largest_mass_error() const {
  return std::max(population.soft_mass, real(instance.keys.rows()) - population.soft_mass);
}
double GaussianKeys::largest_numerator_error() const {
  const Vector farthest = population.soft.array().max(1 - population.soft.array());
  return farthest.dot(row_norms(instance.values));
}
double GaussianKeys::longest_value() const {
  return row_norms(instance.values).maxCoeff();
}

GaussianKeys gaussian_keys(Seed seed) {
  const Instance instance =
      make_instance({.keys = kGaussianKeyCount, .dim = kGaussianDim, .value_dim = kValueDim}, seed, 0);
  const Population population = population_of(instance, kGaussianPlanes, kTemperature);
  const BoundConstants constants{.occupancy = real(kGaussianKeyCount),
                                 .angular_mass = population.angular_mass,
                                 .population_mass = population.soft_mass,
                                 .spectral_norm = spectral_norm(instance.values),
                                 .epsilon = population.epsilon.value};
  const Index tables = std::lround(std::ceil(required_tables(constants, kGaussianDelta)));
  return {instance, population, constants, tables};
}

Evidence violations_on_gaussian_keys(const Context& context, double allowed, const ErrorOfTables& error,
                                     const BoundOnKeys& bound) {
  const GaussianKeys g = gaussian_keys(context.seed);
  const SoftSetting setting{g.tables, kGaussianPlanes, {kTemperature}};
  const DrawnErrors errors = run_trials(context.trials(2'000), DrawnErrors{}, [&](std::uint32_t trial, DrawnErrors& e) {
    e.add(error(g, finite_tables(rescaled_weights(context, g.instance, setting, trial), g.instance.values)));
  });
  return exceeded(context,
                  fmt::format("{} Gaussian keys, values in R^{}, B=N P=2 d={} L={}", kGaussianKeyCount, kValueDim,
                              kGaussianDim, g.tables),
                  errors, bound(g), allowed);
}

}  // namespace skt
