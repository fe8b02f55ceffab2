#include <set>
#include <tuple>

#include "gpu/check/cases/quick_grid.hpp"
#include "tests/catch.hpp"
#include "tests/gpu/check/cases/grid_counts.hpp"

using namespace skt::gpu;

TEST_CASE("Steps have as many cases as their axes have values", "[unit]") {
  constexpr int kOfBytes = 4;  // dimensions; and one decode step of long rows
  CHECK(
      counts_of(cases_of(add_step_cases)) ==
      Counts{
          // 5 masks, 3 groups, 3 counts of keys; fp16 keys, and these from 4 kinds of pages; 3 sizes of half-tables
          // with 2 groups; 2 groups of many rows; 2 of long rows; 3 of rows of their own; 2 groups of rows of one tile
          // and one of rows of seven; 2 groups of 4 tables that steps have an instance for.
          {Operation::decode_step, 5 * 3 * 3 + 1 + 4 + 3 * 2 + 2 + 2 + 3 + 2 + 1 + kOfBytes + 1 + 4 * 2},
          // 5 masks, 2 groups, 3 counts of keys; 3 types of 4 inputs; 16 planes; one of rows of its own; 6 groups of three
          // tiles.
          {Operation::decode_signed, 5 * 2 * 3 + 3 * 4 + 1 + 1 + 6 + kOfBytes},
          // 3 masks, 3 counts of keys, 2 groups; pages; a full cache; many short rows; 2 groups of rows of their own, and
          // of long ones; of bytes 2 groups with pages and without; 2 groups of 5 tables that steps have an instance
          // for.
          {Operation::decode_lengths, 3 * 3 * 2 + 1 + 1 + 1 + 2 + 2 + 2 * 2 + 5 * 2},
          {Operation::append_step, 5 * 3 + 2 + 1 + 1},
          {Operation::score_packed, 2},  // of long rows
          // 3 inputs and 3 counts of keys, of 3 profiles under 5 masks and 2 that know a length only.
          {Operation::pipeline, 3 * 3 * (3 * 5 + 2)}});
}

TEST_CASE("The published code that knows a length only is not asked to mask", "[unit]") {
  for (const CheckCase& c : cases_of(add_step_cases)) {
    if (c.operation != Operation::pipeline) continue;
    const bool length_only = c.profile == Profile::gpt_fast || c.profile == Profile::hf;
    if (length_only) CHECK(c.mask == MaskKind::none);
  }
}

TEST_CASE("Blocks that pass through several rows count groups of every size up to seven by the signed rule", "[unit]") {
  std::set<std::int64_t> groups;
  for (const CheckCase& c : cases_of(add_step_cases)) {
    // An H200 has 132 blocks: each begins and ends in a row of its own and has whole ones between.
    if (c.operation == Operation::decode_signed && c.batch * c.kv_heads > 3 * 132) groups.insert(c.heads / c.kv_heads);
  }
  CHECK(groups == std::set<std::int64_t>{2, 3, 4, 5, 6, 7});
}

TEST_CASE("Steps over bytes take queries of every type, keys of every dimension, and both layouts of pages", "[unit]") {
  std::set<std::tuple<std::int64_t, NumberType, PageLayout>> met;
  for (const CheckCase& c : cases_of(add_step_cases)) {
    const bool is_step = c.operation == Operation::decode_step || c.operation == Operation::decode_signed;
    if (is_step && c.cache == CacheForm::e4m3 && c.keys == 2000) met.emplace(c.dim, c.type, c.pages);
  }
  CHECK(met == decltype(met){{32, NumberType::f32, PageLayout::none},
                             {64, NumberType::f16, PageLayout::none},
                             {128, NumberType::bf16, PageLayout::nhd},
                             {256, NumberType::bf16, PageLayout::hnd}});
}

TEST_CASE("Lengths are checked up to the capacity and on rows that go on by themselves", "[unit]") {
  bool full = false, of_many_tiles = false;
  for (const CheckCase& c : cases_of(add_step_cases)) {
    if (c.operation != Operation::decode_lengths) continue;
    full |= c.keys == c.capacity;
    of_many_tiles |= c.batch * c.kv_heads * (c.keys / 64) >= 2 * 24 * 132;  // should_count_rows() of an H200
    CHECK(c.batch > 1);
  }
  CHECK(full);
  CHECK(of_many_tiles);
}

TEST_CASE("An appended key is seen in its own tile and as the first of the next", "[unit]") {
  bool ends_a_tile = false, begins_one = false;
  for (const CheckCase& c : cases_of(add_step_cases)) {
    if (c.operation != Operation::append_step) continue;
    ends_a_tile |= c.keys % 64 == 0;
    begins_one |= c.keys % 64 == 1;
    CHECK(c.mask == MaskKind::none);
    CHECK(c.sink + c.budget < c.keys);  // or the appended key would be selected whatever its score
  }
  CHECK(ends_a_tile);
  CHECK(begins_one);
}
