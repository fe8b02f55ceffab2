// Pages of the check's own: every key is found by the table, and nothing else holds a number.
#include "gpu/check/problems/paged_cache.hpp"

#include <cmath>
#include <set>

#include "sim/require.hpp"
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

TEST_CASE("a case without a layout or with a page size that is no power of two is refused", "[unit][gpu]") {
  CHECK_THROWS_AS(CheckCase::parse("pages=columns"), skt::InputError);
  CHECK_THROWS_AS(CheckCase::parse("pages=hnd,page_size=24"), skt::InputError);
  CHECK_THROWS_AS(CheckCase::parse("pages=hnd,page_size=0"), skt::InputError);
}
