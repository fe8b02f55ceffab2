#include "estimators/population/pair_covariances.hpp"

#include <cmath>
#include <limits>

#include "estimators/population/population.hpp"
#include "estimators/population/weights.hpp"
#include "tests/catch.hpp"
#include "tests/estimators/population/plain_moments.hpp"

using namespace skt;

TEST_CASE("covariances of all pairs agree with plain quadrature of each", "[oracle]") {
  for (const Instance& instance : awkward_instances()) {
    for (double temperature : {1e-3, 0.5, 20.0}) {
      const PopulationParameters p = population_parameters(instance, 3, temperature, Scaling::inverse_sqrt_dim);
      const PlainMoments plain = plain_moments(p, instance);
      const PairCovariances covariances(p, instance);
      const Index keys = instance.num_keys();
      const auto block = covariances.block(0, keys, 0, keys);
      // The plain route loses digits in the difference, and knows a moment to a few rounding units.
      constexpr double kRounding = 64 * std::numeric_limits<double>::epsilon();

      for (Index i = 0; i < keys; ++i) {
        for (Index j = 0; j < keys; ++j) {
          const double exact = plain.moments(i, j) - plain.weights[i] * plain.weights[j];
          const double allowed =
              block.sensitivity(i, j) * covariances.covariance_error() + kRounding * plain.moments(i, j);
          INFO(instance.name << " tau " << temperature << " pair " << i << ", " << j << ": " << block.covariance(i, j)
                             << " exact " << exact << " allowed " << allowed);
          CHECK(std::abs(block.covariance(i, j) - exact) <= allowed);
        }
      }
      CHECK(covariances.covariance_error() <= 1e-11);
    }
  }
}

TEST_CASE("a block of the covariances is the same entries of the whole", "[unit]") {
  FamilyParameters parameters;
  parameters.keys = 6;
  parameters.dim = 8;
  const Instance instance = make_instance(parameters, Seed{5}, 0);
  const PairCovariances covariances(population_parameters(instance, 3, 0.5, Scaling::inverse_sqrt_dim), instance);

  const auto whole = covariances.block(0, 6, 0, 6), part = covariances.block(1, 2, 3, 3);

  CHECK(covariances.keys() == 6);
  // Products of another shape may add in another order.
  CHECK((part.covariance - whole.covariance.block(1, 3, 2, 3)).cwiseAbs().maxCoeff() <= 1e-15);
  CHECK((part.sensitivity - whole.sensitivity.block(1, 3, 2, 3)).cwiseAbs().maxCoeff() <= 1e-14);
}

TEST_CASE("the diagonal is the variance of one table's score, and the weights are its means", "[oracle]") {
  FamilyParameters parameters;
  parameters.keys = 5;
  parameters.dim = 8;
  const Instance instance = make_instance(parameters, Seed{6}, 0);
  const PopulationParameters p = population_parameters(instance, 3, 0.5, Scaling::inverse_sqrt_dim);
  const PairCovariances covariances(p, instance);
  const auto block = covariances.block(0, 5, 0, 5);

  for (Index j = 0; j < 5; ++j) {
    const double rho = instance.query.normalized().dot(instance.keys.row(j).normalized());
    CHECK(std::abs(block.covariance(j, j) - population_weight_variance(p, Cosine::of(rho)).value) <= 1e-11);
    CHECK(std::abs(covariances.weights()[j] - population_weight(p, Cosine::of(rho)).value) <= 1e-12);
  }
}
