#include "gpu/check/cases/axes.hpp"

#include "tests/numbers.hpp"

#include <tuple>

using namespace skt;
using namespace skt::gpu;

namespace {

std::vector<CheckCase> cases_in(const char* table) {
  Grid grid(9);
  grid.add(table);
  return grid.take();
}

}  // namespace

TEST_CASE("a combination sets the axes that it takes and leaves the others", "[unit]") {
  CheckCase base;
  base.kv_heads = 3;
  const std::vector<Axis> axes = axes_of("group=1|4 keys=7|9");

  const CheckCase both = case_with(base, axes, {1, 0}), keys = case_with(base, axes, {kUnset, 1});

  CHECK((both.heads == 12 && both.keys == 7));
  CHECK((keys.heads == base.heads && keys.keys == 9));
}

TEST_CASE("a line is all combinations of its axes, the last going round first", "[unit]") {
  std::vector<std::pair<std::int64_t, std::int64_t>> met;
  for (const CheckCase& c : cases_in("dim=32|64 keys,budget=5,1|7,3 planes=8"))
    met.emplace_back(c.dim, c.keys * c.budget);
  CHECK(met == decltype(met){{32, 5}, {32, 21}, {64, 5}, {64, 21}});
}

TEST_CASE("all words of a field and all numbers of a range are values", "[unit]") {
  std::set<MaskKind> masks;
  std::set<std::int64_t> planes;
  for (const CheckCase& c : cases_in("mask=* planes=4..6|9")) {
    masks.insert(c.mask);
    planes.insert(c.planes);
  }
  CHECK(masks.size() == 5);
  CHECK(planes == std::set<std::int64_t>{4, 5, 6, 9});
}

TEST_CASE("what lines have in common stands before them up to an empty line, and they may say otherwise", "[unit]") {
  const std::vector<CheckCase> cases = cases_in(R"(
# a comment
dim=32 keys=5:
  planes=7
  keys=6 \
    planes=8

planes=9
)");

  REQUIRE(cases.size() == 3);
  CHECK((cases[0].dim == 32 && cases[0].keys == 5 && cases[0].planes == 7));
  CHECK((cases[1].dim == 32 && cases[1].keys == 6 && cases[1].planes == 8));
  CHECK((cases[2].dim == CheckCase{}.dim && cases[2].keys == CheckCase{}.keys && cases[2].planes == 9));
}

TEST_CASE("a case of a grid has its seed and a cache of whole tiles that is not full unless it says so", "[unit]") {
  const std::vector<CheckCase> cases = cases_in("keys=1|63|64|65\nkeys,capacity=128,128");

  REQUIRE(cases.size() == 5);
  CHECK(cases[0].capacity == 64);
  CHECK(cases[1].capacity == 64);
  CHECK(cases[2].capacity == 128);  // 64 keys would fill one tile
  CHECK(cases[3].capacity == 128);
  CHECK(cases[4].capacity == 128);
  for (const CheckCase& added : cases) CHECK(added.seed == 9);
}

TEST_CASE("a case that two lines hold is added once", "[unit]") {
  CHECK(cases_in("keys=1|2\nkeys=2|3").size() == 3);
}

TEST_CASE("what is no axis is refused by name", "[unit]") {
  CHECK_THROWS_WITH(axes_of("keys"), "axis 'keys': allowed is name=value|value");
  CHECK_THROWS_WITH(axes_of("kees=3"), "case: 'kees' is no field");
  CHECK_THROWS_WITH(axes_of("keys=3x"), "case: keys=3x is not a number");
  CHECK_THROWS_WITH(axes_of("mask=some"), "case: mask=some: allowed are none, random, padding, causal, nothing");
  CHECK_THROWS_WITH(axes_of("keys=*"), "axis keys=*: allowed is a field of words");
  CHECK_THROWS_WITH(axes_of("keys=4..3"), "axis keys=4..3: allowed is a range that begins before its end");
  CHECK_THROWS_WITH(axes_of("keys,dim=4|5,32"), "axis 'keys,dim=4|5,32': 4 is not a value for each of 2");
}

TEST_CASE("every pair of values of two axes occurs, in fewer cases than there are combinations", "[unit]") {
  Grid grid(1);
  grid.add_pairs("dim=32", "group=1|2|4 keys=1|2|3 planes=5|6 tables=1|2");
  const std::vector<CheckCase> cases = grid.take();
  std::set<std::tuple<std::int64_t, std::int64_t>> heads_keys, heads_planes, planes_tables;
  for (const CheckCase& c : cases) {
    heads_keys.emplace(c.heads, c.keys);
    heads_planes.emplace(c.heads, c.planes);
    planes_tables.emplace(c.planes, c.tables);
    CHECK(c.dim == 32);
  }
  CHECK(heads_keys.size() == 9);
  CHECK(heads_planes.size() == 6);
  CHECK(planes_tables.size() == 4);
  CHECK(cases.size() < 3 * 3 * 2 * 2);
}
