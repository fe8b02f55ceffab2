#include "estimators/population/limits.hpp"

#include <cmath>
#include <numbers>

#include "estimators/population/pair_moment.hpp"
#include "estimators/population/population.hpp"
#include "sim/require.hpp"
#include "tests/catch.hpp"

using namespace skt;

namespace {

PopulationParameters small_case(double temperature) {
  return {1, temperature, 16, 8, Scaling::inverse_sqrt_dim};
}

// |value - printed| is at most half a unit of the last printed digit.
bool prints_as(double value, double printed, double half_unit) {
  return std::abs(value - printed) <= half_unit;
}

}  // namespace

TEST_CASE("epsilon approaches its linear law as the temperature falls", "[oracle]") {
  // d = 16, |q| = 1, P = 8, graded quadrature in double precision.
  const struct {
    double temperature, ratio, half_unit;
  } rows[] = {{1e-1, .708, 5e-4},    {1e-2, .9626, 5e-5},    {1e-3, .99614, 5e-6},
              {1e-4, .999613, 5e-7}, {1e-5, .9999613, 5e-8}, {1e-6, .9999961, 5e-8}};
  for (const auto& row : rows) {
    const PopulationParameters p = small_case(row.temperature);
    INFO("tau " << row.temperature);
    CHECK(prints_as(epsilon(p).value / cold_epsilon(p), row.ratio, row.half_unit));
  }
}

TEST_CASE("the population bias of a generic key is quadratic in the temperature", "[oracle]") {
  const struct {
    double temperature, ratio, half_unit;
  } rows[] = {{1e-2, 1.0021, 5e-5}, {1e-3, 1.00002, 5e-6}, {1e-4, 1.0000002, 5e-8}};
  const Cosine rho = Cosine::of(0.6);
  for (const auto& row : rows) {
    const PopulationParameters p = small_case(row.temperature);
    const double excess = plane_agreement(p, rho).value - hard_agreement(rho);
    INFO("tau " << row.temperature);
    CHECK(prints_as(excess / cold_agreement_excess(p, rho), row.ratio, row.half_unit));
  }
}

TEST_CASE("epsilon approaches 1 - 2^-P as the temperature rises", "[oracle]") {
  const struct {
    double temperature, scaled_deficit, half_unit;
  } rows[] = {{1, .00704, 5e-6}, {10, .00456, 5e-6}, {100, .004365, 5e-7}};
  for (const auto& row : rows) {
    const PopulationParameters p = small_case(row.temperature);
    const double deficit = 1 - std::exp2(-8) - epsilon(p).value;
    INFO("tau " << row.temperature);
    CHECK(prints_as(row.temperature * deficit, row.scaled_deficit, row.half_unit));
  }
  const PopulationParameters hot = small_case(1e4);
  // The next term is smaller by P s/tau, and the deficit carries the rounding of 1.
  const double deficit = 1 - std::exp2(-8) - epsilon(hot).value;
  CHECK(std::abs(deficit / hot_epsilon_deficit(hot) - 1) <= 8 / (4 * 1e4) + 1e-15 / deficit);
}

TEST_CASE("every pair moment is the hard one as the temperature falls and the saturated one as the norm rises",
          "[oracle]") {
  const struct {
    double rho_i, rho_j, r;
  } triples[] = {{.6, .3, .5}, {.9, -.8, -.6}, {-.75, -.75, .5}, {.5, .5, 1}, {.5, -.5, -1}, {1, .3, .3}};
  for (const auto& [rho_i, rho_j, r] : triples) {
    const Cosine i = Cosine::of(rho_i), j = Cosine::of(rho_j), ij = Cosine::of(r);
    const PopulationParameters cold{1, 1e-9, 16, 1, Scaling::inverse_sqrt_dim};
    const PopulationParameters strong{1e9, 0.5, 16, 1, Scaling::inverse_sqrt_dim};
    const Estimate h_cold = plane_pair_moment(cold, i, j, ij), h_strong = plane_pair_moment(strong, i, j, ij);
    const Estimate g_strong = plane_agreement(strong, i);
    INFO("cosines " << rho_i << " " << rho_j << " " << r);

    // s moves from its limit by at most the mass lost on that side of the query: E miss = epsilon of one plane for each
    // key; and |T - t| <= S (1 - tanh(|q||z|)), whose mean is S sqrt(2/pi) ln2 / |q|.
    CHECK(std::abs(h_cold.value - hard_pair_moment(i, j, ij)) <= 2 * cold_epsilon(cold) + 1e-15);
    const double lost = 0.5 * std::sqrt(2 / std::numbers::pi) * std::numbers::ln2 / 1e9;
    CHECK(std::abs(h_strong.value - saturated_pair_moment(strong, i, j, ij)) <= 2 * lost + 1e-15);
    CHECK(std::abs(g_strong.value - saturated_agreement(strong, i)) <= lost + 1e-15);
  }
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
