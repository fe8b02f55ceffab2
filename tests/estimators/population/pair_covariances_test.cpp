#include "estimators/population/pair_covariances.hpp"

#include <boost/multiprecision/cpp_bin_float.hpp>

#include "estimators/population/pair_moment.hpp"
#include "estimators/population/population.hpp"
#include "estimators/population/weights.hpp"
#include "tests/estimators/population/plain_moments.hpp"
#include "tests/normal_draws.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

// With 50 digits from the vectors as they are, and what it lacks of 1.
Cosine exact_cosine(const Vector& a, const Vector& b) {
  using Real = boost::multiprecision::cpp_bin_float_50;
  Real product = 0, of_a = 0, of_b = 0;
  for (Index c = 0; c < a.size(); ++c) {
    product += Real(a[c]) * b[c];
    of_a += Real(a[c]) * a[c];
    of_b += Real(b[c]) * b[c];
  }
  const Real cosine = product / sqrt(of_a * of_b);
  const Real complement = 1 - abs(cosine);
  return {cosine.convert_to<double>(), complement.convert_to<double>()};
}

}  // namespace

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

TEST_CASE("pairs near a pole of each other keep what is stated, though none of them is among those sampled",
          "[oracle]") {
  // Forty keys and forty more, each turned from its own, or from the opposite of it, by 1 .. 1e-16; one plane.
  constexpr Index kPairs = 40;
  for (const double pole : {1.0, -1.0}) {
    for (const double temperature : {0.05, 1.0}) {
      const Index dim = 16;
      Instance instance = make_instance({.keys = kPairs, .dim = dim}, Seed{12}, 0);
      const Matrix keys = instance.keys.rowwise().normalized(), turns = normal_matrix(Seed{12}, 1, kPairs, dim);
      instance.keys.conservativeResize(2 * kPairs, dim);
      instance.values = Matrix::Ones(2 * kPairs, 1);
      for (Index j = 0; j < kPairs; ++j) {
        const double turn = std::pow(10, -0.4 * real(j));
        instance.keys.row(kPairs + j) = pole * (keys.row(j) + turn * turns.row(j).normalized());
      }
      const PopulationParameters p = population_parameters(instance, 1, temperature, Scaling::none);

      const PairCovariances covariances(p, instance);
      const auto block = covariances.block(0, kPairs, kPairs, kPairs);

      CHECK(covariances.covariance_error() <= 1e-13);
      for (Index j = 0; j < kPairs; ++j) {
        const Vector key = instance.keys.row(j), other = instance.keys.row(kPairs + j);
        const Estimate exact = plane_pair_covariance(p, exact_cosine(key, instance.query),
                                                     exact_cosine(other, instance.query), exact_cosine(key, other));
        INFO("pole " << pole << " tau " << temperature << " pair " << j << ": " << block.covariance(j, j) << " exact "
                     << exact.value);
        CHECK(std::abs(block.covariance(j, j) - exact.value) <= covariances.covariance_error() + exact.error);
      }
    }
  }
}

TEST_CASE("a block of the covariances is the same entries of the whole", "[unit]") {
  const Instance instance = make_instance({.keys = 6, .dim = 8}, Seed{5}, 0);
  const PairCovariances covariances(population_parameters(instance, 3, 0.5, Scaling::inverse_sqrt_dim), instance);

  const auto whole = covariances.block(0, 6, 0, 6), part = covariances.block(1, 2, 3, 3);

  CHECK(covariances.keys() == 6);
  // Products of another shape may add in another order.
  CHECK((part.covariance - whole.covariance.block(1, 3, 2, 3)).cwiseAbs().maxCoeff() <= 1e-15);
  CHECK((part.sensitivity - whole.sensitivity.block(1, 3, 2, 3)).cwiseAbs().maxCoeff() <= 1e-14);
}

TEST_CASE("the diagonal is the variance of one table's score, and the weights are its means", "[oracle]") {
  const Instance instance = make_instance({.keys = 5, .dim = 8}, Seed{6}, 0);
  const PopulationParameters p = population_parameters(instance, 3, 0.5, Scaling::inverse_sqrt_dim);
  const PairCovariances covariances(p, instance);
  const auto block = covariances.block(0, 5, 0, 5);

  for (Index j = 0; j < 5; ++j) {
    const double rho = instance.query.normalized().dot(instance.keys.row(j).normalized());
    CHECK(std::abs(block.covariance(j, j) - population_weight_variance(p, Cosine::of(rho)).value) <= 1e-11);
    CHECK(std::abs(covariances.weights()[j] - population_weight(p, Cosine::of(rho)).value) <= 1e-12);
  }
}
