#include "gpu/check/cases/axes.hpp"

#include <set>
#include <tuple>

#include "tests/catch.hpp"

using namespace skt::gpu;

TEST_CASE("a combination sets the axes that it takes and leaves the others", "[unit]") {
  CheckCase base;
  base.kv_heads = 3;
  const std::vector<Axis> axes = {groups({1, 4}), axis<std::int64_t>({7, 9}, &CheckCase::keys)};

  const CheckCase both = case_with(base, axes, {1, 0}), keys = case_with(base, axes, {kUnset, 1});

  CHECK((both.heads == 12 && both.keys == 7));
  CHECK((keys.heads == base.heads && keys.keys == 9));
}

TEST_CASE("every pair of values of two axes occurs, in fewer cases than there are combinations", "[unit]") {
  Grid grid(1);
  add_pairs(grid, CheckCase{},
            {groups({1, 2, 4}), axis<std::int64_t>({1, 2, 3}, &CheckCase::keys),
             axis<std::int64_t>({5, 6}, &CheckCase::planes), axis<std::int64_t>({1, 2}, &CheckCase::tables)});
  const std::vector<CheckCase> cases = grid.take();
  std::set<std::tuple<std::int64_t, std::int64_t>> heads_keys, heads_planes, planes_tables;
  for (const CheckCase& c : cases) {
    heads_keys.emplace(c.heads, c.keys);
    heads_planes.emplace(c.heads, c.planes);
    planes_tables.emplace(c.planes, c.tables);
  }
  CHECK(heads_keys.size() == 9);
  CHECK(heads_planes.size() == 6);
  CHECK(planes_tables.size() == 4);
  CHECK(cases.size() < 3 * 3 * 2 * 2);
}
