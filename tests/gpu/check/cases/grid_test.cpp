#include "gpu/check/cases/grid.hpp"

#include <map>
#include <string_view>

#include "gpu/functors/packed_codes.hpp"
#include "tests/numbers.hpp"

using namespace skt;
using namespace skt::gpu;

TEST_CASE("Every case of every grid is valid and can be replayed from its text", "[unit]") {
  for (const char* name : {"tiny", "quick", "full"}) {
    for (const CheckCase& c : grid_by_name(name, 7)) {
      INFO(c.text());
      REQUIRE_NOTHROW(c.require_valid());
      REQUIRE(CheckCase::parse(c.text()).text() == c.text());
      REQUIRE(c.seed == 7);
    }
  }
}

TEST_CASE("No grid holds a case twice", "[unit]") {
  for (const char* name : {"tiny", "quick", "full"}) {
    std::set<std::string> texts;
    for (const CheckCase& c : grid_by_name(name, 1)) CHECK(texts.insert(c.text()).second);
  }
}

TEST_CASE("The quick grid holds every operation but those that need giant memory", "[unit]") {
  std::set<Operation> quick, full;
  for (const CheckCase& c : quick_grid(1)) quick.insert(c.operation);
  for (const CheckCase& c : full_grid(1)) full.insert(c.operation);
  for (const Operation operation : values_of<Operation>()) {
    INFO(name_of(operation));
    CHECK(full.contains(operation));
    CHECK(quick.contains(operation) == !name_of(operation).starts_with("far-"));
  }
}

TEST_CASE("The full grid holds a step whose rows keep many blocks busy for several tiles", "[unit]") {
  constexpr std::int64_t multiprocessors = 132, warps = 24;  // of an H200, and of a block of packed scores
  const auto keeps_busy = [&](const CheckCase& c) {
    const std::int64_t tiles = c.batch * c.kv_heads * (c.keys / kTileKeys);
    return c.operation == Operation::append_step && multiprocessors >= 10 * c.batch * c.kv_heads &&
           tiles >= 3 * warps * multiprocessors;
  };
  CHECK(std::ranges::any_of(full_grid(1), keeps_busy));
}

// Of an H200, and of a block of packed scores for one query head at a time: a range of tiles to each multiprocessor
// that has any, the tiles of a range to the warps in turn.
TEST_CASE("The quick grid holds rows so short that a warp moves on by several at once", "[unit]") {
  constexpr std::int64_t multiprocessors = 132, warps = 24, rows_at_once = 2;
  const auto tiles_of_row = [](const CheckCase& c) { return (c.keys + kTileKeys - 1) / kTileKeys; };
  const auto tiles_of_range = [&](const CheckCase& c) {
    return c.batch * c.kv_heads * tiles_of_row(c) / multiprocessors;
  };
  for (const Operation operation : {Operation::score_packed, Operation::decode_step}) {
    const auto is_of_one_tile = [&](const CheckCase& c) {
      return c.operation == operation && c.batch * c.kv_heads == 512 && tiles_of_row(c) == 1 && tiles_of_range(c) == 3;
    };
    CHECK(std::ranges::any_of(quick_grid(1), is_of_one_tile));
  }
  for (const Operation operation : {Operation::decode_step, Operation::append_step}) {
    const auto goes_on_row_by_row = [&](const CheckCase& c) {  // as should_count_rows() says, of one pass
      return c.operation == operation && c.heads == c.kv_heads &&
             c.batch * c.kv_heads * tiles_of_row(c) >= 2 * warps * multiprocessors &&
             tiles_of_range(c) >= 3 * rows_at_once * tiles_of_row(c);
    };
    CHECK(std::ranges::any_of(quick_grid(1), goes_on_row_by_row));
  }
}

TEST_CASE("The slices of a grid are its cases, each once", "[unit]") {
  const std::vector<CheckCase> grid = tiny_grid(1);
  for (const std::size_t n : {std::size_t{1}, std::size_t{3}, std::size_t{16}, grid.size() + 1}) {
    std::multiset<std::string> sliced, whole;
    for (const CheckCase& c : grid) whole.insert(c.text());
    for (std::size_t i = 1; i <= n; ++i) {
      for (const CheckCase& c : slice_of(grid, std::to_string(i) + "/" + std::to_string(n))) sliced.insert(c.text());
    }
    CHECK(sliced == whole);
  }
}

TEST_CASE("What is left out by size is what is larger", "[unit]") {
  const std::vector<CheckCase> grid = quick_grid(1);
  const std::vector<CheckCase> kept = no_larger(grid, 1000, 1 << 12);
  std::size_t small = 0;
  for (const CheckCase& c : grid) small += c.keys <= 1000 && c.tables * (1 << c.planes) <= 1 << 12;
  CHECK(kept.size() == small);
  CHECK(kept.size() < grid.size());
  for (const CheckCase& c : kept) CHECK((c.keys <= 1000 && c.tables << c.planes <= 1 << 12));
}

TEST_CASE("A slice that is none is refused by name", "[unit]") {
  for (const char* wrong : {"", "1", "/", "0/4", "5/4", "1/0", "-1/4", "1/4x", "a/b", "1/4/2"}) {
    INFO(wrong);
    CHECK_THROWS_AS(slice_of(tiny_grid(1), wrong), InputError);
  }
}

TEST_CASE("The cases of far addresses exceed 2^31 elements of every array that they are for", "[unit]") {
  const auto elements = [](Operation operation, auto&& count) {
    std::int64_t least = INT64_MAX;
    for (const CheckCase& c : full_grid(1)) {
      if (c.operation == operation) least = std::min(least, count(c));
    }
    return least;
  };
  constexpr std::int64_t most = std::int64_t{1} << 31;
  CHECK(elements(Operation::far_addresses, [](const CheckCase& c) {
          return c.batch * c.kv_heads * c.tables * c.capacity;  // codes
        }) > most);
  CHECK(elements(Operation::far_packed, [](const CheckCase& c) { return c.batch * c.heads * c.capacity; }) > most);
  CHECK(elements(Operation::far_attention,
                 [](const CheckCase& c) { return c.batch * c.kv_heads * c.capacity * c.dim; }) > most);
  CHECK(elements(Operation::far_index, [](const CheckCase& c) {
          return c.batch * c.kv_heads * c.capacity * words_per_key(c.tables, c.planes);
        }) > most);
}

TEST_CASE("A grid that does not exist is refused by name", "[unit]") {
  CHECK_THROWS_WITH(grid_by_name("huge", 1), "--grid huge: allowed are tiny, quick, full");
}
