#include "gpu/check/references/paged_index.hpp"

#include <set>

#include "tests/catch.hpp"

using namespace skt::gpu;

namespace {

// Three words to a key: 5 tables are 2 quads of 10 slices, 20 slices of 8 to a word.
CheckCase paged_case(const std::string& mask) {
  return CheckCase::parse(
      "operation=paged-index,batch=2,heads=6,kv_heads=3,keys=300,dim=32,tables=5,planes=10,pages=hnd,page_size=128,mask=" +
      mask);
}

}  // namespace

TEST_CASE("the layout is that of arrays in the order of the interface", "[unit][gpu]") {
  const IndexLayout layout(paged_case("causal"), 128);

  REQUIRE(layout.words == 3);
  CHECK(layout.word(0, 0, 5, 0) == 5);
  CHECK(layout.word(0, 0, 5, 2) == 2 * 64 + 5);
  CHECK(layout.word(0, 0, 64 + 5, 2) == 3 * 64 + 2 * 64 + 5);
  CHECK(layout.word(0, 1, 0, 0) == 2 * 3 * 64);
  CHECK(layout.word(7, 2, 64 + 5, 2) == ((7 * 3 + 2) * 2 + 1) * 3 * 64 + 2 * 64 + 5);
  CHECK(layout.norm(7, 2, 69) == 7 * 384 + 2 * 128 + 69);
  CHECK(layout.mask(7, 4, 69) == 7 * 768 + 4 * 128 + 69);
  CHECK(IndexLayout(paged_case("random"), 128).mask(7, 4, 69) == 7 * 128 + 69);
}

TEST_CASE("each key's words, norm and mask stand in its page, and elsewhere is garbage", "[unit][gpu]") {
  const CheckCase c = paged_case("random");
  const Problem problem = with_common_keys(c, make_problem(c));
  const PagedCache cache = with_shared_pages(c, paged_cache(c, problem));
  std::vector<std::uint32_t> packed(c.kv_rows() * c.capacity * 3);
  std::vector<std::uint16_t> norms(c.kv_rows() * c.capacity);
  // As of sequences whose first keys are the same: numbered by kv head and key, behind those by sequence too.
  for (std::int64_t row = 0; row < c.kv_rows(); ++row) {
    for (std::int64_t key = 0; key < c.keys; ++key) {
      const std::int64_t number = (key < common_keys(c) ? row % 3 : row) * 1000 + key;
      norms[row * c.capacity + key] = static_cast<std::uint16_t>(number);
      for (std::int64_t w = 0; w < 3; ++w) {
        packed[(row * 5 + key / 64) * 192 + w * 64 + key % 64] = static_cast<std::uint32_t>(10 * number + w);
      }
    }
  }

  const IndexArrays arrays = index_in_pages(c, problem, cache, packed, norms);

  REQUIRE(c.capacity == 320);
  std::set<std::int64_t> used;
  for (std::int64_t b = 0; b < 2; ++b) {
    for (std::int64_t key = 0; key < c.keys; ++key) {
      const std::int64_t page = cache.table[b * cache.blocks + key / 128];
      CHECK(arrays.allowed[page * 128 + key % 128] == problem.allowed[b * 320 + key]);
      for (std::int64_t h = 0; h < 3; ++h) {
        const std::int64_t number = ((key < 128 ? 0 : b * 3) + h) * 1000 + key;
        const std::int64_t place = (page * 3 + h) * 128 + key % 128;
        used.insert(place);
        REQUIRE(arrays.norms[place] == number);
        REQUIRE(arrays.packed[place / 64 * 192 + 2 * 64 + key % 64] == 10 * number + 2);
      }
    }
  }
  CHECK(std::ssize(used) == 3 * (300 + 300 - 128));
  for (std::int64_t place = 0; place < std::ssize(arrays.norms); ++place) {
    if (!used.contains(place)) REQUIRE(arrays.norms[place] == 0x7fff);  // NaN
  }
}
