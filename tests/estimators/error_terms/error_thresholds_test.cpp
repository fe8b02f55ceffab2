#include "estimators/error_terms/error_thresholds.hpp"

#include "estimators/error_terms/temperature_search.hpp"
#include "sim/families.hpp"
#include "tests/experiments/refusal.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

PopulationFigures exact_figures(const Instance& instance, const Setting& setting) {
  PopulationFigures at = population_figures(instance, setting);
  at.centre = exact_centre(instance, setting);
  return at;
}

Instance needle() {
  return make_instance({.family = InstanceFamily::needle, .keys = 96, .dim = 8, .query_norm = std::sqrt(8)}, Seed{2},
                       0);
}

}  // namespace

TEST_CASE("A count is the smallest whole one that brings coefficient/sqrt(n) to the level", "[unit]") {
  CHECK(smallest_count(3, 1) == 9);
  CHECK(smallest_count(3, 2) == 3);  // 2.25
  CHECK(smallest_count(1, 5) == 1);
}

TEST_CASE("At its thresholds the error itself meets the target", "[statement]") {
  const Instance instance = needle();
  const Setting setting{.planes = 3, .tables = 16, .samples = 9, .temperature = 0.5};
  const PopulationFigures at = exact_figures(instance, setting);
  constexpr double kTarget = 0.001;
  const Thresholds together = error_thresholds(instance, at, kTarget).together;

  // There each of the three mean squares is a third of the target's at most.
  Setting there = setting;
  there.tables = std::llround(together.tables);
  there.samples = std::llround(together.samples);
  there.temperature = together.temperature;
  const PopulationFigures reached = exact_figures(instance, there);
  const double third = std::pow(kTarget * at.trivial, 2) / 3;
  CHECK(together.temperature < setting.temperature);
  CHECK(reached.centre.bias.value <= kTarget * at.trivial / std::numbers::sqrt3 * (1 + 10 * kLogTemperatureError));
  CHECK(reached.centre.tables.mean_square.value / together.tables <= third);
  CHECK(reached.centre.tables.mean_square.value / (together.tables - 1) > third);
  CHECK(std::pow(reached.sampling * at.trivial, 2) <= third);
  CHECK(std::pow(reached.sampling * at.trivial, 2) * together.samples / (together.samples - 1) > third);
}

TEST_CASE("A term alone needs a third of the tables and samples that a third of the square needs", "[unit]") {
  const Instance instance = needle();
  const PopulationFigures at = exact_figures(instance, {.planes = 3, .tables = 16, .samples = 9, .temperature = 0.01});

  // At so low a temperature the bias leaves the temperature alone.
  const ErrorThresholds needs = error_thresholds(instance, at, 0.001);

  REQUIRE(needs.together.temperature == 0.01);
  CHECK(std::abs(needs.together.tables - 3 * needs.alone.tables) <= 3);  // both rounded up
  CHECK(std::abs(needs.together.samples - 3 * needs.alone.samples) <= 3);
  CHECK(needs.alone.temperature > needs.together.temperature);
}

TEST_CASE("A query too short for any bucket is refused by its norm, and not by a temperature", "[unit]") {
  const Setting setting{.planes = 3, .tables = 16, .samples = 9, .temperature = 0.5};
  const auto refused = [&](double query_norm, double target) {
    Instance instance = needle();
    instance.query *= query_norm / instance.query.norm();
    return refusal([&] { require_target_in_reach(instance, population_figures(instance, setting), target); });
  };

  // At 1e-140 tanh is 1e-140 and every soft bit 1/2: y_tau is the plain mean at every temperature.
  CHECK(refused(1e-140, 0.01).find("query norm is 1e-140, target 0.01: even at temperature 1e-09") == 0);
  CHECK(refused(1e-140, 0.01).find("allowed are longer queries or targets above") != std::string::npos);
  CHECK(refused(std::sqrt(8), 0.01).empty());
  CHECK(refused(1e-140, 10).empty());  // twice the longest value is the most that an error can be
}
