#include "gpu/check/cases/grid_builder.hpp"

#include "tests/catch.hpp"

using namespace skt::gpu;

TEST_CASE("a case of a grid has its seed and a cache of whole tiles that is never full", "[unit][gpu]") {
  Grid grid(9);
  CheckCase c;
  for (const std::int64_t keys : {1, 63, 64, 65}) {
    c.keys = keys;
    grid.add(c);
  }

  const std::vector<CheckCase> cases = grid.take();

  REQUIRE(cases.size() == 4);
  CHECK(cases[0].capacity == 64);
  CHECK(cases[1].capacity == 64);
  CHECK(cases[2].capacity == 128);  // 64 keys would fill one tile
  CHECK(cases[3].capacity == 128);
  for (const CheckCase& added : cases) CHECK(added.seed == 9);
}

TEST_CASE("a case may have a full cache, and has the seed too", "[unit][gpu]") {
  Grid grid(9);
  CheckCase c;
  c.keys = 128;
  grid.add_full(c);

  const CheckCase added = grid.take().at(0);

  CHECK(added.capacity == 128);
  CHECK(added.seed == 9);
}

TEST_CASE("in a grouped case batch, head, kv head and group differ from one another", "[unit][gpu]") {
  const CheckCase c = grouped_case(Operation::score_packed);

  CHECK(c.operation == Operation::score_packed);
  CHECK(c.rows() == 8);
  CHECK(c.kv_rows() == 4);
  CHECK(c.group() == 2);
}

TEST_CASE("groups are one and four query heads to a kv head", "[unit][gpu]") {
  Grid grid(1);
  CheckCase c;
  c.kv_heads = 16;
  add_groups(grid, c);

  const std::vector<CheckCase> cases = grid.take();

  REQUIRE(cases.size() == 2);
  CHECK(cases[0].heads == 16);
  CHECK(cases[1].heads == 64);
}
