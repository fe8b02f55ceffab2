#include "estimators/population/weights.hpp"

#include "estimators/population/population.hpp"
#include "sim/randomness.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

// Cosines at random angles, half of them within 10^0 .. 10^-7 of a pole, and both poles.
Vector awkward_cosines(Index count) {
  std::vector<double> u(2 * count);
  fill_uniform(Seed{11}, {Role::test_draw, 0, 0, 0, 0}, u);
  Vector cosines(count);
  for (Index j = 0; j < count; ++j) {
    const double angle = j % 2 == 0 ? std::numbers::pi * u[2 * j] : std::pow(10, -7 * u[2 * j]);
    cosines[j] = (u[2 * j + 1] < 0.5 ? -1 : 1) * std::cos(angle);
  }
  cosines[0] = 1, cosines[1] = -1;
  return cosines;
}

}  // namespace

TEST_CASE("interpolated weights agree with the quadrature between the nodes", "[oracle]") {
  const double norms[] = {1e-3, std::sqrt(128.0), 1e3}, temperatures[] = {1e-6, 0.03, 0.5, 100};
  const Vector cosines = awkward_cosines(60);
  for (double norm : norms) {
    for (double temperature : temperatures) {
      const PopulationParameters p{norm, temperature, 128, 8, Scaling::inverse_sqrt_dim};
      const PopulationWeights quick = population_weights(p, cosines);
      const double largest = quick.weights.maxCoeff();
      INFO("norm " << norm << " tau " << temperature);

      CHECK(quick.error <= 1e-12 * largest);
      for (Index j = 0; j < cosines.size(); ++j) {
        const Estimate exact = population_weight(p, Cosine::of(cosines[j]));
        INFO("cosine " << cosines[j] << " weight " << quick.weights[j] << " exact " << exact.value);
        CHECK(std::abs(quick.weights[j] - exact.value) <= quick.error + exact.error);
      }
    }
  }
}

TEST_CASE("interpolated weights keep their relative accuracy at the antipode", "[oracle]") {
  const PopulationParameters p{1, 1e-6, 16, 1, Scaling::inverse_sqrt_dim};
  Vector cosines(3);
  cosines << -1, -1 + 1e-15, -1 + 1e-9;

  const Vector quick = population_weights(p, cosines).weights;

  for (Index j = 0; j < 3; ++j) {
    const double exact = population_weight(p, {cosines[j], 1 + cosines[j]}).value;
    INFO("cosine " << cosines[j]);
    CHECK(std::abs(quick[j] - exact) <= 1e-12 * exact);
  }
}

TEST_CASE("weights of an instance are those of its cosines, and a zero key has a half for each plane", "[unit]") {
  Instance instance;
  instance.query = Vector::Unit(3, 0) * 2;
  instance.keys = Matrix::Zero(5, 3);
  instance.keys.row(0) << 5, 0, 0;
  instance.keys.row(1) << -1e-200, 0, 0;
  instance.keys.row(2) << 3, 4, 0;
  instance.keys.row(3) << 0, 0, 1e200;
  const PopulationParameters p = population_parameters(instance, 4, 0.5, Scaling::none);
  Vector cosines(5);
  cosines << 1, -1, 0.6, 0, 0;

  const PopulationWeights by_keys = population_weights(p, instance), by_cosines = population_weights(p, cosines);

  CHECK(p.query_norm == 2);
  CHECK((by_keys.weights - by_cosines.weights).cwiseAbs().maxCoeff() <= by_keys.error);
  CHECK(std::abs(by_keys.weights[4] - 1.0 / 16) <= by_keys.error);
}

TEST_CASE("a cosine outside -1 to 1 and a key that is not finite are refused", "[unit]") {
  const PopulationParameters p;
  Vector cosines(2);
  cosines << 0.5, std::numeric_limits<double>::quiet_NaN();
  Instance instance;
  instance.query = Vector::Ones(2);
  instance.keys = Matrix::Constant(1, 2, std::numeric_limits<double>::infinity());

  CHECK_THROWS_AS(population_weights(p, cosines), InputError);
  CHECK_THROWS_AS(population_weights(p, instance), InputError);
}
