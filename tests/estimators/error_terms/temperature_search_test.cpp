#include "estimators/error_terms/temperature_search.hpp"

#include "sim/families.hpp"
#include "tests/numbers.hpp"

using namespace skt;

TEST_CASE("A quantity that rises with the temperature meets the level at the answer", "[unit]") {
  CHECK(std::abs(largest_temperature(12, [](double t) { return 3 * t * t; }) / 2 - 1) <= 2 * kLogTemperatureError);
  CHECK(std::abs(largest_temperature(0.75, [](double t) { return t / (1 + t); }) / 3 - 1) <= 2 * kLogTemperatureError);
}

TEST_CASE("A quantity that never reaches the level holds at every temperature, one always above it at none", "[unit]") {
  CHECK(std::isinf(largest_temperature(1, [](double t) { return t / (1 + t); })));
  CHECK(std::isinf(largest_temperature(1, [](double) { return 0; })));
  CHECK(largest_temperature(1, [](double t) { return 2 + t; }) == 0);
}

TEST_CASE("On an instance the search looks at the population at each temperature", "[unit]") {
  const Instance instance = make_instance({.keys = 20, .dim = 8}, Seed{1}, 0);
  const Setting setting{.planes = 4};

  const double found = largest_temperature(instance, setting, 0.25, [](const AtTemperature& at) { return at.epsilon; });

  // About linear in tau below its limit 15/16, so as sure as log tau.
  CHECK(std::abs(epsilon(population_parameters(instance, {.planes = 4, .temperature = found})).value / 0.25 - 1) <=
        10 * kLogTemperatureError);
  CHECK(at_temperature(instance, setting, found).population_mass ==
        population_centre(instance, {.planes = 4, .temperature = found}).population_mass);
}
