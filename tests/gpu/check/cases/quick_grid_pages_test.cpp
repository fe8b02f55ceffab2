#include <algorithm>
#include <set>

#include "gpu/check/cases/quick_grid.hpp"
#include "gpu/check/problems/paged_cache.hpp"
#include "tests/catch.hpp"
#include "tests/gpu/check/cases/grid_counts.hpp"

using namespace skt::gpu;

TEST_CASE("Pages have as many cases as their axes have values", "[unit]") {
  CHECK(counts_of(cases_of(add_page_cases)) ==
        Counts{// 4 dimensions, 3 page sizes; one of a single sequence.
               {Operation::paged_writes, 4 * 3 + 1},
               // 5 masks, 2 page sizes, 2 groups; the usual tables; 3 groups; 16 planes; a page of more keys; long
               // rows, and many short ones.
               {Operation::paged_index, 5 * 2 * 2 + 2 + 3 + 2 + 2 + 2 + 2}});
}

TEST_CASE("Every case of an index in pages has pages of whole tiles", "[unit]") {
  for (const CheckCase& c : cases_of(add_page_cases)) {
    INFO(c.text());
    CHECK(c.paged());
    CHECK(c.page_size >= 64);
    if (c.operation == Operation::paged_index) CHECK((c.budget >= 20 && c.sink > 0 && c.window > 0));  // and keys left
  }
}

TEST_CASE("Rows of one head and of four in pages go on by themselves", "[unit]") {
  std::set<std::int64_t> of_many_tiles;
  for (const CheckCase& c : cases_of(add_page_cases)) {
    const std::int64_t tiles = c.batch * c.kv_heads * ((c.keys + 63) / 64);
    const std::int64_t most_warps = c.group() > 1 ? 20 : 24;
    if (tiles >= 2 * most_warps * 132) of_many_tiles.insert(c.group());  // should_count_rows() of an H200
  }
  CHECK(of_many_tiles == std::set<std::int64_t>{1, 4});
}

TEST_CASE("Some sequences share pages, and some have less than a page", "[unit]") {
  const std::vector<CheckCase> cases = cases_of(add_page_cases);
  for (const Operation operation : {Operation::paged_writes, Operation::paged_index}) {
    CHECK(std::ranges::any_of(
        cases, [&](const CheckCase& c) { return c.operation == operation && common_keys(c) >= 2 * c.page_size; }));
  }
  CHECK(std::ranges::any_of(cases, [](const CheckCase& c) { return c.keys < c.page_size; }));
}
