#include "estimators/population/limits.hpp"

#include <cmath>

#include "estimators/population/pair_moment.hpp"
#include "estimators/population/population.hpp"
#include "sim/require.hpp"
#include "tests/catch.hpp"

using namespace skt;

TEST_CASE("at temperature 0 right angles agree half of the time, and three of them all a quarter", "[unit]") {
  const Cosine right = Cosine::of(0), half = Cosine::of(0.5), one = Cosine::of(1);

  CHECK(hard_agreement(right) == Approx(0.5));
  CHECK(hard_agreement(half) == Approx(2.0 / 3));
  CHECK(hard_pair_moment(right, right, right) == Approx(0.25));
  CHECK(hard_pair_moment(half, half, one) == Approx(2.0 / 3));               // a duplicate
  CHECK(hard_pair_moment(half, half, Cosine::of(-0.5)) == Approx(1.0 / 3));  // 2/3 + 2/3 + 1/3 - 1, halved
}

TEST_CASE("at a low temperature a pair's moment is the hard one, up to what tanh takes from it", "[oracle]") {
  const PopulationParameters cold{1, 1e-9, 16, 1, Scaling::inverse_sqrt_dim};
  const Cosine i = Cosine::of(0.6), j = Cosine::of(0.3), ij = Cosine::of(0.5);
  // Each key's probability is short of its side by epsilon of one plane in the mean.
  const double lost = 2 * epsilon(cold).value;

  CHECK(std::abs(plane_pair_moment(cold, i, j, ij).value - hard_pair_moment(i, j, ij)) <= lost + 1e-15);
  CHECK(lost <= 1e-8);
}

TEST_CASE("temperatures far outside practice have finite answers or are refused", "[unit]") {
  const auto sound = [](const Estimate& e) {
    return e.value >= 0 && e.value <= 1 && e.error >= 0 && e.error <= 1e-11 * e.value + 1e-290;
  };
  for (double temperature : {1e-150, 1e-12, 1e12, 1e150}) {
    for (double norm : {1e-150, 1e-12, 1.0, 1e12, 1e150}) {
      const PopulationParameters p{norm, temperature, 1, 10, Scaling::none};
      INFO("tau " << temperature << " norm " << norm);
      CHECK(sound(epsilon(p)));
      CHECK(sound(population_weight(p, Cosine::of(-1))));
      CHECK(sound(population_weight(p, Cosine::of(0.3))));
      CHECK(sound(population_weight_variance(p, Cosine::of(1))));
    }
  }
  for (double temperature : {1e-12, 1e12}) {
    const PopulationParameters p{1e3, temperature, 1, 10, Scaling::none};
    INFO("tau " << temperature);
    CHECK(sound(plane_pair_moment(p, Cosine::of(0.3), Cosine::of(-0.2), Cosine::of(0.1))));
  }
  for (double temperature : {0.0, -1.0, 1e-200, std::nan(""), HUGE_VAL}) {
    INFO("tau " << temperature);
    CHECK_THROWS_AS(epsilon({1, temperature, 1, 1, Scaling::none}), InputError);
    CHECK_THROWS_AS(epsilon({temperature, 1, 1, 1, Scaling::none}), InputError);
  }
  CHECK_THROWS_AS(epsilon({1, 1, 0, 1, Scaling::inverse_sqrt_dim}), InputError);
  CHECK_THROWS_AS(epsilon({1, 1, 1, 0, Scaling::none}), InputError);
}
