#include "proofs_check/laws/table_scores.hpp"

#include "proofs_check/rounding.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

// The query along e_1, a key along it and one against it.
Instance two_keys() {
  return {"two keys", Vector{{1, 0}}, Matrix{{1, 0}, {-1, 0}}, Matrix{{2, 0}, {0, 4}}};
}

}  // namespace

TEST_CASE("A rescaled weight is the mean over the tables of the bucket's probability", "[unit]") {
  // u = tanh(1)/sqrt(2) for the plane e_1 and 0 for e_2; sigma(2u/tau) and 1/2.
  const Hyperplanes hyperplanes = given_hyperplanes(2, 1, Matrix{{1, 0}, {0, 1}});
  const double p = 1 / (1 + std::exp(-2 * std::tanh(1.0) / std::sqrt(2.0) / 0.25));

  const Vector weights = rescaled_weights({}, two_keys(), hyperplanes, {.temperature = 0.25});

  REQUIRE(weights.size() == 2);
  CHECK(std::abs(weights(0) - (p + 0.5) / 2) <= 32 * kUnit);
  CHECK(std::abs(weights(1) - (1 - p + 0.5) / 2) <= 32 * kUnit);
}

TEST_CASE("The weights of a trial are those of the hyperplanes that its number draws", "[unit]") {
  const Context context{.seed = {5}};
  const SoftSetting setting{.tables = 3, .planes = 2, .parameters = {.temperature = 0.5}};

  const Vector of_trial = rescaled_weights(context, two_keys(), setting, 4);

  CHECK(of_trial == rescaled_weights(context, two_keys(), draw_hyperplanes({5}, 4, 3, 2, 2), setting.parameters));
  CHECK(of_trial != rescaled_weights(context, two_keys(), setting, 5));
}

TEST_CASE("The weights come from the estimators under test", "[mutant]") {
  const Context faulty{.estimators = estimators_with_fault("no-scaling")};
  const Hyperplanes hyperplanes = given_hyperplanes(1, 1, Matrix{{1, 0}});

  const Vector weights = rescaled_weights(faulty, two_keys(), hyperplanes, {.temperature = 0.25});

  CHECK(std::abs(weights(0) - 1 / (1 + std::exp(-2 * std::tanh(1.0) / 0.25))) <= 32 * kUnit);
}

TEST_CASE("Normaliser, numerator and output of weights 1 and 3", "[unit]") {
  const FiniteTables tables = finite_tables(Vector{{1, 3}}, two_keys().values);

  CHECK(tables.normaliser == 4);
  CHECK(tables.numerator == Vector{{2, 12}});
  CHECK(tables.output == Vector{{0.5, 3}});
}
