#include <set>
#include <utility>

#include "gpu/check/cases/quick_grid.hpp"
#include "tests/catch.hpp"
#include "tests/gpu/check/cases/grid_counts.hpp"

using namespace skt::gpu;

TEST_CASE("Buckets and scores have as many cases as their axes have values", "[unit]") {
  constexpr int kInputsMasksKeys = 5 * 5 * 8;
  CHECK(counts_of(cases_of(add_score_cases)) ==
        Counts{
            // Planes 1 to 16; 3 of each of the 4 other profiles; 3 dimensions, types and temperatures; 2 inputs.
            {Operation::soft_buckets, 16 + 4 * 3 + 3 * 3 * 3 + 2},
            // Planes 4 to 15 with 6 counts of tables, one of many keys; 5 profiles of 3 inputs and 5 masks.
            {Operation::score_buckets, kInputsMasksKeys + 12 * 6 + 1 + 5 * 3 * 5},
            // Planes to 16; of the usual tables 5 masks, 3 counts of keys and two groups; two groups of 4 other tables
            // that steps have an instance for; of the usual and of others many kv rows in two groups, and of others
            // three lengths of short rows, of the usual one; three of heads that fill no four.
            {Operation::score_packed, kInputsMasksKeys + 13 * 6 + 1 + 5 * 3 * 2 + 4 * 2 + 2 * 2 + (3 + 1) * 2 + 3},
            // Bits and planes; 9 groups and 5 masks; words, keys and inputs; heads of the last row; rows in two
            // groups, of more tiles than a warp keeps with two numbers of words, and of more words than it keeps.
            {Operation::score_signed, 3 * 3 + 9 * 5 + (11 + 4 + 3) + 1 + 3 * 2 + 2 + 1},
            {Operation::bad_codes, 5 * 4}});
}

TEST_CASE("Signed scores of four heads have more tiles to a warp than its largest ring", "[unit]") {
  constexpr std::int64_t kWarps = 132 * 16;  // of an H200, 512 threads to a block
  std::set<std::int64_t> words;
  for (const CheckCase& c : cases_of(add_score_cases)) {
    if (c.operation != Operation::score_signed || c.heads != 4 * c.kv_heads) continue;
    const std::int64_t of_case = (c.tables * c.planes + 31) / 32;
    const std::int64_t ring = of_case < 19 ? 4 : 2;  // in 227 KB beside weights and counts, at most
    if (c.batch * c.kv_heads * ((c.keys + 63) / 64) > kWarps * ring) words.insert(of_case);
  }
  CHECK(words == std::set<std::int64_t>{2, 10, 19});
}

TEST_CASE("Signed scores have more words of one row, and of two, than the warps of a block keep", "[unit]") {
  // Words of heads: GroupedHeads::kWordsKept of each of 16 warps. 45 words leave room for 9 warps, which keep fewer.
  constexpr std::int64_t kKept = 16 * 10;
  std::set<std::pair<std::int64_t, std::int64_t>> of_one_row;  // heads to a kv head and words
  std::set<std::pair<std::int64_t, std::int64_t>> of_two;
  for (const CheckCase& c : cases_of(add_score_cases)) {
    const std::int64_t group = c.heads / c.kv_heads;
    if (c.operation != Operation::score_signed || group == 1 || group > 8) continue;
    const std::int64_t words = (c.tables * c.planes + 31) / 32;
    const std::int64_t at_once = group <= 4 ? 4 : 8;
    const std::int64_t tiles = (c.keys + 63) / 64;
    if (words * at_once > kKept) of_one_row.insert({group, words});
    // Tiles are dealt out in 132 runs, to a block each: here one begins in a row and ends in another.
    const std::int64_t all = c.batch * c.kv_heads * tiles;
    bool has_two_rows = false;
    for (std::int64_t run = 0; run < 132; ++run) {
      has_two_rows |= all >= 132 && run * all / 132 / tiles < ((run + 1) * all / 132 - 1) / tiles;
    }
    if (2 * words * at_once > kKept && has_two_rows) of_two.insert({group, words});
  }
  CHECK(of_one_row == std::set<std::pair<std::int64_t, std::int64_t>>{{4, 45}});
  CHECK(of_two == std::set<std::pair<std::int64_t, std::int64_t>>{{8, 19}});
}

TEST_CASE("Signed scores have 64, 320 and 640 bits, as nearly as whole tables of 8, 10 and 16 planes allow", "[unit]") {
  std::set<std::pair<std::int64_t, std::int64_t>> shapes;
  for (const CheckCase& c : cases_of(add_score_cases)) {
    if (c.operation == Operation::score_signed && c.keys == 300) shapes.insert({c.planes, c.tables});
  }
  CHECK(shapes == std::set<std::pair<std::int64_t, std::int64_t>>{
                      {8, 8}, {10, 6}, {16, 4}, {8, 40}, {10, 32}, {16, 20}, {8, 80}, {10, 64}, {16, 40}});
}
