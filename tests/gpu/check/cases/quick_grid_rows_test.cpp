#include <algorithm>
#include <set>
#include <utility>

#include "gpu/check/cases/quick_grid.hpp"
#include "tests/catch.hpp"
#include "tests/gpu/check/cases/grid_counts.hpp"

using namespace skt::gpu;

TEST_CASE("Query rows have as many cases as their axes have values", "[unit]") {
  // 4 counts of rows with 4 groups, and a group of five; 2 groups of 2 counts of few keys, and a full cache; 4 masks with
  // 2 groups, 2 inputs, fp32, 2 kinds of pages, bytes; 2 masks with 2 groups of an index in pages, and larger pages; 2
  // counts of tables with 2 groups, and 16 planes; many sequences,
  // and 2 groups of long rows.
  CHECK(
      counts_of(cases_of(add_query_row_cases)) ==
      Counts{{Operation::decode_rows, 4 * 4 + 1 + 2 * 2 + 1 + 4 * 2 + 2 + 1 + 2 + 1 + 2 * 2 + 1 + 2 * 2 + 1 + 1 + 2}});
}

TEST_CASE("Query rows are checked with every group, with fewer keys than rows, and on rows that go on by themselves",
          "[unit]") {
  std::set<std::pair<std::int64_t, std::int64_t>> of_rows_and_group;
  bool fewer_keys = false, full = false, of_many_tiles = false, with_masks_in_pages = false;
  for (const CheckCase& c : cases_of(add_query_row_cases)) {
    of_rows_and_group.insert({c.query_rows, c.group()});
    fewer_keys |= c.keys < c.query_rows;
    full |= c.keys == c.capacity;
    with_masks_in_pages |= c.paged() && c.page_size >= 64 && c.mask != MaskKind::none;
    of_many_tiles |=
        c.batch * c.kv_heads * c.query_rows * (c.keys / 64) >= 2 * 24 * 132;  // should_count_rows() of an H200
    CHECK(c.batch > 1);
  }
  for (const std::int64_t rows : {1, 2, 3, 8}) {
    for (const std::int64_t group : {1, 2, 4, 8}) CHECK(of_rows_and_group.contains({rows, group}));
  }
  CHECK(fewer_keys);
  CHECK(full);
  CHECK(of_many_tiles);
  CHECK(with_masks_in_pages);
}
