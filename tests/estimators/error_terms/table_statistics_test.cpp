#include "estimators/error_terms/table_statistics.hpp"

#include <cstdint>

#include "estimators/error_terms/population_figures.hpp"
#include "sim/families.hpp"
#include "sim/statistics/intervals.hpp"
#include "tests/numbers.hpp"

using namespace skt;

TEST_CASE("The effective number of values is their number where all are as frequent, and less elsewhere", "[unit]") {
  const auto whole = [](double x) -> std::uint32_t { return std::uint32_t(std::lround(x)); };

  CHECK(effective_number(Vector{{1.0, 2.0, 1.0, 2.0}}, whole) == 2);
  CHECK(effective_number(Vector{{5.0, 5.0, 5.0}}, whole) == 1);
  CHECK(effective_number(Vector{{1.0, 1.0, 1.0, 3.0}}, whole) == 1.6);  // 16/(9 + 1)
}

TEST_CASE("bfloat16 rounds to eight significant bits, ties to even", "[unit]") {
  CHECK(as_bfloat16(1) == 0x3f80);
  CHECK(as_bfloat16(-2) == 0xc000);
  CHECK(as_bfloat16(1 + 0x1p-8) == 0x3f80);            // half way up to 1 + 2^-7: to the even one below
  CHECK(as_bfloat16(1 + 3 * 0x1p-8) == 0x3f82);        // half way between odd and even
  CHECK(as_bfloat16(1 + 0x1p-8 + 0x1p-20) == 0x3f81);  // just above half way
}

TEST_CASE("The quantile of the fullest of L tables is that of one table at the L-th root", "[unit]") {
  std::vector<double> fullest;
  for (int i = 1; i <= 101; ++i) fullest.push_back(i);

  CHECK(quantile_occupancy(fullest, 1, 0.25) == 76);  // 1 + 100 * 0.75
  CHECK(quantile_occupancy(fullest, 2, 0.25) == 88);  // 1 + 100 * 0.866.., up to a whole key
  CHECK(quantile_occupancy(fullest, 2, 0.75) == 51);  // 1 + 100/2
}

TEST_CASE("The share of keys that no table brings to the query meets its exact mean", "[statement]") {
  const Instance instance = make_instance({.keys = 200, .dim = 8, .query_norm = std::sqrt(8)}, Seed{4}, 0);
  const Setting setting{.planes = 4, .tables = 60, .samples = 20};
  const TableStatistics drawn = table_statistics(instance, setting, Seed{5}, 60);
  const double exact = population_figures(instance, setting).keys_never_hit;

  const Interval seen = student(drawn.keys_never_hit, 1e-4);
  CHECK(seen.contains(exact));
  // The lie: a third fewer tables.
  Setting fewer = setting;
  fewer.tables = 40;
  CHECK(!seen.contains(population_figures(instance, fewer).keys_never_hit));
  CHECK(drawn.occupancy.size() == 60 * 60);
}
