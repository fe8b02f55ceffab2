#include "gpu/functors/index_pages.hpp"

#include <set>
#include <vector>

#include "gpu/socketlab_gpu.h"
#include "tests/catch.hpp"

using namespace skt::gpu;

namespace {

// Two sequences of three blocks each, of 128 keys and two kv heads; they share their first page.
skt_pack_codes_args paged(const std::vector<std::int32_t>& table) {
  return {.shape = {.batch = 2, .kv_heads = 2, .capacity = 320},
          .paged = {.block_table = table.data(), .blocks = 3, .pages = 9, .page_size = 128}};
}

}  // namespace

TEST_CASE("a row's sequence is its number by the kv heads, for all rows and all kv heads there may be", "[unit][gpu]") {
  skt_pack_codes_args args = {};
  for (std::int64_t kv_heads = 1; kv_heads <= 65535; kv_heads += kv_heads < 300 ? 1 : 211) {
    args.shape.kv_heads = kv_heads;
    const IndexPages pages = index_pages(args);
    std::int64_t wrong = 0;
    for (std::int64_t row = 0; row <= 65535; ++row) {
      wrong += pages.sequence_of(static_cast<unsigned>(row)) != row / kv_heads;
    }
    INFO(kv_heads);
    REQUIRE(wrong == 0);
  }
}

TEST_CASE("without pages the tiles of a row follow one another, and so do the rows", "[unit][gpu]") {
  skt_pack_codes_args args = paged({});
  args.paged.block_table = nullptr;
  const IndexPages pages = index_pages(args);

  CHECK(!pages.paged());
  CHECK(pages.place_of(0, 0) == 0);
  CHECK(pages.place_of(0, 4) == 4);
  CHECK(pages.place_of(1, 0) == 5);  // 320 keys are 5 tiles
  CHECK(pages.place_of(3, 2) == 17);
}

TEST_CASE("a tile stands in its page behind those of the kv heads before it", "[unit][gpu]") {
  const std::vector<std::int32_t> table = {4, 7, 0, 4, 2, 8};
  const IndexPages pages = index_pages(paged(table));

  // A page has 2 tiles of each of 2 kv heads.
  CHECK(pages.place_of(0, 0) == 16);
  CHECK(pages.place_of(0, 1) == 17);
  CHECK(pages.place_of(1, 0) == 18);
  CHECK(pages.place_of(1, 1) == 19);
  CHECK(pages.place_of(0, 2) == 28);
  CHECK(pages.place_of(1, 4) == 2);
  CHECK(pages.place_of(2, 0) == 16);  // of the other sequence, the same page
  CHECK(pages.place_of(2, 3) == 9);
  CHECK(pages.place_of(3, 4) == 34);
  std::set<unsigned> places;
  for (unsigned row = 0; row < 4; ++row) {
    for (unsigned tile = 0; tile < 5; ++tile) places.insert(pages.place_of(row, tile));
  }
  CHECK(places.size() == 4 * 5 - 4);  // the shared page's 2 tiles of 2 heads count once
}

TEST_CASE("the last tile of the largest arrays has a number of its own", "[unit][gpu]") {
  const std::vector<std::int32_t> table = {(1 << 20) - 1};
  const skt_pack_codes_args args = {
      .shape = {.batch = 1, .kv_heads = 64, .capacity = 64 * 32},
      .paged = {.block_table = table.data(), .blocks = 1, .pages = 1 << 20, .page_size = 64 * 32}};

  CHECK(index_pages(args).place_of(63, 31) == (1u << 31) - 1);  // 2^20 pages of 2^6 heads of 2^5 tiles
}

TEST_CASE("norms stand key by key, and keys and values by the strides of their pages", "[unit][gpu]") {
  const std::vector<std::int32_t> table = {4, 7, 0, 4, 2, 8};
  skt_value_norms_args args = {.shape = {.batch = 2, .kv_heads = 2, .capacity = 300}};  // no multiple of a tile
  CHECK(norm_place(args, index_pages(args), 3, 299) == 3 * 300 + 299);
  CHECK(cache_rows(args, 3, 299).first == 3 * 300 + 299);

  args.paged = {.block_table = table.data(), .blocks = 3, .pages = 9, .page_size = 128};
  CHECK(norm_place(args, index_pages(args), 3, 200) == 2 * 256 + 128 + 72);
  CHECK(cache_rows(args, 3, 200).first == 3 * 300 + 200);  // the values are not in pages

  args.paged.page_stride = 1000;
  args.paged.head_stride = 3;
  args.paged.token_stride = 7;
  CHECK(cache_rows(args, 3, 200).first == 2 * 1000 + 3 + 72 * 7);
  CHECK(cache_rows(args, 3, 200).step == 7);
  CHECK(cache_rows(args, 0, 127).first == 4 * 1000 + 127 * 7);
}
