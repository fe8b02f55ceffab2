#include "gpu/check/cases/quick_grid.hpp"

#include <tuple>

#include "gpu/check/problems/paged_cache.hpp"
#include "gpu/check/problems/runs.hpp"
#include "gpu/functors/half_score.hpp"
#include "tests/gpu/check/cases/grid_counts.hpp"
#include "tests/numbers.hpp"

using namespace skt::gpu;

// The factors and terms are those of the lines of quick_grid.cpp, in their order; a case that two lines hold counts once.
TEST_CASE("Each part of the quick grid has as many cases of an operation as its lines have combinations", "[unit]") {
  using enum Operation;
  constexpr int kHashes = 3 * 8 * 4 + 8 - 1 + 5 * 3, kScores = 5 * 5 * 8;
  const struct {
    void (*add)(Grid&);
    Counts counts;
  } parts[] = {
      {add_prefill_cases,
       {{hash_keys, kHashes + 15},
        {value_norms, kHashes},
        {build_index, 2 * 4 * (4 + 8 - 1) + 13 * 3 + 2},
        {append_lengths, 3 * 3 + 4},
        {rewritten_index, 3 + 2 * 2 + 1}}},
      {add_score_cases,
       {{soft_buckets, 16 + 4 * 3 + 3 * 3 * 3 + 2},
        {score_buckets, kScores + 12 * 6 + 1 + 5 * 3 * 5},
        {score_packed, kScores + 13 * 6 + 1 + 5 * 3 * 2 + 4 * 2 + 2 * 2 + (3 + 1) * 2 + 3},
        {score_signed, 3 * 3 + 9 * 5 + (11 + 4 + 3) + 1 + 3 * 2 + 2 + 1},
        {bad_codes, 5 * 4}}},
      {add_attention_cases,
       {{select_keys, 6 * (5 * 6 * 4 + 3 * (2 + 1)) + 2},
        {published_list, 5 * 5 * 3},
        {sparse_attention, 3 * 4 * (3 * 5 + 2 * 3 * 3 + 1) + 1 + 3 * 4 * 4 + 4 * (3 + 2 + 1 + 2 * 3 + 1)},
        {refusals, 1}}},
      {add_step_cases,
       {{decode_step, 5 * 3 * 3 + 1 + 4 + 3 * 2 + 2 + 2 + 3 + 2 + 1 + 4 + 1 + 4 * 2},
        {decode_signed, 5 * 2 * 3 + 3 * 4 + 1 + 1 + 6 + 4},
        {decode_lengths, 3 * 3 * 2 + 1 + 1 + 1 + 2 + 2 + 2 * 2 + 5 * 2},
        {append_step, 5 * 3 + 2 + 1 + 1},
        {score_packed, 2},
        {pipeline, 3 * 3 * (3 * 5 + 2)}}},
      {add_rest_cases, {{decode_rest, 2 * 2 * 5 + 2 * 3 * 3 + 4 + 2 + 1 + 2 + 2 * 10 + 2 * 3 + 1 + 2 + 1 + 2 * 2 * 2}}},
      {add_query_row_cases,
       {{decode_rows, 4 * 4 + 1 + 2 * 2 + 1 + 4 * 2 + 2 + 1 + 2 + 1 + 2 * 2 + 1 + 2 * 2 + 1 + 1 + 2}}},
      {add_shard_cases,
       {{select_shards, 6 * 3 * 3 * 3 + 9 * 3 + 3 * 3 + 3}, {sharded_step, 2 * 3 * 2 + 2 + 3 + 2 + 2}}},
      {add_page_cases, {{paged_writes, 4 * 3 + 1}, {paged_index, 5 * 2 * 2 + 2 + 3 + 2 + 2 + 2 + 2}}}};
  for (const auto& part : parts) CHECK(counts_of(cases_of(part.add)) == part.counts);
}

TEST_CASE("What reads an index that is written again leaves multiprocessors to what writes it", "[unit]") {
  constexpr std::int64_t kMultiprocessors = 132;  // of an H100 and an H200
  bool of_several_tiles = false;
  std::set<NumberType> types;
  for (const CheckCase& c : cases_of(add_prefill_cases)) {
    if (c.operation != Operation::rewritten_index) continue;
    const bool four_heads = scores_in_half(c.group(), c.tables, c.code_bits());
    const std::int64_t passes = (c.group() + (four_heads ? 3 : 0)) / (four_heads ? 4 : 1);
    const std::int64_t tiles = c.kv_rows() * ((c.keys + 63) / 64);
    const std::int64_t ranges = std::min(tiles, kMultiprocessors / passes);
    CHECK(2 * ranges * passes <= kMultiprocessors + 2);
    of_several_tiles |= tiles > 3 * 24 * ranges;  // to each of a block's 24 warps
    CHECK((c.dim == 32 || c.dim == 128));
    types.insert(c.type);
    CHECK(c.mask == MaskKind::none);
    CHECK(c.inputs == InputKind::gaussian);
    CHECK(c.sink + c.budget + c.window < c.keys);  // or a step would take every key of either index
  }
  CHECK(of_several_tiles);
  CHECK(types.size() == 3);
}

TEST_CASE("Keys are appended by lengths where a warp takes several groups of them, and to words that tables straddle",
          "[unit]") {
  bool several = false, straddles = false;
  for (const CheckCase& c : cases_of(add_prefill_cases)) {
    if (c.operation != Operation::append_lengths) continue;
    CHECK(c.keys == c.capacity);
    several |= c.kv_rows() > 132 * 8;  // warps of an H200's blocks
    straddles |= c.planes * 4 > 32 && c.tables > 4;
  }
  CHECK(several);
  CHECK(straddles);
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

TEST_CASE("Rows that go on by themselves are there with lengths, with query rows, and of one head and of four in pages",
          "[unit]") {
  const auto of_many_tiles = [](const CheckCase& c) {  // should_count_rows() of an H200
    const std::int64_t tiles = c.batch * c.kv_heads * c.query_rows * (c.keys / 64);
    return tiles >= 2 * (c.group() > 1 ? 20 : 24) * 132;
  };
  std::set<std::pair<Operation, std::int64_t>> met;
  for (const auto add : {add_step_cases, add_query_row_cases, add_page_cases}) {
    for (const CheckCase& c : cases_of(add)) {
      if (of_many_tiles(c)) met.emplace(c.operation, c.group());
    }
  }
  for (const Operation operation : {Operation::decode_lengths, Operation::decode_rows, Operation::paged_index}) {
    CHECK(met.contains({operation, 1}));
    CHECK(met.contains({operation, 4}));
  }
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

TEST_CASE("Where all keys tie the last that is taken lies beside every edge of even runs", "[unit]") {
  for (const Runs& runs : checked_runs(96)) {
    if (runs.size() < 2 || runs.back().keys != 96 / std::ssize(runs)) continue;  // even ones
    for (const Run& run : runs) {
      for (const std::int64_t budget : {run.first - 1, run.first, run.first + 1}) {
        if (run.first == 0) continue;
        bool found = false;
        for (const CheckCase& c : cases_of(add_shard_cases)) {
          found |= c.keys == 96 && c.inputs == InputKind::zeros && c.budget == budget;
        }
        INFO(budget);
        CHECK(found);
      }
    }
  }
}

TEST_CASE("Some sequences share pages, and some have less than a page", "[unit]") {
  const std::vector<CheckCase> cases = cases_of(add_page_cases);
  for (const Operation operation : {Operation::paged_writes, Operation::paged_index}) {
    CHECK(std::ranges::any_of(
        cases, [&](const CheckCase& c) { return c.operation == operation && common_keys(c) >= 2 * c.page_size; }));
  }
  CHECK(std::ranges::any_of(cases, [](const CheckCase& c) { return c.keys < c.page_size; }));
}

TEST_CASE("Contracts are few small cases of scores and steps", "[unit]") {
  const std::vector<CheckCase> cases = cases_of(add_contract_cases);
  CHECK(counts_of(cases).size() == 3);
  CHECK(cases.size() >= 3 * 5 * 3);  // masks and groups of each operation
  CHECK(cases.size() <= 60);         // the quick grid has 3,260 others
  for (const CheckCase& c : cases) {
    CHECK((c.keys <= 200 && c.all_rows() <= 16 && c.tables <= 9));
    CHECK((c.keys > 128 && c.keys % 64 != 0));  // a tail behind full tiles of either size
  }
}

TEST_CASE("Contracts hold every mask with every group, and of steps with sink and window", "[unit]") {
  std::set<std::tuple<Operation, std::int64_t, MaskKind>> groups_masks;
  std::set<std::tuple<MaskKind, bool>> sinks, windows;
  std::set<std::tuple<std::int64_t, double>> temperatures;
  for (const CheckCase& c : cases_of(add_contract_cases)) {
    groups_masks.emplace(c.operation, c.group(), c.mask);
    if (c.operation != Operation::decode_step) continue;
    sinks.emplace(c.mask, c.sink > 0);
    windows.emplace(c.mask, c.window > 0);
    temperatures.emplace(c.group(), c.temperature);
  }
  CHECK(groups_masks.size() == 3 * 3 * 5);
  CHECK(sinks.size() == 5 * 2);
  CHECK(windows.size() == 5 * 2);
  CHECK(temperatures.size() == 3 * 2);
}
