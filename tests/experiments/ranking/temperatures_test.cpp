#include "experiments/ranking/temperatures.hpp"

#include "estimators/metrics/exact_correlation.hpp"
#include "sim/statistics/intervals.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

TemperaturePlan small_temperatures() {
  TemperaturePlan plan;
  for (const NamedFamily& family : table_families(512, 32))
    if (family.name == "gaussian" || family.name == "gaussian-unit-query" || family.name == "needle")
      plan.families.push_back(family);
  plan.planes = {1, 8};
  plan.temperatures = {0.3, 0.7};
  plan.tables = 30;
  plan.cuts = {8, 51};
  plan.trials = 12;
  return plan;
}

const TemperatureRow& row_of(const TemperatureTable& table, const std::string& family, Index planes, double temperature,
                             const std::string& ranker, Index cut) {
  for (const TemperatureRow& row : table.rows) {
    if (row.family == family && row.planes == planes && row.temperature == temperature && row.ranker == ranker &&
        row.cut == cut)
      return row;
  }
  FAIL("no row of " << family << " " << ranker);
  return table.rows.front();
}

}  // namespace

TEST_CASE("A table of temperatures", "[unit]") {
  static const TemperatureTable table = temperature_table(small_temperatures(), Seed{1});  // once for all sections

  SECTION("There is a row to each family, planes, temperature, ranker and k, of all trials") {
    REQUIRE(table.rows.size() == 3 * 2 * 2 * 3 * 2);
    for (const TemperatureRow& row : table.rows) {
      CHECK(row.precision.count() == 12);
      CHECK((row.precision.mean() >= 0 && row.precision.mean() <= 1));
      CHECK((row.predicted.mean() >= 0 && row.predicted.mean() <= 1));
      CHECK(std::isnan(row.correlation) == (row.family == "needle"));
    }
  }

  SECTION("Temperature and query norm change SOCKET's row and no other") {
    const auto precision = [&](const std::string& family, double temperature, const std::string& ranker) {
      return row_of(table, family, 8, temperature, ranker, 51).precision.mean();
    };

    for (const char* ranker : {"hamming", "hard-lsh"}) {
      CHECK(precision("gaussian", 0.3, ranker) == precision("gaussian", 0.7, ranker));
      CHECK(precision("gaussian", 0.3, ranker) == precision("gaussian-unit-query", 0.3, ranker));
    }
    CHECK(precision("gaussian", 0.3, "socket") != precision("gaussian", 0.7, "socket"));
    CHECK(precision("gaussian", 0.3, "socket") != precision("gaussian-unit-query", 0.3, "socket"));
  }

  SECTION("A lead is SOCKET's at the row's temperature, and at 8 planes large over hard LSH") {
    for (const TemperatureRow& row : table.rows) {
      const TemperatureRow& socket = row_of(table, row.family, row.planes, row.temperature, "socket", row.cut);
      CHECK(std::abs(row.lead.mean() - (socket.precision.mean() - row.precision.mean())) <= 1e-14);
    }
    CHECK(student(row_of(table, "gaussian", 8, 0.7, "hard-lsh", 51).lead, 1e-5).lo > 0);
  }

  SECTION("With one plane a hard count is the Hamming count") {
    for (const Index cut : {8, 51}) {
      const TemperatureRow& hard = row_of(table, "gaussian", 1, 0.3, "hard-lsh", cut);
      const TemperatureRow& hamming = row_of(table, "gaussian", 1, 0.3, "hamming", cut);
      CHECK(hard.precision.mean() == hamming.precision.mean());
      CHECK(hard.predicted.mean() == hamming.predicted.mean());
    }
  }

  SECTION("The correlation is that of the ranker's setting and of the family's query") {
    const HashSettings hash{.tables = 30, .planes = 8, .socket = {0.7, Scaling::inverse_sqrt_dim}, .top = 4};

    CHECK(row_of(table, "gaussian", 8, 0.7, "socket", 8).correlation ==
          exact_correlation("socket", 240, hash, 32, std::sqrt(32.0)));
    CHECK(row_of(table, "gaussian-unit-query", 8, 0.7, "socket", 8).correlation ==
          exact_correlation("socket", 240, hash, 32, 1));
  }
}

TEST_CASE("A plan of temperatures out of range is refused", "[unit]") {
  TemperaturePlan plan = small_temperatures();
  plan.cuts = {513};
  CHECK_THROWS_AS(temperature_table(plan, Seed{1}), InputError);
  plan = small_temperatures();
  plan.temperatures.clear();
  CHECK_THROWS_AS(temperature_table(plan, Seed{1}), InputError);
}
