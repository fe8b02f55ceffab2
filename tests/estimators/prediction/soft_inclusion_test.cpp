#include "estimators/prediction/soft_inclusion.hpp"

#include "estimators/population/population.hpp"
#include "tests/normal_draws.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

PopulationParameters of(double temperature, Index planes) {
  return {11, temperature, 128, planes, Scaling::inverse_sqrt_dim};
}

// Those of Gaussian keys.
Vector some_cosines(Index keys, Index dim) {
  return (normal_vector(Seed{1}, 0, keys) / std::sqrt(real(dim))).cwiseMax(-1).cwiseMin(1);
}

double largest_distance(const PopulationParameters& p, Index tables, const Vector& factors, Index budget) {
  const Vector cosines = some_cosines(factors.size(), p.dim);
  const Vector a = soft_inclusion_by_moments(cosines, factors, p, tables)(budget);
  const Vector b = soft_inclusion_by_law(cosines, factors, p, tables)(budget);
  return (a - b).cwiseAbs().maxCoeff();
}

}  // namespace

TEST_CASE("The laws have the moments of the oracle, over the tables", "[oracle]") {
  const PopulationParameters p{3, 0.4, 8, 5, Scaling::inverse_sqrt_dim};
  const ScoreLaws laws = soft_score_laws(Vector{{-0.5, 0.0, 0.8}}, p, 60);

  for (const Index j : {0, 1, 2}) {
    const Cosine rho = Cosine::of(std::vector{-0.5, 0.0, 0.8}[j]);
    CHECK(laws.mean[j] == Approx(population_weight(p, rho).value).epsilon(1e-12));
    CHECK(laws.deviation[j] == Approx(std::sqrt(population_weight_variance(p, rho).value / 60)).epsilon(1e-12));
  }
  CHECK(soft_score_laws(Vector{{0.0}}, p, 15).skewness[0] == Approx(2 * laws.skewness[1]).epsilon(1e-12));
}

TEST_CASE("Below the skewness that divides them, moments and law say the same", "[oracle]") {
  const Vector ones = Vector::Ones(400), norms = normal_vector(Seed{1}, 1, 400).cwiseAbs().array() + 0.5;
  for (const auto& [temperature, planes, tables] : {std::tuple{0.5, 8, 60}, {0.7, 10, 60}, {0.3, 10, 60}}) {
    const PopulationParameters p = of(temperature, planes);
    REQUIRE(skewness_of_right_angle(p, tables) < kMostSkewness);
    for (const Index budget : {4, 40, 200}) {
      INFO("tau " << temperature << " planes " << planes << " budget " << budget);
      CHECK(largest_distance(p, tables, ones, budget) <= 0.01);
      CHECK(largest_distance(p, tables, norms, budget) <= 0.01);
    }
  }
}

TEST_CASE("Far beyond it they part, and the law is taken", "[unit]") {
  const PopulationParameters cold{11, 0.5, 128, 8, Scaling::none};
  REQUIRE(skewness_of_right_angle(cold, 60) > 2 * kMostSkewness);
  const Vector ones = Vector::Ones(400), cosines = some_cosines(400, 128);

  CHECK(largest_distance(cold, 60, ones, 200) > 0.02);
  CHECK(soft_inclusion(cosines, ones, cold, 60)(40) == soft_inclusion_by_law(cosines, ones, cold, 60)(40));
  CHECK(soft_inclusion(cosines, ones, of(0.5, 8), 60)(40) ==
        soft_inclusion_by_moments(cosines, ones, of(0.5, 8), 60)(40));
}

TEST_CASE("At temperature 0 the soft law selects as hard counts do", "[oracle]") {
  const PopulationParameters cold{11, 1e-7, 128, 6, Scaling::inverse_sqrt_dim};
  const Vector cosines = some_cosines(300, 128);
  const Vector chances = cosines.unaryExpr([](double rho) { return angular_weight(6, Cosine::of(rho)).value; });

  const Vector soft = soft_inclusion_by_law(cosines, Vector::Ones(300), cold, 20)(60);
  const Vector hard = inclusion_by_counts(chances, 20, 60);

  // Keys of one count share it evenly here and in order of their other scores there, of which none is left.
  CHECK((soft - hard).cwiseAbs().maxCoeff() <= 0.01);
}

TEST_CASE("The law's inclusion sums to the budget, and a factor of 0 leaves a key out", "[unit]") {
  const PopulationParameters cold{11, 0.05, 128, 8, Scaling::inverse_sqrt_dim};
  const Vector cosines = some_cosines(100, 128);
  Vector factors = normal_vector(Seed{1}, 2, 100).cwiseAbs();
  factors[3] = 0;
  const InclusionAt inclusion = soft_inclusion_by_law(cosines, factors, cold, 30);
  for (const Index budget : {1, 50, 99}) {
    const Vector pi = inclusion(budget);
    CHECK(pi.sum() == Approx(real(budget)).epsilon(1e-10));
    CHECK((pi.minCoeff() >= 0 && pi.maxCoeff() <= 1));
    if (budget < 99) CHECK(pi[3] == 0);
  }
  CHECK(inclusion(100) == Vector::Ones(100));
}

TEST_CASE("The unit of the factors is free", "[unit]") {
  const PopulationParameters cold{11, 0.05, 128, 8, Scaling::inverse_sqrt_dim};
  const Vector cosines = some_cosines(50, 128), factors = normal_vector(Seed{1}, 3, 50).cwiseAbs();
  const Vector once = soft_inclusion_by_law(cosines, factors, cold, 30)(10);
  CHECK((soft_inclusion_by_law(cosines, 1e6 * factors, cold, 30)(10) - once).cwiseAbs().maxCoeff() <= 1e-9);
}

TEST_CASE("A budget out of range, no table and no key are refused", "[unit]") {
  const Vector cosines = some_cosines(10, 128), ones = Vector::Ones(10);
  for (const auto by : {soft_inclusion_by_moments, soft_inclusion_by_law}) {
    CHECK_THROWS_AS(by(cosines, ones, of(0.5, 8), 0), InputError);
    CHECK_THROWS_AS(by(cosines, ones, of(0.5, 8), 60)(0), InputError);
    CHECK_THROWS_AS(by(cosines, ones, of(0.5, 8), 60)(11), InputError);
  }
  CHECK_THROWS_AS(soft_inclusion_by_law(Vector(0), Vector(0), of(0.5, 8), 60), InputError);
}
