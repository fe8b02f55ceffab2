// Pages of the check's own: every key is found by the table, and nothing else holds a number.
#include "gpu/check/problems/paged_cache.hpp"

#include <cmath>
#include <set>

#include "tests/catch.hpp"

using namespace skt::gpu;

namespace {

CheckCase paged_case(const std::string& pages, std::int64_t page_size) {
  return CheckCase::parse("operation=sparse-attention,batch=2,heads=6,kv_heads=3,keys=75,dim=32,pages=" + pages +
                          ",page_size=" + std::to_string(page_size));
}

}  // namespace

TEST_CASE("every used key stands in its page and every other row is NaN", "[unit][gpu]") {
  for (const std::string pages : {"hnd", "nhd"}) {
    for (const std::int64_t page_size : {1, 16, 256}) {
      const CheckCase c = paged_case(pages, page_size);
      const Problem problem = make_problem(c);

      const PagedCache cache = paged_cache(c, problem);

      std::set<std::int64_t> rows;
      for (std::int64_t batch = 0; batch < c.batch; ++batch) {
        for (std::int64_t head = 0; head < c.kv_heads; ++head) {
          for (std::int64_t key = 0; key < c.keys; ++key) {
            const std::int64_t row = cache.row(batch, head, key);
            REQUIRE(rows.insert(row).second);
            REQUIRE(cache.kv_head_of(row) == head);
            const std::int64_t at = (batch * c.kv_heads + head) * c.capacity + key;
            REQUIRE(row_of(cache.values, row, c.dim) == row_of(problem.values, at, c.dim));
            REQUIRE(row_of(cache.keys, row, c.dim) == row_of(problem.keys, at, c.dim));
          }
        }
      }
      for (std::int64_t row = 0; row < cache.pages * cache.page_stride; ++row) {
        if (rows.contains(row)) continue;
        REQUIRE(std::isnan(row_of(cache.keys, row, c.dim)[0]));
        REQUIRE(std::isnan(row_of(cache.values, row, c.dim)[0]));
      }
    }
  }
}

TEST_CASE("pages are in no order, and blocks without a used key have none", "[unit][gpu]") {
  const CheckCase c = paged_case("hnd", 16);
  const PagedCache cache = paged_cache(c, make_problem(c));

  REQUIRE(cache.blocks == 8);
  std::int64_t falls = 0;
  for (std::size_t i = 1; i < 5; ++i) falls += cache.table[i] < cache.table[i - 1] ? 1 : 0;
  CHECK(falls > 0);
  for (std::size_t i = 0; i < cache.table.size(); ++i) CHECK((cache.table[i] == -1) == (i % 8 >= 5));
}

TEST_CASE("the layouts have the strides that the interface gives them", "[unit][gpu]") {
  const CheckCase c = paged_case("hnd", 16);
  const PagedCache hnd = paged_cache(c, make_problem(c));
  CHECK(hnd.page_stride == 3 * 16);
  CHECK(hnd.head_stride == 16);
  CHECK(hnd.token_stride == 1);
  CHECK(hnd.pages > c.batch * hnd.blocks);  // some that no table names, however many keys are used

  const CheckCase d = paged_case("nhd", 16);
  const PagedCache nhd = paged_cache(d, make_problem(d));
  CHECK(nhd.page_stride == 16 * 3);
  CHECK(nhd.head_stride == 1);
  CHECK(nhd.token_stride == 3);
}

TEST_CASE("sequences with keys in common share the pages of the first, and what the others had is nobody's",
          "[unit][gpu]") {
  const CheckCase c = CheckCase::parse(
      "operation=paged-index,batch=3,heads=4,kv_heads=2,keys=150,dim=32,pages=nhd,page_size=16,mask=random");
  REQUIRE(common_keys(c) == 64);  // 75 in whole pages
  const Problem drawn = make_problem(c);
  const Problem problem = with_common_keys(c, drawn);

  const PagedCache own = paged_cache(c, problem);
  const PagedCache shared = with_shared_pages(c, own);

  for (std::int64_t b = 0; b < c.batch; ++b) {
    for (std::int64_t block = 0; block < shared.blocks; ++block) {
      CHECK(shared.table[b * shared.blocks + block] == own.table[(block < 4 ? 0 : b) * shared.blocks + block]);
    }
    for (std::int64_t key = 0; key < c.keys; ++key) {
      const std::int64_t of_mask = (key < 64 ? 0 : b) * c.capacity + key;
      CHECK(problem.allowed[b * c.capacity + key] == drawn.allowed[of_mask]);
      for (std::int64_t h = 0; h < c.kv_heads; ++h) {
        const std::int64_t at = (b * c.kv_heads + h) * c.capacity + key;
        const auto in_page = row_of(shared.values, shared.row(b, h, key), c.dim);
        const auto given = row_of(problem.values, at, c.dim);
        if (!std::isnan(given[0])) REQUIRE(in_page == given);
        if (std::isnan(given[0])) REQUIRE(std::isnan(in_page[0]));
        if (key < 64) REQUIRE((std::isnan(given[0]) || given == row_of(problem.values, h * c.capacity + key, c.dim)));
      }
    }
  }
  const std::int64_t left = own.table[own.blocks] * own.page_stride;
  for (std::int64_t row = left; row < left + own.page_stride; ++row)
    REQUIRE(std::isnan(row_of(shared.keys, row, c.dim)[0]));
}

TEST_CASE("a table of lengths names no block behind them", "[unit][gpu]") {
  const CheckCase c = paged_case("hnd", 16);
  const PagedCache cache = paged_cache(c, make_problem(c));

  const std::vector<std::int32_t> table = table_of(cache, {17, -3});

  for (std::int64_t block = 0; block < 8; ++block) {
    CHECK(table[block] == (block < 2 ? cache.table[block] : -1));
    CHECK(table[8 + block] == -1);
  }
}
